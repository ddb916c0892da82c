"""Checks of builders' parameters: the value, or one line that says what it must be."""

from __future__ import annotations

from fractions import Fraction

from amg.errors import ParameterError
from amg.numbers import Number, exact

MOST = 1000  # agents or steps; a typing error of a few digits should not fill the memory


def whole(game: str, name: str, value: int, least: int) -> int:
    """`value` if it is an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
        raise ParameterError(
            f"{game}: {name} must be an integer from {least} to {MOST}, not {value!r}"
        )
    return value


def between(game: str, name: str, value: Number, low: int, high: int) -> Fraction:
    """The number that `value` spells if it lies strictly between `low` and `high`."""
    try:
        number = exact(value)
    except ValueError:
        number = None
    if number is None or not low < number < high:
        raise ParameterError(
            f"{game}: {name} must be a number above {low} and below {high}, such as "
            f'0.5 or "2/3", not {value!r}'
        )
    return number
