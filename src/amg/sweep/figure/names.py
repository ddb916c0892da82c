"""What axes, values and variants are called in a figure, and the colours of variants."""

from __future__ import annotations

import re

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
    """The same without its explanation, to stand before a value."""
    return name(axis).split(" (")[0]


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
        round_ones = all(word.startswith("10") and not word.isdigit() for word in powers)
        return powers if round_ones else [f"{number:,.0f}" for number in axis.numbers]
    return [literal(text) for text in axis.texts]


def colours(variants: tuple[str, ...]) -> dict[str, str]:
    """A learner of the study has its own colour, every other variant one that is left."""
    known = {v: palette.LEARNERS[v].colour for v in variants if v in palette.LEARNERS}
    left = [colour for colour in COLOURS if colour not in known.values()]
    others = [v for v in variants if v not in known]
    return known | {v: left[j % len(left)] for j, v in enumerate(others)}


def markers(variants: tuple[str, ...]) -> dict[str, str]:
    """One marker for all, until colours repeat."""
    return {v: MARKERS[j // len(COLOURS) % len(MARKERS)] for j, v in enumerate(variants)}
