"""Exact reference values as lines to compare rewards with."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from amg.figures.labels import label_ends
from amg.figures.palette import GREY
from amg.figures.sheet import Panel
from amg.figures.words import fixed

SHOWN = ("team optimum", "uniform play", "every CCE")


def known(references: pd.DataFrame, game: str) -> dict[str, float]:
    """The references of a game that figures show, averaged over agents."""
    rows = references[(references["game"] == game) & (references["agent"] == "average")]
    values = dict(zip(rows["reference"], rows["value"], strict=True))
    return {name: values[name] for name in SHOWN if name in values}


def draw_references(panel: Panel, references: Mapping[str, float]) -> None:
    """A line across the panel for each."""
    for name, value in references.items():
        panel.level(name, value)


def label_references(panel: Panel, references: Mapping[str, float], lines: int = 2) -> None:
    """Their names at the right of a panel whose axes are set, on two lines with their values."""
    names = {name: f"{name}\n{fixed(v)}" if lines == 2 else name for name, v in references.items()}
    label_ends(panel, [(references[name], text, GREY) for name, text in names.items()], lines)


def sentence(references: Mapping[str, float]) -> str:
    """The references in words."""
    return ", ".join(f"{name} {fixed(value)}" for name, value in references.items())
