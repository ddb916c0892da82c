"""The evaluator's table: each experiment with its claims, cost, command, output and figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from amg.claims.entries import CLAIMS, Claim, read_claims
from amg.claims.entries import SCHEMA as CLAIMS_SCHEMA
from amg.config import CONFIG, SCHEMA, read_config
from amg.errors import FileError
from amg.figures import FIGURES
from amg.schema import load_schema, resolve
from amg.study import Study

HEADER = ("experiment", "claims", "your minutes", "computing", "command", "output", "figures")
TO_START, TO_READ = 1, 3  # minutes of a person: to start a command, to read a figure


@dataclass(frozen=True)
class Experiment:
    """A part of the study: the tables it gives, which claims are read from, and its figures."""

    name: str
    about: str  # said where no claim of the paper is read from it
    tables: tuple[str, ...]
    figures: tuple[str, ...] = ()

    @property
    def human(self) -> int:
        return TO_START + TO_READ * max(len(self.figures), 1)

    @property
    def command(self) -> str:
        drawn = [f"figure_{name}" for name in self.figures]
        return " ".join(["snakemake -c all", *(drawn or map(_table, self.tables))])


EXPERIMENTS = (
    Experiment("no training", "exact values of the games", ("references", "payoffs", "locality")),
    Experiment(
        "mechanism", "how stages follow the fluctuation", ("signal", "mechanism"), ("mechanism",)
    ),
    Experiment(
        "rewards",
        "what learners earn, and when",
        ("returns", "single_run", "stages", "restart"),
        ("agent_rewards", "average_reward", "three_algorithms"),
    ),
    Experiment(
        "exploration",
        "not in the paper: where independent Q stands depends on how it explores",
        ("exploration",),
        ("three_algorithms",),
    ),
    Experiment(
        "sample-complexity",
        "the equilibrium gap against K",
        ("gaps", "slopes", "theory", "coverage", "confidence"),
        ("sample_complexity", "confidence"),
    ),
    Experiment("agents", "the gap against the number of agents", ("agents", "agent_slopes")),
    Experiment("stall", "where the printed stage rule does not grow", ("growth",)),
)


def experiment_table(root: Path, timing: pd.DataFrame) -> str:
    """In Markdown; times are those of the study that left this table of jobs."""
    study = read_study(root)
    schema = load_schema(root / CLAIMS_SCHEMA)
    claims = claims_by_experiment(read_claims(root / CLAIMS, schema))
    rows = [
        [
            f"`{experiment.name}`",
            "; ".join(claims.get(experiment.name, [])) or experiment.about,
            str(experiment.human),
            _duration(seconds(experiment, study, timing)),
            f"`{experiment.command}`",
            ", ".join(f"`{name}.csv`" for name in experiment.tables),
            ", ".join(f"[{name}](figures/{name}.png)" for name in experiment.figures) or "–",
        ]
        for experiment in EXPERIMENTS
    ]
    total = _duration(timing["seconds"].sum())
    human = str(TO_START + TO_READ * len(FIGURES))
    every = ["everything", "all of them", human, total, "`make figures`", "all of `results/`"]
    rows.append([*every, "[figures/](figures)"])
    rule = ["---", "---", "---:", "---:", "---", "---", "---"]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [HEADER, rule, *rows])


def read_study(root: Path) -> Study:
    """The study as it is configured."""
    document = read_config([root / CONFIG])
    return Study(resolve(document, load_schema(root / SCHEMA)), root, document)


def seconds(experiment: Experiment, study: Study, timing: pd.DataFrame) -> float:
    """One core, to train and evaluate what it needs, shared or not, for its tables and figures."""
    needed = {
        (series.place, K) for series in study.experiment(experiment.name) for K in series.episodes
    }
    trained = {
        batch.name
        for batch in study.batches()
        if any((item.series.place, item.episodes) in needed for item in batch.items)
    } or {experiment.name}  # `mechanism` is a run of its own
    kind, job = timing["kind"], timing["job"]
    chosen = (
        ((kind == "train") & job.isin(trained))
        | ((kind == "certify") & job.str.startswith(f"{experiment.name}/"))
        | ((kind == "table") & job.isin(experiment.tables))
        | ((kind == "figure") & job.isin(experiment.figures))
    )
    return float(timing.loc[chosen, "seconds"].sum())


def claims_by_experiment(claims: Sequence[Claim]) -> dict[str, list[str]]:
    """Titles of the paper's claims, each with the experiment whose table it is read from."""
    owner = {table: experiment.name for experiment in EXPERIMENTS for table in experiment.tables}
    found = defaultdict(list)
    for claim in claims:
        if claim.table not in owner:
            raise FileError(
                f"{CLAIMS}: claim {claim.id}: no experiment of amg.artifact gives the table "
                f"{claim.table!r}; add it there"
            )
        found[owner[claim.table]].append(claim.title)
    return dict(found)


def _table(name: str) -> str:
    return f"results/tables/{name}.csv"


def _duration(seconds: float) -> str:
    """A dash for what was not measured."""
    if seconds == 0:
        return "–"
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.0f} s"
