"""`amg compare BEFORE AFTER`: do two directories of results say the same?

Runs are compared array by array, whatever files they stand in; evaluations row by row; tables,
claims and figures by their content. Use it to prove that a change of the code changes no number.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from amg.base.errors import ParameterError
from amg.base.text import text_table

Items = Mapping[str, Any]
LABELS = ("game", "learner", "series", "episodes", "seed")
PARTS = ("runs", "evaluations", "tables", "claims", "figures")
PICTURES = (".csv", ".md", ".png", ".pdf")
UNEQUAL = ("timing.csv", "cost.csv")  # they measure the machine
SHOWN = 5  # differences of each part


@dataclass
class Part:
    """What came of the comparison of one part."""

    equal: int = 0
    differ: list[str] = field(default_factory=list)
    only_before: list[str] = field(default_factory=list)
    only_after: list[str] = field(default_factory=list)

    @property
    def same(self) -> bool:
        """Return whether there is no difference."""
        return not (self.differ or self.only_before or self.only_after)


def add(commands: Any) -> None:
    """Add the command to the parser."""
    command = commands.add_parser(
        "compare", help="compare two directories of results", description=__doc__
    )
    command.add_argument("before", type=Path, metavar="BEFORE")
    command.add_argument("after", type=Path, metavar="AFTER")
    command.add_argument(
        "--figures", nargs=2, type=Path, metavar=("BEFORE", "AFTER"),
        help="compare two directories of figures as well",
    )  # fmt: skip
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print one line for each part and the first differences; return 1 if there are any."""
    for path in (options.before, options.after, *(options.figures or ())):
        if not path.is_dir():
            raise ParameterError(f"{path}: is not a directory; name one with results")
    parts = {
        name: compare(read(options.before), read(options.after)) for name, read in READERS.items()
    }
    if options.figures:
        parts["figures"] = compare(*map(figures, options.figures))
    rows = [
        [name, *map(str, (part.equal, len(part.differ), len(part.only_before),
                          len(part.only_after)))]
        for name, part in parts.items()
    ]  # fmt: skip
    print("\n".join(text_table(["", "equal", "differ", "only before", "only after"], rows)))
    for name, part in parts.items():
        for kind in ("differ", "only_before", "only_after"):
            for line in getattr(part, kind)[:SHOWN]:
                print(f"{name}: {kind.replace('_', ' ')}: {line}")
    return 0 if all(part.same for part in parts.values()) else 1


def compare(before: Items, after: Items) -> Part:
    """Compare items by their names."""
    part = Part(
        only_before=sorted(before.keys() - after.keys()),
        only_after=sorted(after.keys() - before.keys()),
    )
    for name in sorted(before.keys() & after.keys()):
        reason = difference(before[name], after[name])
        if reason is None:
            part.equal += 1
        else:
            part.differ.append(f"{name}: {reason}")
    return part


def difference(before: Any, after: Any) -> str | None:
    """Return what differs between two items, or None."""
    import numpy as np

    if isinstance(before, dict):
        for name in sorted(before.keys() | after.keys()):
            if name not in before or name not in after:
                return f"{name} is there only {'before' if name in before else 'after'}"
            reason = difference(before[name], after[name])
            if reason is not None:
                return f"{name}: {reason}"
        return None
    if isinstance(before, np.ndarray):
        if before.shape != after.shape or before.dtype != after.dtype:
            return f"{before.dtype}{before.shape} and {after.dtype}{after.shape}"
        return None if before.tobytes() == after.tobytes() else "other numbers"
    return None if before == after else _distance(str(before), str(after))


def _distance(before: str, after: str) -> str:
    """Return how far apart two values are, relatively if they are numbers."""
    try:
        a, b = float(before), float(after)
    except ValueError:
        return f"{before[:60]!r} and {after[:60]!r}"
    return f"{before} and {after}, {abs(a - b) / (max(abs(a), abs(b)) or math.inf):.1e} apart"


# --- what there is to compare ----------------------------------------------------------------


def runs(results: Path) -> dict[str, dict[str, Any]]:
    """Return the arrays of every run, named by what the run is."""
    found = {}
    for path in sorted([*(results / "runs").rglob("*.npz"), *results.glob("*.npz")]):
        for identity, arrays in _runs_in(path):
            found[identity] = arrays
    return found


def _runs_in(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the runs of one file, of this format or of the one before, with one run a file."""
    import numpy as np

    with np.load(path, allow_pickle=False) as file:
        header = json.loads(str(file["header"]))
        arrays = {name: file[name] for name in file.files if name != "header"}
    records = header.get("runs", [header])
    for j, record in enumerate(records):
        own = {
            name.removeprefix(f"{j}."): array
            for name, array in arrays.items()
            if not name.startswith("game_") and ("." not in name or name.startswith(f"{j}."))
        }
        names = ("algorithm", "parameters", "episodes", "seed")
        identity = {"game": header["game"]["digest"], **{name: record[name] for name in names}}
        kind = "traced " if "trace_state" in own else ""
        yield kind + json.dumps(identity, sort_keys=True), own


def evaluations(results: Path) -> dict[str, dict[str, Any]]:
    """Return the rows of every table of evaluations, named by what they evaluate."""
    found = {}
    for path in sorted((results / "evaluations").rglob("*.csv")):
        for row in _rows(path):
            row.pop("experiment", None)  # a run of two experiments has the same row in both
            row.pop("series", None)
            measured = list(row)[list(row).index("seed") + 1 :]
            labels = {name: row[name] for name in row if name not in measured}
            found[json.dumps(labels, sort_keys=True)] = {name: row[name] for name in measured}
    return found


def tables(results: Path) -> dict[str, dict[str, Any]]:
    """Return the rows of every table, named by table and line."""
    paths = sorted((results / "tables").glob("*.csv"))
    return {
        f"{path.stem}, line {j + 2}": row
        for path in paths
        if path.name not in UNEQUAL
        for j, row in enumerate(_rows(path))
    }


def claims(results: Path) -> dict[str, dict[str, Any]]:
    """Return the judged claims by their names."""
    path = results / "claims.json"
    if not path.exists():
        return {}
    return {claim["id"]: claim for claim in json.loads(path.read_text(encoding="utf-8"))}


def figures(directory: Path) -> dict[str, bytes]:
    """Return the content of every file of a figure."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.suffix in PICTURES
    }


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    import csv

    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


READERS: dict[str, Callable[[Path], Items]] = {
    "runs": runs,
    "evaluations": evaluations,
    "tables": tables,
    "claims": claims,
}
