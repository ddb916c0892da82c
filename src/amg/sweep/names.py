"""How a figure names the axes of a sweep and their values."""

import re

from amg.base.text import episodes
from amg.figures.style import game_title
from amg.game.library import BUILDERS
from amg.sweep.grid import Axis
from amg.sweep.table import AXES, axis_name


def value_title(axis: Axis, text: str) -> str:
    """Return the name of a value: 10⁵ for episodes, Fishermen Game for a game."""
    if axis.name == "episodes" and axis.numbers:
        return episodes(float(text))
    return game_title(text) if axis.name == "variant" and text in BUILDERS else text


def place_title(axis: Axis, text: str) -> str:
    """Return a value with its axis, unless the value says it all: K = 10⁵, schedule: linear."""
    value = value_title(axis, text)
    if axis.name == "variant":
        return value
    return f"{axis_name(axis.name)}{' =' if axis.numbers else ':'} {value}"


def drawn(text: str) -> str:
    """Return a text for matplotlib: λ_min has a subscript, and $ begins no formula."""
    marked = text.replace("$", r"\$")
    subscripts = "|".join(title for title in AXES.values() if "_" in title)
    return re.sub(rf"\b({subscripts})\b", _subscript, marked)


def _subscript(found: re.Match[str]) -> str:
    name, index = found[0].split("_")
    return rf"{name}$_\mathregular{{{index}}}$"
