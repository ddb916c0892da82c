"""Numbers and lists as text."""

from __future__ import annotations

import pytest

from amg.base import text


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [(-0.7, 2, "−0.70"), (-0.0004, 2, "0.00"), (19.204, 2, "19.20"), (0.0, 3, "0.000")],
)
def test_fixed(value: float, decimals: int, expected: str) -> None:
    assert text.fixed(value, decimals) == expected


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [(0.014923, 3, "0.0149"), (19.2249, 4, "19.22"), (1080, 3, "1,080"), (-0.69, 3, "−0.69"),
     (7, 3, "7"), (10**7, 3, "10,000,000"), (1e20, 3, "1e+20")],
)  # fmt: skip
def test_number(value: float, digits: int, expected: str) -> None:
    assert text.number(value, digits) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.2043, "0.20"), (18.05, "18"), (0.0123, "0.012"), (0, "0"), (320, "320")],
)
def test_significant(value: float, expected: str) -> None:
    assert text.significant(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1000, "10³"), (3162, "10³·⁵"), (10**7, "10⁷"), (4000, "4,000"), (100, "100")],
)
def test_episodes(value: int, expected: str) -> None:
    assert text.episodes(value) == expected


def test_lists() -> None:
    assert text.join_words(["a"]) == "a"
    assert text.join_words(["a", "b", "c"]) == "a, b and c"
    assert text.sentence(["one", "two"]) == "One; two."
    assert text.sentence([]) is None


def test_estimates() -> None:
    assert text.fixed_estimate(-0.5, -0.6, -0.4) == "−0.50 [−0.60, −0.40]"
    assert text.estimate(0.01492, 0.0146, 0.01513) == "0.0149 [0.0146, 0.0151]"


def test_shares_and_changes() -> None:
    assert text.percent(0.6) == "60%"
    assert text.percent(0.99951, 2) == "99.95%"
    assert [text.change(ratio) for ratio in (0.5, 1.1, 3.5)] == ["−50%", "+10%", "× 3.5"]


def test_intervals_have_level_and_seeds() -> None:
    several = text.intervals_over([0.9, 0.9], [5, 20])
    assert several == "90% intervals over 5 to 20 seeds"
    assert text.intervals_over([0.95], [3]) == "no intervals (3 seeds are too few)"
    assert text.intervals_over([0.95], [20]) == "95% intervals over 20 seeds"
