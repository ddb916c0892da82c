"""A finished study as one file to publish: a Provenance Run RO-Crate (docs/crate.md).

The crate holds the project and the results of one study. Here is what that is: the files, the jobs
that made them from others, and what is known of the study. `crate_metadata.py` puts it in the words
of RO-Crate. The same study gives the same bytes.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from amg.base.errors import FileError
from amg.base.files import read_bytes
from amg.claims.entries import CLAIMS, JUDGED_FROM
from amg.claims.judgement import Judgement, read_judged
from amg.figures import FIGURES, SUFFIXES, drawn_by_shape
from amg.report.citation import CITATION, CODEMETA, Facts, read_citation
from amg.report.page import read_provenance
from amg.results.archive import LARGEST
from amg.results.crate_file import METADATA, write
from amg.study.config import read_config
from amg.study.plan import by_game
from amg.study.study import Study
from amg.tables import BY_EXPERIMENT, BY_SHAPE
from amg.tables.needs import Places, table_files

PROJECT = (  # what is in the crate beside the results
    ".ci", ".dockerignore", ".github", ".gitignore", ".snakemake-workflow-catalog.yml",
    ".test/config", "ARTIFACT.md", "CHANGELOG.md", CITATION, "Dockerfile", "LICENSE", "Makefile",
    "README.md", "Snakefile", CODEMETA, "config", "docs", "environment.yml", "examples", "figures",
    "profiles", "pyproject.toml", "reference", "requirements.lock", "src", "tests", "workflow",
)  # fmt: skip
LEFT_OUT = ("__pycache__", ".egg-info")  # what programs leave, beside hidden files


class Job(NamedTuple):
    """A job of the study, and the files that it made from others."""

    step: str
    name: str
    inputs: Sequence[str]
    outputs: Sequence[str]


class Content(NamedTuple):
    """What a crate is made from."""

    files: Mapping[str, bytes]
    results: str  # the directory
    jobs: Sequence[Job]
    judgement: Judgement
    provenance: Any  # of amg.study.account
    citation: Facts


def write_crate(root: Path, results: str) -> Path:
    """Write the crate of the study that a project has in the directory `results`."""
    from amg.report.crate_metadata import describe  # needs a library that is not always there

    content = read_content(root, results)
    try:
        metadata = describe(content)
    except (KeyError, TypeError) as error:
        raise FileError(
            f"{root / results}: its provenance.json, or {CITATION}, lacks {error}; make it again"
        ) from None
    text = json.dumps(metadata, indent=1, sort_keys=True, ensure_ascii=False)
    path = root / results / "crate.zip"
    write(path, {**content.files, METADATA: f"{text}\n".encode()})
    return path


def read_content(root: Path, results: str) -> Content:
    """Read a finished study and its project."""
    places = Places(results)
    config, document = read_config([_existing(root, f"{results}/config.yaml")])
    if config.results != results:
        raise FileError(
            f"{root / results}: is the directory of another study, {config.results!r}; name that"
        )
    done = list(jobs(root, Study(config, document), places, config.figures))
    facts = [f"{results}/config.yaml", f"{results}/provenance.json", places.table("timing")]
    page = f"{results}/report/claims.html"
    names = [*facts, *(name for job in done for name in (*job.inputs, *job.outputs))]
    names += [page] if (root / page).exists() else []
    paths = {name: _existing(root, name) for name in names} | dict(project_files(root))
    if sum(path.stat().st_size for path in paths.values()) > LARGEST:
        raise FileError(
            f"{root / results}: has more than {LARGEST >> 30} GiB, the limit of a crate"
        )
    return Content(
        files={name: read_bytes(paths[name], LARGEST) for name in sorted(paths)},
        results=results,
        jobs=done,
        judgement=read_judged(root / config.figures / "claims.json"),
        provenance=read_provenance(root / results / "provenance.json"),
        citation=read_citation(root),
    )


def jobs(root: Path, study: Study, places: Places, figures: str) -> Iterator[Job]:
    """Yield the jobs of a study in the order of the workflow."""
    trained = study.jobs()
    for job in trained:
        yield Job("train", job.name, [], [places.runs(job.name)])
    yield Job("trace", "mechanism", [], [places.trace])
    for game, own in by_game(trained).items():
        runs = [places.runs(job.name) for job in own]
        yield Job("certify", game, runs, [places.evaluation(game)])
    for experiment, tables in BY_EXPERIMENT.items():
        needed = {path for paths in table_files(study, places, *tables).values() for path in paths}
        made = [places.table(table.name) for table in tables]
        yield Job("table", experiment, sorted(needed), made)
    for name, figure in FIGURES.items():
        drawn = [f"{figures}/{name}.{suffix}" for suffix in SUFFIXES]
        yield Job("figure", name, [places.table(table) for table in figure.tables], drawn)
    for name in drawn_by_shape(study.config.experiments):
        needs = table_files(study, places, replace(BY_SHAPE, experiment=name))
        drawn = [f"{figures}/experiments/{name}.{suffix}" for suffix in SUFFIXES]
        yield Job(
            "experiment", name, needs["evaluations"], [places.table(f"experiments/{name}"), *drawn]
        )
    beside = [f"{figures}/multiverse/shares.json", f"{figures}/confirmation/claims.json"]
    judged_from = [places.table(name) for name in JUDGED_FROM]
    judged_from += [str(CLAIMS), *(name for name in beside if (root / name).exists())]
    said = [f"{figures}/claims.json", f"{places.results}/claims.md", f"{figures}/findings.md"]
    yield Job("claims", "claims", judged_from, said)


def project_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of the project, each with its name in the crate."""
    tops = [root / name for name in PROJECT if (root / name).exists()]
    for path in (path for top in tops for path in (top, *top.rglob("*"))):
        name = path.relative_to(root)
        below = name.parts[1:]
        if path.is_file() and not any(p.startswith(".") or p.endswith(LEFT_OUT) for p in below):
            yield name.as_posix(), path


def _existing(root: Path, name: str) -> Path:
    if not (root / name).exists():
        raise FileError(f"{root / name}: does not exist; finish the study first (`make figures`)")
    return root / name
