"""Figures: one module each, drawn from tidy tables alone. This registry is all the workflow needs.

Importing it loads no drawing library; a figure's module is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    Tables = Mapping[str, pd.DataFrame]

SUFFIXES = ("pdf", "png", "csv", "md")  # of the files each figure is made of


@dataclass(frozen=True)
class FigureSpec:
    """What a figure is called and which columns of which tables it draws.

    `rewards` are those on linear axes, which are drawn in a unit that can be shown (`units`).
    """

    name: str
    title: str
    tables: Mapping[str, tuple[str, ...]]
    rewards: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def module(self) -> str:
        return f"{__name__}.{self.name}"

    def read(self, paths: Mapping[str, Path]) -> dict[str, pd.DataFrame]:
        """Its tables, each checked to have the columns that are drawn."""
        from amg.analysis.tables import read_table

        return {name: read_table(paths[name], columns) for name, columns in self.tables.items()}

    def draw(self, tables: Tables) -> tuple[Figure, pd.DataFrame]:
        """The figure, and the data in it."""
        from amg.figures import units

        n = units.power(tables, self.rewards)
        figure, data = self._load().draw(units.in_units(tables, self.rewards, n))
        units.say(figure, n)
        return figure, data

    def caption(self, tables: Tables) -> str:
        """What it shows, with every number computed from the tables."""
        from amg.figures import units

        n = units.power(tables, self.rewards)
        text: str = self._load().caption(units.in_units(tables, self.rewards, n))
        return f"{text} {units.sentence(n)}".rstrip()

    def make(self, paths: Mapping[str, Path], stem: Path) -> None:
        """Draw it from these files, to stem.pdf, stem.png, stem.csv and (the caption) stem.md."""
        from amg.archive import write_bytes
        from amg.figures.style import save_figure

        tables = self.read(paths)
        figure, data = self.draw(tables)
        save_figure(figure, stem, data)
        page = f"**{self.title}.** {self.caption(tables)}\n"
        write_bytes(stem.with_name(f"{stem.name}.md"), page.encode())

    def _load(self) -> ModuleType:
        return importlib.import_module(self.module)


ESTIMATE = ("mean", "low", "high")
INTERVAL = (*ESTIMATE, "seeds", "level")
REFERENCES = ("game", "reference", "agent", "value")
RETURNS = ("game", "learner", "algorithm", "agent", "episode", *INTERVAL)

FIGURES: dict[str, FigureSpec] = {
    spec.name: spec
    for spec in (
        FigureSpec(
            "mechanism",
            "The adaptive stage mechanism",
            {
                "signal": ("episode", "aggregate", "stage"),
                "mechanism": (
                    "stage", "last_episode", "length", "coefficient", "mean", "deviation", "run",
                ),
            },
        ),
        FigureSpec(
            "agent_rewards",
            "Individual cumulative reward of the agents",
            {
                "single_run": ("agent", "episode", "return"),
                "stages": ("step", "state", "episode", "length", "run"),
                "restart": ("position", "measure", *INTERVAL),
            },
            rewards={"single_run": ("return",), "restart": ESTIMATE},
        ),
        FigureSpec(
            "average_reward",
            "Average reward of the agents",
            {"returns": RETURNS, "references": REFERENCES},
            rewards={"returns": ESTIMATE, "references": ("value",)},
        ),
        FigureSpec(
            "three_algorithms",
            "Rewards of three algorithms, beside the equilibrium gap",
            {
                "returns": RETURNS,
                "references": REFERENCES,
                "exploration": ("game", "learner", "epsilon", "measure", *INTERVAL),
            },
            rewards={"returns": ESTIMATE, "references": ("value",), "exploration": ESTIMATE},
        ),
        FigureSpec(
            "sample_complexity",
            "Equilibrium gap against the number of episodes",
            {
                "gaps": ("game", "learner", "episodes", "measure", *INTERVAL),
                "slopes": (
                    "game", "learner", "measure", "slope", "low", "high", "from", "to", "level",
                ),
                "theory": ("game", "learner", "episodes", "measure", "rate", "constant", "p"),
            },
        ),
        FigureSpec(
            "confidence",
            "The confidence lemma",
            {
                "confidence": ("agent", "bound", "episode", "value", "run"),
                "coverage": (
                    "game", "learner", "episodes", "lower", "upper", "runs", "runs_holding",
                ),
            },
            rewards={"confidence": ("value",)},
        ),
    )
}  # fmt: skip
