"""Numbers, lists and tables as text: the only module that decides how they look."""

import math
import re
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from fractions import Fraction

POWER = re.compile(r"\^([−-]?\d+(?:[./]\d+)*)")
SUPERSCRIPTS = str.maketrans("-.0123456789", "⁻·⁰¹²³⁴⁵⁶⁷⁸⁹")
MOST_NAMES = 20  # names of a long list that a message shows
FEWEST_SEEDS = 4  # that an interval needs; a mean of fewer stands alone


def number(value: float, digits: int = 3) -> str:
    """Return `value` with significant digits: 0.0149, 19.22, 1,080, −0.69, 1e+20."""
    large = 10 ** (digits - 1) <= abs(value) < 1e15
    return minus(f"{value:,.0f}" if large else f"{value:.{digits}g}")


def fixed(value: float, decimals: int = 2) -> str:
    """Return `value` with decimals: 19.20; never a negative zero."""
    return minus(f"{round(value, decimals) + 0.0:.{decimals}f}")


def significant(value: float, digits: int = 2) -> str:
    """Return `value` with significant digits and without an exponent: 0.0012."""
    if value == 0:
        return "0"
    return fixed(value, max(0, digits - 1 - math.floor(math.log10(abs(value)))))


def raised(text: str) -> str:
    """Return a text for HTML or Markdown in which the power of K^−1/2 is raised."""
    return POWER.sub(r"<sup>\1</sup>", text)


def compact(value: float, digits: int = 3) -> str:
    """Return `value` for a small cell: 0.0149, 12, −3, 1.2e−5; only exactly 0 reads "0"."""
    if math.isnan(value):
        return ""
    if value == int(value) and abs(value) < 1000:
        return minus(f"{value:.0f}")
    if 1e-3 <= abs(value) < 1e4:
        return significant(float(f"{value:.{digits - 1}e}"), digits)
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return minus(f"{mantissa}e{int(exponent)}")


def episodes(value: float) -> str:
    """Return a number of episodes: a (half) power of ten as 10⁵, others as 2,000."""
    halves = round(2 * math.log10(value))
    if halves >= 6 and int(value) == round(10 ** (halves / 2)):
        return f"10{f'{halves / 2:g}'.translate(SUPERSCRIPTS)}"
    return f"{int(value):,}"


def about(value: Fraction) -> str:
    """Return six digits of a number that may be too large or too small for a float: 4e+160."""
    quotient = Context(prec=6).divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{quotient.normalize():g}"


def interval(low: float, high: float, digits: int = 3) -> str:
    """Return [low, high] with significant digits; nothing if the ends are not known."""
    if math.isnan(low) or math.isnan(high):
        return ""
    return f"[{number(low, digits)}, {number(high, digits)}]"


def estimate(mean: float, low: float, high: float, digits: int = 3) -> str:
    """Return mean [low, high] with significant digits; the mean alone if that is all there is."""
    return f"{number(mean, digits)} {interval(low, high, digits)}".rstrip()


def fixed_estimate(mean: float, low: float, high: float, decimals: int = 2) -> str:
    """Return mean [low, high] with decimals; the mean alone if that is all there is."""
    if math.isnan(low) or math.isnan(high):
        return fixed(mean, decimals)
    return f"{fixed(mean, decimals)} [{fixed(low, decimals)}, {fixed(high, decimals)}]"


def percent(share: float, decimals: int = 0) -> str:
    """Return a share as a percentage: 60%, 99.95%."""
    return minus(f"{share:.{decimals}%}")


def intervals_over(levels: Iterable[float], seeds: Iterable[int]) -> str:
    """Return "95% intervals over 5 to 20 seeds" for a caption."""
    numbers = sorted(set(seeds))
    runs = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    if numbers[-1] < FEWEST_SEEDS:
        return f"no intervals ({runs} seeds are too few)"
    names = join_words(f"{100 * level:g}%" for level in sorted(set(levels)))
    return f"{names} intervals over {runs} seeds"


def change(ratio: float) -> str:
    """Return a ratio as a change: +10%; a large one as a factor: × 3.5."""
    return minus(f"{ratio - 1:+.0%}") if ratio < 3 else f"× {number(ratio)}"


def duration(seconds: float) -> str:
    """Return a duration: 58 s, 7.9 min, 1.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def minus(text: str) -> str:
    """Return the text with true minus signs."""
    return text.replace("-", "−")


def join_words(words: Iterable[str]) -> str:
    """Return "a, b and c"."""
    items = list(words)
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def choices(names: Iterable[str]) -> str:
    """Return "a, b, c" for a message; of a long list only the beginning."""
    items = list(names)
    more = len(items) - MOST_NAMES
    return ", ".join(items) if more <= 0 else f"{', '.join(items[:MOST_NAMES])} and {more} more"


def quote(value: object, longest: int = 60) -> str:
    """Return the value for a message, in quotation marks and cut to `longest` characters."""
    text = repr(value)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def sentence(parts: Sequence[str]) -> str | None:
    """Return one sentence made of the parts, or None if there are none."""
    text = "; ".join(parts)
    return f"{capitalise(text)}." if text else None


def capitalise(text: str) -> str:
    """Return the text with a capital first letter; all others stay as they are."""
    return text[:1].upper() + text[1:]


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table: the first column aligned left, the others right."""
    first, *others = (max(map(len, column)) for column in zip(header, *rows, strict=True))
    return [
        "  ".join([row[0].ljust(first), *map(str.rjust, row[1:], others)]).rstrip()
        for row in [header, *rows]
    ]


def markdown_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], numbers: Iterable[int] = ()
) -> str:
    """Return a table in Markdown; the columns `numbers` are aligned right."""
    right = set(numbers)
    rule = ["---:" if j in right else "---" for j in range(len(header))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, rule, *rows])


def columns_of_numbers(rows: Sequence[Sequence[float]]) -> list[list[str]]:
    """Return numbers of one unit with six decimals, or six digits where decimals say nothing."""
    largest = max((abs(x) for row in rows for x in row), default=0.0)
    style = ".6f" if largest == 0 or 1e-3 <= largest < 1e9 else ".6g"
    return [[f"{x:{style}}" for x in row] for row in rows]
