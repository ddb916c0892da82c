"""The evaluator's table: each experiment with its claims, cost, command, output and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from amg.base.text import duration, markdown_table
from amg.claims.entries import CLAIMS, Claim, read_claims
from amg.figures import FIGURES
from amg.study.config import CONFIG, read_config
from amg.study.study import Study
from amg.tables import TABLES

HEADER = ("experiment", "claims", "your minutes", "computing", "command", "output", "figures")
MINUTES_TO_START, MINUTES_TO_READ = 1, 3  # of a person: a command, a figure


@dataclass(frozen=True)
class Experiment:
    """A part of the study: the tables made from it, and the figures drawn from these tables."""

    name: str
    tables: list[str]
    figures: list[str]

    @property
    def command(self) -> str:
        """The command that makes its figures, and the tables that no figure needs."""
        drawn = {table for figure in self.figures for table in FIGURES[figure].tables}
        files = [f"figures/{name}.png" for name in self.figures]
        files += [f"results/tables/{name}.csv" for name in self.tables if name not in drawn]
        return " ".join(["snakemake -c all", *files])

    def seconds(self, study: Study, timing: pd.DataFrame) -> float:
        """Return the seconds of one core that its jobs took, without those that compile.

        A job that serves two experiments counts in both.
        """
        series = {one.name for one in study.experiment(self.name)}
        jobs = [
            job.name
            for job in study.jobs()
            if not series.isdisjoint(part.series.name for part in job.parts)
        ]
        own = {
            *((kind, job) for kind in ("train", "certify") for job in jobs),
            ("trace", self.name),  # the run of `mechanism`
            *(("table", name) for name in self.tables),
            *(("figure", name) for name in self.figures),
        }
        taken = timing.set_index(["kind", "job"])["seconds"]
        return float(taken[taken.index.isin(own)].sum())


def read_study(root: Path) -> Study:
    """Return the study of config/config.yaml."""
    return Study(*read_config([root / CONFIG]))


def experiments(study: Study) -> list[Experiment]:
    """Return the experiments that tables are made from; the first needs no training."""
    parts = []
    for name in (None, "mechanism", *study.config.experiments):
        tables = [table.name for table in TABLES.values() if table.experiment == name]
        drawn = [one.name for one in FIGURES.values() if not set(tables).isdisjoint(one.tables)]
        parts.append(Experiment(name or "no training", tables, drawn if name else []))
    return parts


def experiment_table(root: Path, timing: pd.DataFrame) -> str:
    """Return the table in Markdown; `timing` is the table of jobs that a study left."""
    study, claims = read_study(root), read_claims(root / CLAIMS)
    rows = [_row(experiment, study, claims, timing) for experiment in experiments(study)]
    total = ["everything", "all of them", _human(len(FIGURES)), _cost(timing["seconds"].sum())]
    rows.append([*total, "`make figures`", "all of `results/`", "[figures/](figures)"])
    return markdown_table(HEADER, rows, numbers=(2, 3))


def _row(
    experiment: Experiment, study: Study, claims: Sequence[Claim], timing: pd.DataFrame
) -> list[str]:
    titles = [claim.title for claim in claims if claim.table in experiment.tables]
    subjects = [TABLES[name].title for name in experiment.tables]
    return [
        f"`{experiment.name}`",
        "; ".join(titles) or f"none of the paper. {'; '.join(subjects)}",
        _human(len(experiment.figures)),
        _cost(experiment.seconds(study, timing)),
        f"`{experiment.command}`",
        ", ".join(f"`{name}.csv`" for name in experiment.tables),
        ", ".join(f"[{name}](figures/{name}.png)" for name in experiment.figures) or "–",
    ]


def _human(figures: int) -> str:
    return str(MINUTES_TO_START + MINUTES_TO_READ * max(figures, 1))


def _cost(seconds: float) -> str:
    return duration(seconds) if seconds else "–"  # a dash if it was not measured
