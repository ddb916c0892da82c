"""Evaluate run files again, from the files alone, and compare with the recorded numbers.

The numbers of a study's `runs/GAME/….npz` are recorded in its `evaluations/GAME.csv`, a row a run.
Those of other files are in a table `values.csv` beside them, which names the file of each row. A
file without recorded numbers is only evaluated. Nothing is trained, no training code is loaded.
Of a crate, a `.zip` of `amg crate`, first the SHA-256 of every file is compared.
Prints what is wrong, and a summary. The exit code is 1 if a file differs, is damaged or missing.

With --record, a few runs of a finished study and their numbers are first written to reference/: for
each game and K of `sample-complexity` the run of the first V-learner with seed 1.
"""

import argparse
import hashlib
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd

from amg.base.errors import AmgError, FileError
from amg.base.files import printable
from amg.process.terminal import Progress
from amg.results.crate_file import unpack
from amg.results.evaluate import measures
from amg.results.run import Run
from amg.results.run_file import load_runs, save_runs
from amg.tables.tidy import EVALUATIONS, read_table, write_table

REFERENCE = Path("reference")
VALUES = "values.csv"  # the table of recorded numbers in a directory of runs
EXPERIMENT, SEED = "sample-complexity", 1  # the runs that are recorded
TOLERANCE = 1e-9  # of the range of an episode's return; other processors round differently


class Verdict(NamedTuple):
    """The result for one file."""

    word: str  # ok, unrecorded, differs, damaged or missing
    reason: str = ""
    runs: int = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the files."""
    text = f"run files, directories of them, or crates; default {REFERENCE}"
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help=text)
    text = f"first write the reference data of this finished study to {REFERENCE}"
    parser.add_argument("--record", type=Path, metavar="RESULTS", help=text)


def run(options: argparse.Namespace) -> int:
    """Print what is wrong with the files, and a summary; return 1 if something is wrong."""
    if options.record:
        record(options.record)
    given = options.paths or [REFERENCE]
    with ExitStack() as scratch:
        crates = {
            path: scratch.enter_context(TemporaryDirectory(prefix="amg-"))
            for path in given
            if path.suffix == ".zip"
        }
        wrong = [check_crate(path, Path(place)) for path, place in crates.items()]
        paths = [Path(crates.get(path, path)) for path in given]
        code = verify(paths, {place: str(path) for path, place in crates.items()})
    return max([code, *wrong])


def check_crate(path: Path, place: Path) -> int:
    """Unpack a crate, and print which files are not as it says; return 1 if there are any."""
    reasons = unpack(path, place)
    wrong = {name: reason for name, reason in reasons.items() if reason}
    for name, reason in wrong.items():
        print(f"{printable(Path(f'{path}/{name}'))}: differs: {reason}", file=sys.stderr)
    right = len(reasons) - len(wrong)
    print(f"{printable(path)}: {right:,} of {len(reasons):,} files have the recorded SHA-256")
    return int(bool(wrong))


def verify(paths: Sequence[Path], names: Mapping[str, str]) -> int:
    """Verify the files at these paths; `names` says how directories are called in messages."""
    files = [file for path in paths for file in find_files(path)]
    counts: Counter[str] = Counter()
    runs = code = 0
    progress = Progress(len(files), "evaluating", unit="files")
    show = progress if progress.line.terminal else lambda done: None  # a log gets no progress
    show(0)
    for done, file in enumerate(files, start=1):
        verdict = verify_file(file)
        counts[verdict.word] += 1
        runs += verdict.runs
        if verdict.reason:
            problem = f"{printable(file)}: {verdict.word}: {verdict.reason}"
            for place, name in names.items():
                problem = problem.replace(place, name)
            progress.line.print(problem)
            code = 1
        show(done)
    progress.line.clear()
    words = ", ".join(f"{number:,} {word}" for word, number in counts.items())
    print(
        f"{runs:,} runs in {len(files):,} files: {words} "
        f"(ok: as recorded, to {TOLERANCE:g} of the range of an episode's return)"
    )
    return code


def find_files(path: Path) -> list[Path]:
    """Return a run file, or the run files in a directory and those that its tables name."""
    if not path.is_dir():
        return [path]
    named = [table.parent / name for table in path.rglob(VALUES) for name in read_values(table)]
    files = sorted({*path.rglob("*.npz"), *named})
    if not files:
        raise FileError(f"{path}: holds no run files; name another directory")
    return files


def read_values(table: Path) -> dict[str, dict[str, Any]]:
    """Return the rows of a table `values.csv` by the name of their file, without directories."""
    frame = read_table(table, {"file": str, "max_gap": float})
    return {Path(str(row["file"])).name: row for row in frame.to_dict("records")}


def recorded_rows(file: Path) -> list[dict[str, Any]] | None:
    """Return the recorded numbers of a file, one row per run, or None."""
    table = file.with_name(VALUES)
    if table.exists():
        return [row for name, row in read_values(table).items() if name == file.name] or None
    study, _, job = str(file.resolve()).rpartition("/runs/")
    evaluations = Path(study, "evaluations", f"{job.partition('/')[0]}.csv")
    if study and evaluations.exists():
        table = read_table(evaluations, EVALUATIONS)
        return table[table["job"] == job.removesuffix(".npz")].to_dict("records") or None
    return None


def verify_file(file: Path) -> Verdict:
    """Evaluate all runs of a file, and compare if numbers are recorded."""
    try:
        runs = load_runs(file)
        rows = recorded_rows(file)
        values = [measures(run) for run in runs]
    except AmgError as error:
        word = "damaged" if os.path.exists(file) else "missing"
        return Verdict(word, str(error).removeprefix(f"{file}: "))
    if rows is None:
        return Verdict("unrecorded", runs=len(runs))
    if len(rows) != len(runs):
        return Verdict("differs", f"holds {len(runs)} runs, recorded are {len(rows)}", len(runs))
    digest = {"sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
    problems = (
        f"{name} of K = {run.episodes}, seed {run.seed} is {value}, recorded is {row[name]}"
        for run, measured, row in zip(runs, values, rows, strict=True)
        for name, value in (measured | digest).items()
        if name in row and not _same(value, row[name], run)
    )
    first = next(problems, "")
    return Verdict("differs" if first else "ok", first, len(runs))


def _same(value: Any, recorded: Any, run: Run) -> bool:
    """Compare numbers up to the tolerance, others exactly; NaN stands for a missing measure."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return isinstance(recorded, float) and math.isnan(recorded)
    if isinstance(value, float) and isinstance(recorded, int | float):
        low, high = run.game.reward_range
        return abs(value - recorded) <= TOLERANCE * run.game.T * (high - low)
    return bool(value == recorded)


def record(results: Path) -> None:
    """Write the reference runs of a finished study, and the table of their recorded numbers."""
    rows = []
    for run, row in list(read_runs(results)):  # all of them, before anything is written
        path = REFERENCE / f"{row['game']}-K{run.episodes}.npz"
        save_runs(path, [run])
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        rows.append({"file": path.name, "sha256": digest, "source": run.source, **row})
    write_table(pd.DataFrame(rows), REFERENCE / VALUES)


def read_runs(results: Path) -> Iterator[tuple[Run, dict[str, Any]]]:
    """Yield the runs of a finished study that are recorded, each with its evaluation."""
    from amg.study.config import read_config  # not above: they load training code
    from amg.study.study import Study
    from amg.tables.needs import Places

    study = Study(*read_config([_existing(f"{results}/config.yaml")]))
    wanted = {
        (series.name, episodes)
        for series in study.experiment(EXPERIMENT)
        if series.learner_label == study.learned.learner_label
        for episodes in series.episodes
    }
    places = Places(str(results))
    for job in study.jobs():
        if any(SEED in p.seeds and (p.series.name, p.episodes) in wanted for p in job.parts):
            runs = load_runs(_existing(places.runs(job.name)))
            path = _existing(places.evaluation(job.game))
            table = read_table(path, EVALUATIONS)
            rows = table[table["job"] == job.name].to_dict("records")
            if len(rows) != len(runs):
                raise FileError(f"{path}: is not of all {len(runs)} runs; run the study first")
            for run, row in zip(runs, rows, strict=True):
                if run.seed == SEED and (row["series"], run.episodes) in wanted:
                    yield run, row


def _existing(path: str) -> Path:
    if not Path(path).exists():
        raise FileError(f"{path}: does not exist; run the study first")
    return Path(path)
