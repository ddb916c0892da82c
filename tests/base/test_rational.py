"""Numbers as people write them are read exactly, and what is no number is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amg.base.rational import exact


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, Fraction(3)),
        (0.1, Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        ("2/3", Fraction(2, 3)),
        (" -1.50 ", Fraction(-3, 2)),
        ("1e-3", Fraction(1, 1000)),
        (".5", Fraction(1, 2)),
        (Fraction(5, 7), Fraction(5, 7)),
    ],
)
def test_exact_is_the_number_spelled(value: Any, number: Fraction) -> None:
    assert exact(value) == number


@pytest.mark.parametrize(
    "value",
    [
        *(True, None, [1], float("nan"), float("inf")),
        *("", "x", "1/0", "0x10", "1_000", "1:30", "1/2/3", "nan", "inf", "٣"),
        "1e999999999",  # would take for ever if it were computed
    ],
)
def test_exact_refuses_what_is_no_finite_number(value: Any) -> None:
    with pytest.raises(ValueError, match="number"):
        exact(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_exact_gives_every_float_back(value: float) -> None:
    assert float(exact(value)) == value
    assert float(exact(repr(value))) == value
