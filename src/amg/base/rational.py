"""Numbers as people write them: decimals and fractions, read exactly."""

import re
from fractions import Fraction

Number = int | float | Fraction | str
# Plain decimals and fractions. The bound on the exponent keeps "1e999999999" from being computed.
SPELLING = re.compile(r"[+-]?(\d+/\d+|(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?)", re.ASCII)


def exact(value: Number) -> Fraction:
    """The rational number that `value` spells: 0.1 is one tenth, "2/3" is two thirds."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction | str):
        raise ValueError(f"{value!r} is not a number")
    if isinstance(value, int | Fraction):
        return Fraction(value)
    text = str(value).strip()
    if not SPELLING.fullmatch(text) or re.search(r"/0+$", text):
        raise ValueError(f"{value!r} is not a finite number")
    return Fraction(text)


def whole_or_text(text: str) -> int | str:
    """Return a whole number as one, and any other text as it was written: 1e3 is 1000."""
    try:
        value = exact(text)
    except ValueError:
        return text
    return int(value) if value.denominator == 1 else text
