"""The list of figures. To add one: one entry here, and a module of the same name beside it.

A figure's module has two functions of the tables: `draw` returns the picture with its data,
`describe` the text of the long caption. The module is imported when the figure is drawn, so that
this list loads no drawing library.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from amg.tables import TABLES, Columns

if TYPE_CHECKING:
    from amg.figures.style import Sheet, Tables

SUFFIXES = ("pdf", "png", "csv", "md")  # of the files of each figure


@dataclass(frozen=True)
class Figure:
    """A figure of the study, drawn from tables and from nothing else."""

    name: str  # of its module in this package, and of its files
    title: str
    caption: str  # short text for Snakemake's report, a Jinja2 template over the facts `f`
    tables: tuple[str, ...]  # entries of amg.tables
    columns: Mapping[str, Columns] = field(default_factory=dict)  # more columns it needs, by table

    @property
    def module(self) -> str:
        """Return the full name of its module."""
        return f"{__package__}.{self.name}"

    def draw(self, tables: Tables) -> tuple[Sheet, str]:
        """Return the picture with its data, and the long caption."""
        from amg.figures.style import labels_of, styled

        module = import_module(self.module)
        with styled():
            sheet, caption = module.draw(tables), f"**{self.title}.** {module.describe(tables)}"
        words = " ".join([caption, *map(str, sheet.data["series"].unique())])
        return sheet, caption + labels_of(tables, words)

    def make(self, paths: Mapping[str, Path], stem: Path) -> None:
        """Draw it from table files and write stem.pdf, stem.png, stem.csv and stem.md (caption)."""
        from amg.base.files import write_text
        from amg.figures.style import save_picture
        from amg.tables.tidy import read_table, write_table

        tables = {
            name: read_table(paths[name], {**TABLES[name].columns, **self.columns.get(name, {})})
            for name in self.tables
        }
        sheet, caption = self.draw(tables)
        save_picture(sheet, stem)
        write_table(sheet.data, stem.with_name(f"{stem.name}.csv"))
        write_text(stem.with_name(f"{stem.name}.md"), f"{caption}\n")


_FIGURES = (
    Figure(
        "mechanism",
        "The adaptive stage mechanism",
        "One run of {{ f.mechanism.learner }} on {{ f.mechanism.game }} "
        "({{ f.mechanism.episodes }} episodes, seed {{ f.mechanism.seed }}): the "
        "aggregate, visit by visit, and how the fluctuation coefficient of each stage set the "
        "length of the next.",
        ("signal", "mechanism"),
    ),
    Figure(
        "agent_rewards",
        "Individual cumulative reward of the agents",
        "Rewards of the single agents: {{ f.single.learner }} on {{ f.single.game }}, "
        "K = {{ f.single.episodes }}. Left, one run with the ends of its stages; right, all "
        "long stages of all runs laid over each other, with {{ f.level }} intervals over "
        "{{ f.seeds }} seeds.",
        ("single_run", "stages", "restart"),
    ),
    Figure(
        "average_reward",
        "Average reward of the agents",
        "Mean reward of the agents over {{ f.experiments.rewards.episodes }} episodes on "
        "{{ f.experiments.rewards.games }}, with {{ f.level }} intervals over "
        "{{ f.seeds }} seeds, beside the exact values of the game (dashed).",
        ("returns", "references"),
    ),
    Figure(
        "three_algorithms",
        "Rewards of three algorithms, beside the equilibrium gap",
        "Rewards of {{ f.experiments.rewards.learners }} over "
        "{{ f.experiments.rewards.episodes }} episodes on "
        "{{ f.experiments.rewards.games }}, and reward beside equilibrium gap where "
        "independent Q-learning explores with {{ f.experiments.exploration.varied }}. "
        "{{ f.level }} intervals over {{ f.seeds }} seeds.",
        ("returns", "references", "exploration"),
        {"exploration": {"epsilon": float}},
    ),
    Figure(
        "sample_complexity",
        "Equilibrium gap against the number of episodes",
        "The exact equilibrium gap ε of {{ f.experiments['sample-complexity'].learners }} on "
        "{{ f.experiments['sample-complexity'].games }} for "
        "K = {{ f.experiments['sample-complexity'].episodes }}, with {{ f.level }} "
        "intervals over {{ f.seeds }} seeds. Slopes are fitted over the upper "
        "{{ f.decades }} decades; the theorem's rate is drawn for p = {{ f.p }}.",
        ("gaps", "slopes", "theory"),
    ),
    Figure(
        "baselines",
        "Algorithm 1 beside the V-learning that it builds on",
        "The equilibrium gap of {{ f.experiments.baselines.learners }} on "
        "{{ f.experiments.baselines.games }} at K = {{ f.experiments.baselines.episodes }}, with "
        "{{ f.level }} intervals over {{ f.experiments.baselines.seeds }} seeds, and of "
        "{{ f.experiments.floor.learners }} after as many iterations.",
        ("baselines", "floor"),
    ),
    Figure(
        "confidence",
        "The confidence lemma",
        "The confidence lemma. (a) The agents' bounds and the exact values in one run of "
        "{{ f.largest.learner }} on {{ f.largest.game }}, "
        "K = {{ f.largest.episodes }}, seed {{ f.largest.seed }}. (b) In how many runs the bounds "
        "say nothing, hold everywhere or fail, with the bonus and without it.",
        ("confidence", "coverage", "control"),
    ),
)
FIGURES: dict[str, Figure] = {figure.name: figure for figure in _FIGURES}


def drawn_by_shape(experiments: Iterable[str]) -> list[str]:
    """Return the experiments that none of these figures shows; `experiment.py` draws them."""
    shown = {TABLES[table].experiment for figure in _FIGURES for table in figure.tables}
    return [name for name in experiments if name not in shown]
