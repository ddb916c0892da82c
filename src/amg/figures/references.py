"""Exact reference values as lines to compare rewards with."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from amg.figures.palette import GREY
from amg.figures.sheet import Panel, label_ends
from amg.figures.words import fixed

SHOWN = ("team optimum", "uniform play", "every CCE")


def known(references: pd.DataFrame, game: str) -> dict[str, float]:
    """The references of a game that figures show, averaged over agents."""
    rows = references[(references["game"] == game) & (references["agent"] == "average")]
    values = dict(zip(rows["reference"], rows["value"], strict=True))
    return {name: values[name] for name in SHOWN if name in values}


def draw_references(panel: Panel, values: Mapping[str, float]) -> None:
    """A line for each, named at the right of the panel."""
    for name, value in values.items():
        panel.level(name, value, linestyle=(0, (5, 2)))
    label_ends(panel, [(v, f"{n}\n{fixed(v)}", GREY) for n, v in values.items()], lines=2)


def sentence(values: Mapping[str, float]) -> str:
    """The references in words."""
    return ", ".join(f"{name} {fixed(value)}" for name, value in values.items())
