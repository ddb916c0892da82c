"""Places of labels, and numbers as words."""

from __future__ import annotations

import itertools

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amg.figures import words
from amg.figures.labels import spread

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


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(-0.7, 2, "−0.70"), (-0.0004, 2, "0.00"), (19.204, 2, "19.20"), (0.0, 3, "0.000")],
)
def test_fixed(value: float, digits: int, text: str) -> None:
    assert words.fixed(value, digits) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.2043, "0.20"), (18.05, "18"), (0.0123, "0.012"), (0, "0"), (320, "320")]
)
def test_significant(value: float, text: str) -> None:
    assert words.significant(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1000, "10³"), (3162, "10³·⁵"), (10**7, "10⁷"), (4000, "4,000"), (100, "100")],
)
def test_count(value: int, text: str) -> None:
    assert words.count(value) == text


def test_listed() -> None:
    assert words.listed(["a"]) == "a"
    assert words.listed(["a", "b", "c"]) == "a, b and c"


def test_span_and_estimate() -> None:
    assert words.span([0.001, -0.001]) == "0.00"
    assert words.span([1.0, 2.5]) == "1.00 to 2.50"
    assert words.estimate(-0.5, -0.6, -0.4) == "−0.50 [−0.60, −0.40]"


def test_intervals_say_level_and_seeds() -> None:
    table = pd.DataFrame({"level": [0.9, 0.9], "seeds": [5, 20]})
    assert words.intervals(table) == "90% bootstrap intervals over 5 to 20 seeds"
