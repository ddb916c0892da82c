"""Compare two directories of results, to prove that a change of the code changes no number.

Runs are compared array by array, in any layout of files; evaluations and tables row by row; claims
and figures by their content. Prints a line for each part and the first differences. The exit code
is 1 if there are any.
"""

import argparse
import csv
import hashlib
import json
from pathlib import Path

import numpy as np

from amg.base.errors import ParameterError
from amg.base.text import text_table

Items = dict[str, dict[str, str]]  # values by name, of items by name
UNEQUAL = ("timing.csv", "cost.csv")  # they measure the machine
MOST = 5  # differences of each kind that are printed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the directories."""
    parser.add_argument("before", type=Path, metavar="BEFORE")
    parser.add_argument("after", type=Path, metavar="AFTER")
    text = "compare two directories of figures as well, with those of sweeps"
    parser.add_argument("--figures", nargs=2, type=Path, default=[], metavar="DIR", help=text)


def run(options: argparse.Namespace) -> int:
    """Print what is equal and what differs; return 1 if something differs."""
    for path in (options.before, options.after, *options.figures):
        if not path.is_dir():
            raise ParameterError(f"{path}: is not a directory; name one with results")
    figures = options.figures or [None, None]
    before, after = read(options.before, figures[0]), read(options.after, figures[1])
    parts = {name: compare(before[name], after[name]) for name in before}
    header = ["", "equal", "differ", "only before", "only after"]
    rows = [[name, *(str(len(lines)) for lines in part.values())] for name, part in parts.items()]
    differences = [
        f"{name}: {kind}: {line}"
        for name, part in parts.items()
        for kind in header[2:]
        for line in part[kind][:MOST]
    ]
    print(*text_table(header, rows), *differences, sep="\n")
    return int(bool(differences))


def compare(before: Items, after: Items) -> dict[str, list[str]]:
    """Return what is equal, what differs and what is there only once."""
    both = sorted(before.keys() & after.keys())
    reasons = {name: _difference(before[name], after[name]) for name in both}
    return {
        "equal": [name for name in both if not reasons[name]],
        "differ": [f"{name}: {reasons[name]}" for name in both if reasons[name]],
        "only before": sorted(before.keys() - after.keys()),
        "only after": sorted(after.keys() - before.keys()),
    }


def _difference(before: dict[str, str], after: dict[str, str]) -> str:
    """Return the first difference between two items, or an empty text."""
    for name in sorted(before.keys() | after.keys()):
        a, b = before.get(name, "nothing"), after.get(name, "nothing")
        if a != b:
            return f"{name}: {a[:60]} and {b[:60]}"
    return ""


def read(results: Path, figures: Path | None) -> dict[str, Items]:
    """Return all that is compared, by part."""
    parts = {
        "runs": runs(results),
        "evaluations": evaluations(results),
        "tables": tables(results / "tables"),
        "claims": claims(figures, results),
    }
    if figures:
        parts["data of figures"] = tables(figures)
        parts["texts"] = files(figures, ".md")
        parts["pictures"] = files(figures, ".png", ".pdf")
    return parts


def runs(results: Path) -> Items:
    """Return the digests of the arrays of every run, named by what the run is.

    Files may be of this format or of the earlier one, with one run per file.
    """
    items = {}
    for path in sorted(results.rglob("*.npz")):
        sweep = path.relative_to(results).as_posix().rpartition("runs/")[0]
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            arrays = {name: file[name] for name in file.files if not name.startswith("game_")}
        for j, record in enumerate(header.get("runs", [header])):
            own = {
                name.removeprefix(f"{j}."): f"{one.dtype} {one.shape} {_sha256(one.tobytes())}"
                for name, one in arrays.items()
                if name.startswith(f"{j}.") or ("runs" not in header and name != "header")
            }
            keys = ("algorithm", "parameters", "episodes", "seed")
            identity = [header["game"]["digest"], *(record[key] for key in keys)]
            kind = "traced " if "trace_state" in own else ""
            items[f"{sweep}{kind}{json.dumps(identity, sort_keys=True)}"] = own
    return items


def evaluations(results: Path) -> Items:
    """Return the rows of every table of evaluations, named by what they evaluate."""
    items = {}
    for path in sorted((results / "evaluations").rglob("*.csv")):
        for row in _rows(path):
            names = list(row)
            labels = {name: row.pop(name) for name in names[: names.index("seed") + 1]}
            if "game" in labels:  # the other names are not needed, and not in all layouts
                others = ("experiment", "series", "job")
                labels = {key: x for key, x in labels.items() if x and key not in others}
            items[json.dumps(labels, sort_keys=True)] = row
    return items


def tables(directory: Path) -> Items:
    """Return the rows of every table below a directory, named by table and line."""
    return {
        f"{path.relative_to(directory)}, line {j}": row
        for path in sorted(directory.rglob("*.csv"))
        if path.name not in UNEQUAL
        for j, row in enumerate(_rows(path), start=2)
    }


def claims(*directories: Path | None) -> Items:
    """Return the judged claims by their names, from the first directory that has them.

    They stand beside the figures. Earlier ones stood in the results and were only a list.
    """
    places = (directory / "claims.json" for directory in directories if directory)
    path = next(filter(Path.exists, places), None)
    content = json.loads(path.read_text(encoding="utf-8")) if path else []
    judged = content if isinstance(content, list) else content["claims"]
    return {
        claim["id"]: {name: json.dumps(value) for name, value in claim.items()} for claim in judged
    }


def files(directory: Path, *suffixes: str) -> Items:
    """Return the digests of all files below a directory with one of these suffixes."""
    return {
        str(path.relative_to(directory)): {"sha256": _sha256(path.read_bytes())}
        for path in sorted(directory.rglob("*"))
        if path.suffix in suffixes
    }


def _rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines(keepends=True)))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
