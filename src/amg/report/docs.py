"""Generated parts of the documentation, so that no number in prose is typed by hand.

A page marks them as

    <!-- generated: NAME -->
    … replaced …
    <!-- end -->

`amg docs` (or `make docs`) writes them again. A test fails when a page has drifted. The evaluator's
table in ARTIFACT.md has a row for each experiment: claims, cost, and the files to look at.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd

from amg.base.errors import FileError
from amg.base.files import read_text, write_text
from amg.base.text import duration, join_words, markdown_table, raised
from amg.claims.entries import CLAIMS, Claim, ClaimsFile, read_claims
from amg.claims.evidence import SIGNS
from amg.claims.findings import headlines
from amg.claims.frozen import total
from amg.claims.judge import tally
from amg.claims.judgement import read_judged
from amg.exact import references
from amg.figures import FIGURES
from amg.game.format import GameFile
from amg.game.library import BUILDERS, build
from amg.inputs.models import Model, json_schema
from amg.multiverse.file import MultiverseFile
from amg.report.citation import CODEMETA, codemeta
from amg.report.keys import config_block
from amg.report.proof import regret_block, steps_block
from amg.study.account import TIMING
from amg.study.config import CONFIG, Config, read_config
from amg.study.study import Study
from amg.sweep.file import SweepFile
from amg.sweep.table import MEASURES
from amg.tables import BY_EXPERIMENT, GAMES, TABLES
from amg.tables.tidy import read_table

BLOCK = re.compile(r"(<!-- generated: (?P<name>[a-z -]+) -->\n)(?P<body>.*?)(<!-- end -->)", re.S)
SWEEP_COST = {
    "kind": str, "episodes": int, "jobs": int, "seconds": float, "startup": float, "peak_mib": float
}  # fmt: skip
_read = partial(read_text, largest=4 << 20)  # bytes of a page
Blocks = Mapping[str, Callable[[], str | None]]  # None leaves a block as it is
MODELS: dict[str, type[Model]] = {
    "config": Config,
    "claims": ClaimsFile,
    "sweep": SweepFile,
    "game": GameFile,
    "multiverse": MultiverseFile,
}
HEADER = ("experiment", "claims", "core time", "files")


def write_pages(root: Path) -> list[Path]:
    """Write every page, schema and codemeta.json if it has drifted, and return their paths."""
    written = {**pages(root), **schemas(root), root / CODEMETA: codemeta(root)}
    drifted = {
        path: text for path, text in written.items() if not path.exists() or _read(path) != text
    }
    for path, text in drifted.items():
        write_text(path, text)
    return list(drifted)


def pages(root: Path) -> dict[Path, str]:
    """Return every page with generated parts, as it should be."""
    return {path: refresh(_read(path), own, path) for path, own in blocks(root).items()}


def schemas(root: Path) -> dict[Path, str]:
    """Return the JSON schema of every kind of file that people write, for editors."""
    return {
        root / f"config/schemas/{name}.schema.json": json.dumps(
            json_schema(model), indent=2, ensure_ascii=False
        )
        + "\n"
        for name, model in MODELS.items()
    }


def blocks(root: Path) -> dict[Path, Blocks]:
    """Return what generates the parts of each page."""
    measures = "\n".join(f"- `{name}`: {measure.title}" for name, measure in MEASURES.items())
    judged = root / "figures/claims.json"
    timing = partial(_measured, root / "results/tables/timing.csv", TIMING)

    def cost_of(where: str, block: Callable[[pd.DataFrame], str]) -> Callable[[], str | None]:
        path = root / f"results/{where}/cost.csv"
        return lambda: _measured(path, SWEEP_COST, block)

    sweeps = sorted(file.stem for file in (root / "config/sweeps").glob("*.yaml"))
    return {
        **{
            root / f"docs/games/{name}.md": {"references": partial(reference_block, name)}
            for name in BUILDERS
        },
        root / "docs/multiverse.md": {
            "multiverse": partial(_read, root / "figures/multiverse/page.md"),
            "multiverse cost": cost_of("multiverse", cost_sentence),
        },
        root / "docs/confirmation.md": {
            "confirmation": partial(confirmation_block, judged),
            "confirmation cost": partial(
                _measured, root / "results/confirmation/tables/timing.csv", TIMING, cost_block
            ),
        },
        root / "config/README.md": {"config": config_block},
        root / "docs/proof.md": {"steps": steps_block, "regret": regret_block},
        root / "README.md": {
            "findings": lambda: raised(headlines(_read(root / "figures/findings.md"))),
            "claims": partial(claims_block, judged, "figures"),
            "cost": partial(timing, cost_block),
        },
        root / "docs/results.md": {
            "findings": lambda: raised(_read(root / "figures/findings.md")),
            "claims": partial(claims_block, judged, "../figures", full=True),
        },
        root / "ARTIFACT.md": {
            "experiments": partial(timing, partial(experiment_table, root)),
            "machine": partial(machine_block, root),
            "cost": partial(timing, cost_block),
        },
        root / "docs/sweeps.md": {
            **{name: partial(sweep_block, root / "figures/sweeps", name) for name in sweeps},
            "measures": lambda: measures,
            **{f"{name} cost": cost_of(f"sweeps/{name}", cost_sentence) for name in sweeps},
            "reach memory": cost_of("sweeps/reach", cost_by_episodes),
        },
    }


def refresh(text: str, own: Blocks, page: Path) -> str:
    """Return the page with every marked part generated again."""

    def generate(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in own:
            raise FileError(f"{page}: nothing generates {name!r}; there are {', '.join(own)}")
        body = own[name]()
        return match[0] if body is None else f"{match[1]}{body.strip()}\n{match[4]}"

    return BLOCK.sub(generate, text)


def reference_block(name: str) -> str:
    """Return the exact reference values of a game with its default parameters."""
    game = build(name)
    low, high = game.reward_range
    known = references(game)
    rows = [
        [row.label, f"{row.average:.6f}", *(f"{value:.6f}" for value in row.per_agent)]
        for row in known.rows
    ]
    sizes = (
        f"{game.N} agents, horizon {game.T}, at most {game.S} states a step and {game.A_max} "
        f"actions, rewards in [{low:g}, {high:g}]."
    )
    if known.equilibrium is not None:
        paid = ", ".join(f"{value:.6f}" for value in known.equilibrium)
        sizes += f" Every CCE pays {paid}."
    header = ["per episode", "average", *game.agents]
    return f"{sizes}\n\n{_numbers_table(header, rows)}"


def claims_block(path: Path, figures: str, full: bool = False) -> str:
    """Return a table of the claims and their verdicts; the full one has places and numbers."""
    header = ("claim", "verdict", "on new seeds and games", "holds in universes", "number")
    rows, judgement = [], read_judged(path)
    for claim in judgement.claims:
        place = f" ({claim.where})" if full else ""
        robust = claim.robustness.text if claim.robustness else "–"
        again = claim.confirmation.verdict if claim.confirmation else "–"
        row = (
            (f"[{claim.title}]({figures}/{claim.figure}.png)" if claim.figure else claim.title)
            + place,
            f"{SIGNS[claim.verdict]} {claim.verdict}",
            "the same" if again == claim.verdict else again,
            robust if full else robust.partition(" [")[0],
            claim.result,
        )
        rows.append([cell.replace("|", "\\|") for cell in (row if full else row[:-1])])
    table = markdown_table(header if full else header[:-1], rows)
    return raised(f"{table}\n\n{tally(judgement.claims)} {judgement.caution}" if full else table)


def confirmation_block(path: Path) -> str:
    """Return the exploratory and the confirmatory results of each claim side by side."""
    judgement = read_judged(path)
    rows = [
        (
            claim.title,
            f"**{claim.verdict}**<br>{claim.result}",
            f"**{claim.confirmation.verdict}**<br>{claim.confirmation.result}",
        )
        for claim in judgement.claims
        if claim.confirmation
    ]
    table = markdown_table(("claim", "exploratory", "confirmatory"), rows)
    digest = total(judgement.judged_by)
    return f"Status: **{judgement.status}**. Judged by `{digest[:12]}`.\n\n{table}"


def cost_block(jobs: pd.DataFrame) -> str:
    """Return what the study took when it was last run as a whole."""
    sums = jobs.groupby("kind", sort=False)["seconds"].sum()
    parts = ", ".join(f"{kind} {seconds:.0f} s" for kind, seconds in sums.items())
    return (
        f"The study took {sums.sum() / 60:.1f} core minutes ({parts}; of it "
        f"{jobs['startup'].sum():.0f} s start-up of {len(jobs)} jobs). More cores share them; the "
        f"longest job took {jobs['seconds'].max():.0f} s. A job needs "
        f"{jobs['peak_mib'].max():.0f} MiB at most."
    )


def machine_block(root: Path) -> str | None:
    """Return where the study ran, and what is on the disk after it; None if there was no study."""
    path = root / "results/provenance.json"
    if not path.exists():
        return None
    facts = json.loads(_read(path))
    machine = facts["machine"]
    studies = ("confirmation", "multiverse", "sweeps", "smoke")
    own = [x for x in (root / "results").iterdir() if x.name not in studies]
    sizes = [f"{_mebibytes(own):,} MiB in `results/`"]
    if (root / ".venv").exists():
        sizes.append(f"{_mebibytes([root / '.venv']):,} MiB in `.venv/`")
    return (
        f"Measured on {machine['cpu']} ({machine['cores']} cores, "
        f"{machine['memory_bytes'] / 2**30:.0f} GiB, {machine['system'].partition('-')[0]}, "
        f"{facts['python']}). On the disk afterwards: {join_words(sizes)}."
    )


def _mebibytes(places: Sequence[Path]) -> int:
    files = (file for place in places for file in (place, *place.rglob("*")) if file.is_file())
    return round(sum(file.stat().st_size for file in files) / 2**20)


def sweep_block(figures: Path, name: str) -> str:
    """Return what a sweep found, and its figure."""
    return f"{_read(figures / f'{name}.md')}\n![{name}](../figures/sweeps/{name}.png)"


def cost_sentence(jobs: pd.DataFrame) -> str:
    """Return what a sweep or the multiverse took when it was last run."""
    seconds = jobs.groupby("kind")["seconds"].sum()
    return (
        f"It took {jobs['seconds'].sum() / 60:.1f} minutes of one core (training "
        f"{seconds['train']:.0f} s, evaluation {seconds['certify']:.0f} s; of it "
        f"{jobs['startup'].sum():.0f} s start-up of {jobs['jobs'].sum()} jobs) and "
        f"{jobs['peak_mib'].max():.0f} MiB at most."
    )


def cost_by_episodes(jobs: pd.DataFrame) -> str:
    """Return time and memory of training against K."""
    rows = [
        [f"{row.episodes:,}", str(row.jobs), f"{row.seconds:.0f}", f"{row.peak_mib:.0f}"]
        for row in jobs[jobs["kind"] == "train"].itertuples()
    ]
    return _numbers_table(["K", "training jobs", "seconds in all", "peak MiB"], rows)


def _numbers_table(header: list[str], rows: list[list[str]]) -> str:
    return markdown_table(header, rows, numbers=range(1, len(header)))


def _measured(
    path: Path, columns: Mapping[str, type], block: Callable[[pd.DataFrame], str]
) -> str | None:
    """Return the block made from a table of the last study; None if there was no study."""
    return block(read_table(path, columns)) if path.exists() else None


@dataclass(frozen=True)
class Experiment:
    """A part of the study: the tables made from it, and the figures drawn from these tables."""

    name: str
    tables: list[str]
    figures: list[str]

    @property
    def files(self) -> list[str]:
        """Its figures, and the tables that no figure needs."""
        drawn = {table for figure in self.figures for table in FIGURES[figure].tables}
        tables = [name for name in self.tables if name not in drawn]
        return [*(f"figures/{x}.png" for x in self.figures),
                *(f"results/tables/{x}.csv" for x in tables)]  # fmt: skip

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
            ("table", self.name),
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
    for name in (GAMES, "mechanism", *study.config.experiments):
        tables = [table.name for table in BY_EXPERIMENT.get(name, [])]
        drawn = [one.name for one in FIGURES.values() if not set(tables).isdisjoint(one.tables)]
        parts.append(Experiment(name, tables, drawn if name != GAMES else []))
    return parts


def experiment_table(root: Path, timing: pd.DataFrame) -> str:
    """Return the table in Markdown; `timing` is the table of jobs that a study left."""
    study, claims = read_study(root), read_claims(root / CLAIMS)
    rows = [_row(experiment, study, claims, timing) for experiment in experiments(study)]
    total = ["everything", "all of them", _cost(timing["seconds"].sum())]
    rows.append([*total, "`make figures` makes all"])
    return markdown_table(HEADER, rows, numbers=(2,))


def _row(
    experiment: Experiment, study: Study, claims: Sequence[Claim], timing: pd.DataFrame
) -> list[str]:
    titles = [claim.title for claim in claims if claim.table in experiment.tables]
    subjects = [TABLES[name].title for name in experiment.tables]
    return [
        f"`{experiment.name}`",
        raised("; ".join(titles)) or f"none of the paper. {'; '.join(subjects)}",
        _cost(experiment.seconds(study, timing)),
        ", ".join(f"`{file}`" for file in experiment.files),
    ]


def _cost(seconds: float) -> str:
    return duration(seconds) if seconds else "–"  # a dash if it was not measured
