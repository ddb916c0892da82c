"""What axes, values and variants are called in a figure, and the colours of variants."""

from __future__ import annotations

import re
import textwrap
from typing import Any

from amg.figures import palette
from amg.figures.palette import BLUE, GREEN, ORANGE, SKY, VERMILION
from amg.figures.words import count
from amg.sweep.axes import Axis

NAMES = {  # as the paper writes them; others keep their names
    "episodes": "K (episodes)",
    "agents": "N (agents)",
    "horizon": "T (horizon)",
    "lambda_min": "λ_min",
    "cv_max": "CV_max",
    "mad_max": "MAD_max",
    "epsilon": "ε",
    "epsilon_end": "ε_end",
    "bonus": "bonus multiplier",
    "p": "p (failure probability)",
}
COLOURS = (BLUE, VERMILION, GREEN, ORANGE, SKY, *palette.AGENTS, *palette.SPARE)
MARKERS = "os^Dv"  # tell apart what has the same colour


def name(axis: str) -> str:
    """An axis in plain text."""
    return NAMES.get(axis, axis)


def symbol(axis: str) -> str:
    """An axis as short as can be, to stand before a value."""
    return min(name(axis).split(" (")[0], axis, key=len)


def drawn_name(axis: str) -> str:
    """An axis as matplotlib writes it: λ_min has a subscript."""
    if axis not in NAMES:
        return literal(axis)
    return re.sub(r"_(\w+)", r"$_\\mathregular{\1}$", NAMES[axis])


def literal(text: str) -> str:
    """A text of the file for matplotlib, which takes what stands between two $ for a formula."""
    return text.replace("$", r"\$")


def ticks(axis: Axis) -> list[str]:
    """The values as the file has them; numbers of episodes as everywhere in the figures."""
    if axis.name == "episodes" and axis.numbers is not None:
        powers = [count(number) for number in axis.numbers]
        round_ones = not any("," in word or word.isdecimal() for word in powers)
        return powers if round_ones else [f"{number:,.0f}" for number in axis.numbers]
    return [literal(text) for text in axis.texts]


def looks(variants: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Colour and marker: a learner of the study has its own colour, others what is left.

    The marker is one for all until colours repeat.
    """
    known = {v: palette.LEARNERS[v].colour for v in variants if v in palette.LEARNERS}
    left = [colour for colour in COLOURS if colour not in known.values()]
    found: dict[str, dict[str, Any]] = {}
    for variant, colour in known.items():
        found[variant] = {"color": colour, "marker": MARKERS[0]}
    for j, variant in enumerate(v for v in variants if v not in known):
        turn, place = divmod(j, len(left))
        found[variant] = {"color": left[place], "marker": MARKERS[turn % len(MARKERS)]}
    return found


def folded(text: str, length: float, character: float) -> str:
    """A text in as many lines as it takes along a side so long; formulas are left as they are."""
    return text if "$_" in text else "\n".join(textwrap.wrap(text, max(8, int(length / character))))
