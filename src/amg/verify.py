"""Verify run files: evaluate each anew, from the file alone, and compare with what was recorded.

`python -m amg.verify [PATH …]` (or `make verify`) takes run files and directories of them; without
any, the reference data of this repository. Recorded numbers are those of the table `values.csv`
beside a file; a file without is only evaluated. Nothing is trained, and no training code is loaded.
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
from typing import Any, NamedTuple

from amg.analysis.evaluations import measures
from amg.analysis.tables import read_table
from amg.errors import AmgError, FileError
from amg.run import load
from amg.stopping import run_process
from amg.tables import aligned
from amg.terminal import take_any_text

REFERENCE = Path("reference")
VALUES = "values.csv"  # the table of recorded numbers in a directory of runs
COLUMNS = ("file", "sha256", "episodes", "max_gap")  # that it has at least
LONGEST = 255  # bytes of a file's name
TOLERANCE = 1e-9  # of the range of an episode's return; other processors round differently

Row = Mapping[str, Any]


class Verdict(NamedTuple):
    """What became of one file."""

    file: Path
    recorded: Row | None
    found: Row | None  # None if it could not be evaluated
    word: str  # ok, differs, evaluated, damaged or missing
    reason: str = ""

    @property
    def bad(self) -> bool:
        return self.word not in ("ok", "evaluated")


def verify(paths: Iterable[Path]) -> Iterator[Verdict]:
    """A verdict on each file, and on a table of recorded numbers that is not in order."""
    for path in paths:
        if not path.is_dir():
            yield from _place(path.parent, [path.name])
            continue
        patterns = ("*.npz", VALUES)
        places = {found.parent for pattern in patterns for found in path.rglob(pattern)}
        if not places:
            yield Verdict(path, None, None, "missing", "holds no run files")
        for place in sorted(places):
            yield from _place(place)


def _place(place: Path, names: Iterable[str] | None = None) -> Iterator[Verdict]:
    """Files of one directory: these, or all that are there or recorded."""
    recorded: dict[str, Row] = {}
    try:
        recorded = records(place / VALUES)
    except FileError as error:
        yield Verdict(place / VALUES, None, None, "damaged", _reason(error, place / VALUES))
    if names is None:
        names = {file.name for file in place.glob("*.npz")} | recorded.keys()
    for name in sorted(names, key=_in_order):
        yield check(place / name, recorded.get(name))


def _in_order(name: str) -> list[str | int]:
    """Numbers in names by size: K1000 before K3162 before K10000."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]


def records(table: Path) -> dict[str, Row]:
    """Recorded rows by the name of their file; none without a table."""
    if not table.exists():
        return {}
    frame = read_table(table, COLUMNS)
    for name in map(str, frame["file"]):
        if Path(name).name != name or name == "..":
            raise FileError(
                f"{table}: names the file {name!r}, which is not in its directory; correct it"
            )
        if not name.isprintable() or len(os.fsencode(name)) > LONGEST:
            raise FileError(
                f"{table}: {name[:60]!r} is no name of a file; give printable text of at most "
                f"{LONGEST} bytes"
            )
    return {str(row["file"]): row for row in frame.to_dict("records")}


def check(file: Path, recorded: Row | None) -> Verdict:
    """Evaluate one file and compare."""
    try:
        run = load(file)
        found = {**measures(run), "sha256": sha256(file)}
    except AmgError as error:
        word = "damaged" if file.exists() else "missing"
        return Verdict(file, recorded, None, word, _reason(error, file))
    if recorded is None:
        return Verdict(file, None, found, "evaluated")
    low, high = run.game.reward_range
    slack = TOLERANCE * run.game.T * (high - low)
    wrong = [
        f"{name} is {found[name]}, recorded is {recorded[name]}"
        for name in found
        if name in recorded and not _same(found[name], recorded[name], slack)
    ]
    return Verdict(file, recorded, found, "differs" if wrong else "ok", "; ".join(wrong))


def _reason(error: AmgError, file: Path) -> str:
    return str(error).removeprefix(f"{file}: ")


def _same(found: Any, recorded: Any, slack: float) -> bool:
    """Numbers up to the slack, everything else exactly; what a run has not is recorded as NaN."""
    if found is None or (isinstance(found, float) and math.isnan(found)):
        return isinstance(recorded, float) and math.isnan(recorded)
    if isinstance(found, float) and isinstance(recorded, int | float):
        return abs(found - recorded) <= slack
    return bool(found == recorded)


def sha256(file: Path) -> str:
    """The digest that `sha256sum` prints."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def page(verdicts: Sequence[Verdict]) -> str:
    """A table for people."""
    header = ["file", "K", "recorded ε", "recomputed ε", "verdict"]
    return "\n".join(aligned(header, [_line(verdict) for verdict in verdicts]))


def _line(verdict: Verdict) -> list[str]:
    known: Row = verdict.found or verdict.recorded or {}
    return [
        str(verdict.file),
        f"{known['episodes']:,.0f}" if known else "–",
        *(f"{row['max_gap']:.9f}" if row else "–" for row in (verdict.recorded, verdict.found)),
        verdict.word,
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 when anything differs, is damaged or is missing."""
    parser = argparse.ArgumentParser(
        prog="python -m amg.verify",
        description="Evaluate run files anew and compare with the recorded numbers.",
    )
    parser.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="run files or directories of them"
    )
    paths = parser.parse_args(arguments).paths or [REFERENCE]
    take_any_text()
    verdicts = list(verify(paths))
    print(page(verdicts))
    bad = [verdict for verdict in verdicts if verdict.bad]
    for verdict in bad:
        print(f"{verdict.file}: {verdict.word}: {verdict.reason}", file=sys.stderr)
    counts = Counter(verdict.word for verdict in verdicts)
    print(
        f"\n{', '.join(f'{number} {word}' for word, number in counts.items())} "
        f"(ok: as recorded, to {TOLERANCE:g} of the range of an episode's return)"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    run_process("amg.verify", main)
