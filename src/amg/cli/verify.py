"""`amg verify`: evaluate run files again, from the files alone, and compare with recorded numbers.

Recorded numbers are those of the table `values.csv` beside a file, one row per file. A file without
a row, such as an archive of a study, is only evaluated. Nothing is trained, and no training code is
loaded.

---
`amg reference`: keep a few runs of a finished study in the repository, with recorded numbers.

For each game and K of `sample-complexity` it keeps the run of the first V-learner with seed 1. The
recorded numbers come from the study's own tables; `amg verify` compares with them.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from amg.base.errors import AmgError, FileError
from amg.base.files import printable
from amg.base.text import quote, text_table
from amg.cli import Commands, add_command

if TYPE_CHECKING:
    import pandas as pd

    from amg.results.run import Run
    from amg.study.study import Study
    from amg.tables.needs import Places

REFERENCE = Path("reference")
VALUES = "values.csv"  # the table of recorded numbers in a directory of runs
COLUMNS = {"file": str, "sha256": str, "episodes": int, "max_gap": float}  # that it has at least
LONGEST = 255  # bytes of a file's name
TOLERANCE = 1e-9  # of the range of an episode's return; other processors round differently

Row = Mapping[str, Any]


class Verdict(NamedTuple):
    """The result for one file."""

    file: Path
    word: str  # ok, differs, evaluated, damaged or missing
    reason: str = ""
    recorded: Row | None = None
    recomputed: Sequence[Row] = ()  # one row per run; none if the file cannot be evaluated

    @property
    def bad(self) -> bool:
        """Whether something is wrong with the file."""
        return self.word not in ("ok", "evaluated")


def add(commands: Commands) -> None:
    """Declare the command."""
    command = add_command(commands, "verify", run)
    command.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help=f"run files or directories of them; without any, {REFERENCE}/",
    )


def run(options: argparse.Namespace) -> int:
    """Evaluate run files again and compare with the recorded numbers.

    The exit code is 1 if a file differs, is damaged or is missing.
    """
    verdicts = list(verify(options.paths or [REFERENCE]))
    print(_page(verdicts))
    for verdict in verdicts:
        if verdict.bad:
            print(f"{printable(verdict.file)}: {verdict.word}: {verdict.reason}", file=sys.stderr)
    counts = Counter(verdict.word for verdict in verdicts)
    print(
        f"\n{', '.join(f'{number} {word}' for word, number in counts.items())} "
        f"(ok: as recorded, to {TOLERANCE:g} of the range of an episode's return)"
    )
    return int(any(verdict.bad for verdict in verdicts))


def verify(paths: Iterable[Path]) -> Iterator[Verdict]:
    """Yield a verdict for each file, and one for each damaged table of recorded numbers."""
    for path in paths:
        if not path.is_dir():
            yield from _verify_directory(path.parent, [path.name])
            continue
        files = [file for pattern in ("*.npz", VALUES) for file in path.rglob(pattern)]
        if not files:
            yield Verdict(path, "missing", "holds no run files")
        for directory in sorted({file.parent for file in files}):
            yield from _verify_directory(directory)


def _verify_directory(directory: Path, names: Iterable[str] | None = None) -> Iterator[Verdict]:
    """Verify these files of a directory, or all that it holds or that are recorded."""
    recorded: dict[str, Row] = {}
    try:
        recorded = read_records(directory / VALUES)
    except FileError as error:
        yield Verdict(directory / VALUES, "damaged", _reason(error, directory / VALUES))
    if names is None:
        names = {file.name for file in directory.glob("*.npz")} | recorded.keys()
    for name in sorted(names, key=_by_number):
        yield verify_file(directory / name, recorded.get(name))


def _by_number(name: str) -> list[tuple[int, int | str]]:
    """Sort numbers in names by size: K1000 before K3162 before K10000."""
    parts = re.split(r"(\d{1,18})", name)
    return [(0, int(part)) if part.isascii() and part.isdecimal() else (1, part) for part in parts]


def read_records(table: Path) -> dict[str, Row]:
    """Return the recorded rows by the name of their file; none if there is no table."""
    from amg.tables.tidy import read_table

    if not table.exists():
        return {}
    frame = read_table(table, COLUMNS)
    for name in map(str, frame["file"]):
        if Path(name).name != name or name == "..":
            raise FileError(
                f"{table}: names the file {quote(name)}, which is not in its directory; correct it"
            )
        if not name.isprintable() or len(os.fsencode(name)) > LONGEST:
            raise FileError(
                f"{table}: {quote(name)} is not the name of a file; give printable text of at most "
                f"{LONGEST} bytes"
            )
    return {str(row["file"]): row for row in frame.to_dict("records")}


def verify_file(file: Path, recorded: Row | None) -> Verdict:
    """Evaluate all runs of a file; compare if numbers are recorded, which a file of one run has."""
    from amg.results.evaluate import measures
    from amg.results.run_file import load_runs

    try:
        runs = load_runs(file)
        rows = [{**measures(run), "sha256": sha256(file)} for run in runs]
    except AmgError as error:
        word = "damaged" if file.exists() else "missing"
        return Verdict(file, word, _reason(error, file), recorded)
    if recorded is None:
        return Verdict(file, "evaluated", recomputed=rows)
    if len(runs) != 1:
        problem = f"holds {len(runs)} runs, recorded is one"
        return Verdict(file, "differs", problem, recorded, rows)
    low, high = runs[0].game.reward_range
    slack = TOLERANCE * runs[0].game.T * (high - low)
    problem = "; ".join(
        f"{name} is {value}, recorded is {recorded[name]}"
        for name, value in rows[0].items()
        if name in recorded and not _same(value, recorded[name], slack)
    )
    return Verdict(file, "differs" if problem else "ok", problem, recorded, rows)


def _reason(error: AmgError, file: Path) -> str:
    return str(error).removeprefix(f"{file}: ")


def _same(value: Any, recorded: Any, slack: float) -> bool:
    """Compare numbers up to the slack, others exactly; NaN stands for a missing measure."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return isinstance(recorded, float) and math.isnan(recorded)
    if isinstance(value, float) and isinstance(recorded, int | float):
        return abs(value - recorded) <= slack
    return bool(value == recorded)


def sha256(file: Path) -> str:
    """Return the digest that `sha256sum` prints."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _page(verdicts: Sequence[Verdict]) -> str:
    header = ["file", "runs", "K", "recorded ε", "recomputed ε", "verdict"]
    return "\n".join(text_table(header, [_line(verdict) for verdict in verdicts]))


def _line(verdict: Verdict) -> list[str]:
    """Return the cells of a verdict; of several runs the range of K and the largest gap."""
    recorded = [] if verdict.recorded is None else [verdict.recorded]
    episodes = [row["episodes"] for row in verdict.recomputed or recorded]
    ends = dict.fromkeys(f"{end(episodes):,.0f}" for end in (min, max) if episodes)
    gaps = [
        f"{max(row['max_gap'] for row in rows):.9f}" if rows else "–"
        for rows in (recorded, verdict.recomputed)
    ]
    return [
        printable(verdict.file),
        str(len(verdict.recomputed) or "–"),
        "–".join(ends) or "–",
        *gaps,
        verdict.word,
    ]


# ===== cli/reference

EXPERIMENT, SEED = "sample-complexity", 1
RESULTS = Path("results")


class Choice(NamedTuple):
    """One run to keep."""

    job: str  # that makes it
    series: str
    game: str
    episodes: int
    parameters: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of its file in the reference data."""
        return f"{self.game}-K{self.episodes}.npz"

    def fits(self, record: Mapping[str, Any]) -> bool:
        """Whether the header of a run in the job's archive is that of this run."""
        return (
            record["seed"] == SEED
            and record["episodes"] == self.episodes
            and record["parameters"] == self.parameters
        )


def add_reference(commands: Commands) -> None:
    """Declare the command."""
    command = add_command(commands, "reference", reference)
    command.add_argument("results", nargs="?", type=Path, default=RESULTS, metavar="RESULTS")
    command.add_argument("-o", "--output", type=Path, default=REFERENCE, metavar="DIRECTORY")


def reference(options: argparse.Namespace) -> int:
    """Take the reference data from a finished study."""
    table = refresh(options.results, options.output)
    size = sum((options.output / name).stat().st_size for name in table["file"])
    print(f"{options.output}: {len(table)} runs, {size / 1024:.0f} KiB; `amg verify` checks them")
    return 0


def refresh(results: Path, output: Path) -> pd.DataFrame:
    """Write the reference data and return the table of recorded numbers."""
    import pandas as pd

    from amg.results.run_file import save_runs
    from amg.study.config import read_config
    from amg.study.study import Study
    from amg.tables.needs import Places
    from amg.tables.tidy import write_table

    study = Study(*read_config([_existing(f"{results}/config.yaml")]))
    places, choices = Places(str(results)), list(choose(study))
    runs = {choice.name: _read_run(places, choice) for choice in choices}
    rows = {choice.name: _read_row(places, choice) for choice in choices}
    for name in read_records(output / VALUES).keys() - rows.keys():
        (output / name).unlink(missing_ok=True)
    recorded = []
    for name, run in runs.items():
        save_runs(output / name, [run])
        head = {"file": name, "sha256": sha256(output / name), "source": run.source}
        recorded.append({**head, **rows[name]})
    table = pd.DataFrame(recorded)
    write_table(table, output / VALUES)
    return table


def choose(study: Study) -> Iterator[Choice]:
    """Yield one run for each game and K."""
    wanted = {
        (series.name, episodes)
        for series in study.experiment(EXPERIMENT)
        if series.learner_label == study.learned.learner_label
        for episodes in series.episodes
    }
    for job in study.jobs():
        for part in job.parts:
            series = part.series
            if (series.name, part.episodes) in wanted and SEED in part.seeds:
                parameters = series.parameters.as_dict()
                yield Choice(job.name, series.name, series.game_label, part.episodes, parameters)


def _read_run(places: Places, choice: Choice) -> Run:
    from amg.results.run_file import load_runs

    path = _existing(places.runs(choice.job))
    runs = load_runs(path, choice.fits)
    if len(runs) != 1:
        raise FileError(f"{path}: lacks {choice.name}, seed {SEED}; run the study first")
    return runs[0]


def _read_row(places: Places, choice: Choice) -> dict[str, Any]:
    """Return what the study recorded of a run."""
    from amg.tables.evaluations import EVALUATIONS
    from amg.tables.tidy import read_table

    path = _existing(places.evaluation(choice.job))
    table = read_table(path, EVALUATIONS)
    mine = (table["series"] == choice.series) & (table["episodes"] == choice.episodes)
    rows = table[mine & (table["seed"] == SEED)]
    if len(rows) != 1:
        raise FileError(f"{path}: lacks {choice.name}, seed {SEED}; run the study first")
    return rows.iloc[0].to_dict()


def _existing(path: str) -> Path:
    if not Path(path).exists():
        raise FileError(f"{path}: does not exist; run the study first")
    return Path(path)
