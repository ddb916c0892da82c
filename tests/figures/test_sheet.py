"""Places of labels."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from amg.figures.style import spread

places = st.lists(st.floats(-50, 150), min_size=1, max_size=8)


@given(places)
def test_spread_keeps_the_gap_the_order_and_the_range(wanted: list[float]) -> None:
    placed = spread(wanted, 10.0, 0.0, 100.0)
    ordered = sorted(placed)
    assert all(b - a >= 10 - 1e-9 for a, b in itertools.pairwise(ordered))
    assert ordered[0] >= -1e-9
    assert ordered[-1] <= 100 + 1e-9
    for (a, x), (b, y) in itertools.combinations(zip(wanted, placed, strict=True), 2):
        assert a == b or (a < b) == (x < y)


def test_spread_leaves_places_that_do_not_touch() -> None:
    assert spread([80.0, 10.0, 40.0], 10.0, 0.0, 100.0) == [80.0, 10.0, 40.0]


def test_spread_moves_two_that_touch_equally_far() -> None:
    assert spread([50.0, 50.0], 10.0, 0.0, 100.0) == [45.0, 55.0]


def test_spread_of_too_many_begins_at_the_bottom() -> None:
    assert spread([5.0, 6.0, 7.0], 10.0, 0.0, 12.0) == [0.0, 10.0, 20.0]
