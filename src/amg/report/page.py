"""Read what the claims page shows from the files of a finished study.

---
The claims page: one HTML file without scripts that needs no network and can be mailed.

The layout is templates/page.html.j2 and templates/page.css. Here are the numbers that it shows.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from amg.base import VERSION
from amg.base.errors import FileError
from amg.base.files import read_bytes, read_text, write_text
from amg.base.text import fixed
from amg.claims.evidence import SIGNS, THRESHOLDS
from amg.claims.judge import JudgedClaim, read_judged
from amg.figures import FIGURES
from amg.report import prose
from amg.report.captions import MANY
from amg.results import run_file
from amg.study.timing import TIMING
from amg.tables import TABLES
from amg.tables.tidy import read_table

LARGEST = 64 << 20  # bytes of a file
PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Picture:
    """One figure: the picture, its caption in Markdown and the data in it."""

    name: str
    number: int
    title: str
    caption: str
    png: bytes
    csv: bytes

    @property
    def size(self) -> tuple[int, int]:
        """Width and height on the page: half the pixels, so that it is sharp on dense screens."""
        if self.png[:8] != PNG:
            raise FileError(f"{self.name}.png: is not a PNG; draw it again")
        width, height = (int.from_bytes(self.png[at : at + 4], "big") for at in (16, 20))
        return width // 2, height // 2

    @property
    def text(self) -> str:
        """The caption without the title that it begins with."""
        return self.caption.removeprefix(f"**{self.title}.**").strip()

    @property
    def rows(self) -> int:
        """Number of rows of data, without the header."""
        return max(self.csv.count(b"\n") - 1, 0)


@dataclass(frozen=True, eq=False)
class Material:
    """Everything on the page."""

    claims: Sequence[JudgedClaim]
    pictures: Sequence[Picture]
    references: pd.DataFrame
    timing: pd.DataFrame
    findings: str  # Markdown
    deviations: str  # Markdown
    config: str  # YAML, every default filled in
    facts: Mapping[str, Any]  # of amg.report.captions
    versions: Mapping[str, str]
    machine: Mapping[str, str]


def read_material(files: Mapping[str, Sequence[Path]], facts: Mapping[str, Any]) -> Material:
    """Read the files of a study.

    Parameters
    ----------
    files
        Lists of files: `figures`, all in one directory, and lists of one file under `claims`,
        `findings`, `references`, `timing`, `provenance`, `config` and `deviations`.
    facts
        The facts of `amg.report.captions`.
    """
    file = {name: paths[0] for name, paths in files.items()}
    versions, machine = read_provenance(file["provenance"])
    return Material(
        claims=read_judged(file["claims"]),
        pictures=read_pictures(file["figures"].parent),
        references=read_table(file["references"], TABLES["references"].columns),
        timing=read_table(file["timing"], TIMING),
        findings=read_text(file["findings"], LARGEST),
        deviations=read_text(file["deviations"], LARGEST),
        config=read_text(file["config"], LARGEST),
        facts=facts,
        versions=versions,
        machine=machine,
    )


def read_pictures(directory: Path) -> list[Picture]:
    """Return every figure of the study, in order."""
    return [
        Picture(
            name=name,
            number=number,
            title=figure.title,
            caption=read_text(directory / f"{name}.md", LARGEST),
            png=read_bytes(directory / f"{name}.png", LARGEST),
            csv=read_bytes(directory / f"{name}.csv", LARGEST),
        )
        for number, (name, figure) in enumerate(FIGURES.items(), 1)
    ]


def read_provenance(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return the versions and the machine that a study ran with, each by name."""
    text = read_text(path, LARGEST)
    try:
        facts = json.loads(text)
        package, git, machine = facts["package"], facts["git"], facts["machine"]
        memory = machine["memory_bytes"]
        versions = {
            "amg-replication": package["version"],
            "digest of its sources": package["source"],
            "commit": git and git["commit"] + (", with changes" if git["dirty"] else ""),
            "format of result files": f"{run_file.KIND}, version {run_file.VERSION}",
            "Python": facts["python"],
            **facts["libraries"],
        }
        where = {
            "processor": machine["cpu"],
            "architecture": machine["architecture"],
            "cores": machine["cores"],
            "memory": memory and f"{memory / 2**30:.1f} GiB",
            "system": machine["system"],
            "date of the study": facts["date"],
        }
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise FileError(f"{path}: is not a provenance file ({error!r}); make it again") from None
    return _known(versions), _known(where)


def _known(facts: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(fact) for name, fact in facts.items() if fact is not None}


# ===== report/page

SECTIONS = {
    "claims": "Claims and verdicts",
    "findings": "What was found",
    "figures": "Figures and their data",
    "references": "Exact reference values",
    "parameters": "Parameters and seeds",
    "environment": "Versions and machine",
    "cost": "Run time and memory",
    "deviations": "Where the paper is open or wrong",
}


def write_page(files: Mapping[str, Sequence[Path]], facts: Mapping[str, Any], to: Path) -> None:
    """Write the page of a study; `read_material` explains the files and facts."""
    write_text(to, render(read_material(files, facts)))


def render(material: Material) -> str:
    """Return the page."""
    counts = Counter(claim.verdict for claim in material.claims)
    template = _environment().get_template("page.html.j2")
    return template.render(
        vars(material),
        version=VERSION,
        sections=SECTIONS,
        signs=SIGNS,
        thresholds=THRESHOLDS,
        counts={verdict: counts[verdict] for verdict in SIGNS if counts[verdict]},
        numbers={picture.name: picture.number for picture in material.pictures},
        shows=material.facts["figures"],
        averages=_averages(material.references),
        reference_tables=list(_reference_tables(material.references)),
        experiments=_rows(material.facts["experiments"]),
        learners=[_learner(*item) for item in material.facts["parameters"].items() if item[1]],
        games=_rows(material.facts["sizes"]),
        steps=[_cost(*group) for group in material.timing.groupby("kind", sort=False)],
        total=_cost("all", material.timing),
        jobs=[_job(row) for row in material.timing.itertuples()],
        deviations=re.sub(r"\A# .*\n", "", material.deviations),  # the section has a title
    )


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("amg.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(markdown=prose.render, inline=prose.inline, anchor=anchor)
    environment.filters["base64"] = lambda data: b64encode(data).decode()
    return environment


def anchor(claim: JudgedClaim) -> str:
    """Return the id of a claim's article."""
    return "claim-" + re.sub(r"[^\w.-]+", "-", claim.id)


def _averages(references: pd.DataFrame) -> dict[str, str]:
    """Return the mean reference values over agents of each game, in one line."""
    rows = references[references["agent"] == "average"]
    return {
        str(game): ", ".join(f"{row.reference} {fixed(row.value, 4)}" for row in group.itertuples())
        for game, group in rows.groupby("game", sort=False)
    }


def _reference_tables(references: pd.DataFrame) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield the game, the header and the rows of each table of reference values."""
    for game, rows in references.groupby("game", sort=False):
        wide = rows.pivot(index="reference", columns="agent", values="value")
        wide = wide.loc[rows["reference"].unique(), rows["agent"].unique()]
        if wide.shape[1] > MANY + 1:  # too many agents to name
            each = wide.drop(columns="average")
            wide = wide[["average"]].assign(least=each.min(axis=1), most=each.max(axis=1))
        body = [
            [str(name), *("–" if pd.isna(value) else fixed(value, 4) for value in values)]
            for name, values in zip(wide.index, wide.to_numpy(), strict=True)
        ]
        yield str(game), ["reference", *map(str, wide.columns)], body


def _rows(facts: Mapping[str, Mapping[str, str]]) -> list[list[str]]:
    return [[name, *values.values()] for name, values in facts.items()]


def _learner(label: str, parameters: Mapping[str, str]) -> list[Any]:
    settings = [f"{key} = {value}" for key, value in parameters.items() if key != "algorithm"]
    return [label, parameters["algorithm"], settings]


def _cost(kind: object, jobs: pd.DataFrame) -> list[str]:
    sums = (f"{jobs[column].sum():,.1f}" for column in ("seconds", "startup"))
    return [str(kind), f"{len(jobs):,}", *sums, _peak(jobs["peak_mib"].max())]


def _job(row: Any) -> list[str]:
    times = fixed(row.seconds, 1), fixed(row.startup, 1)
    return [f"{row.kind}/{row.job}", *times, _peak(row.peak_mib)]


def _peak(mib: float) -> str:
    return "–" if pd.isna(mib) else f"{mib:,.0f}"
