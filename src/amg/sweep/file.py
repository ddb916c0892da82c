"""Reading a sweep file: everything in it is checked before anything runs."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from pathlib import Path

from amg import documents
from amg.documents import Node
from amg.errors import FileError, ParameterError
from amg.sweep.axes import Axis, Point, Settings, read_axes, read_points
from amg.sweep.findings import Finding, read_findings
from amg.sweep.grid import Cell, Sweep
from amg.sweep.measures import EPISODES_TO, MEASURES
from amg.sweep.settings import Chooser

REQUIRED = ("title", "base", "axes", "seeds", "measure")
OPTIONAL = ("compare", "skip", "target", "findings", "most_runs")
NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
RESERVED = ("variant", "seed", "mean", "low", "high", "seeds", "level", "measure")
MOST_RUNS = 20_000  # unless the file says otherwise
LIMIT = 10**6  # whatever it says
REMEDY = "give it title, base, axes, seeds and measure"
ALONE = Point("", {})  # where nothing is compared


def read_sweep(path: Path, root: Path) -> Sweep:
    """The sweep of a file; `root` is where the paths of game files begin."""
    if path.suffix not in (".yaml", ".yml") or not NAME.fullmatch(path.stem):
        raise FileError(
            f"{path}: a sweep is named by its file; name it NAME.yaml with small letters, digits "
            f"and hyphens"
        )
    if "{" in str(path) or "}" in str(path):
        raise FileError(f"{path}: braces are wildcards to Snakemake; rename the directory")
    node = documents.load(path, REMEDY, documents.SMALL)
    fields = node.fields(REQUIRED, OPTIONAL)
    axes = read_axes(fields["axes"])
    for axis in axes:
        if axis.name in RESERVED:
            fields["axes"].entries()[axis.name].refuse("is a column of the table; rename the axis")
    compare = read_points(fields["compare"]) if "compare" in fields else (ALONE,)
    seeds = fields["seeds"].count(LIMIT)
    _check_size(fields, axes, len(compare), seeds)
    measures = _measures(fields["measure"])
    target = fields["target"].real() if "target" in fields else None
    if target is not None and (target <= 0 or "episodes" not in [axis.name for axis in axes]):
        fields["target"].refuse("is a gap above 0 to reach, and needs an axis episodes")
    cells = tuple(_cells(fields, axes, compare, root))
    if not cells:
        fields["skip"].refuse("leaves nothing to run; skip less")
    return Sweep(
        name=path.stem,
        title=fields["title"].name(),
        axes=axes,
        variants=tuple(point.text for point in compare),
        seeds=seeds,
        measures=measures,
        target=target,
        cells=cells,
        findings=_findings(fields, axes, measures),
    )


def _check_size(fields: Settings, axes: tuple[Axis, ...], variants: int, seeds: int) -> None:
    most = fields["most_runs"].count(LIMIT) if "most_runs" in fields else MOST_RUNS
    sizes = [*([variants] if variants > 1 else []), *(len(axis.points) for axis in axes), seeds]
    runs = math.prod(sizes)
    if runs > most:
        product = " × ".join(map(str, sizes))
        fields["axes"].refuse(
            f"{product} = {runs:,} runs are more than {most:,}; take fewer values or seeds, or "
            f"raise most_runs"
        )


def _measures(node: Node) -> tuple[str, ...]:
    names = [child.text() for child in node.items()]
    for child in node.items():
        if child.text() not in MEASURES:
            child.refuse(f"{child.shown} is not measured; there are {', '.join(MEASURES)}")
        if names.count(child.text()) > 1:
            child.refuse(f"{child.shown} is there twice; keep one")
    return tuple(names)


def _findings(
    fields: Settings, axes: tuple[Axis, ...], measures: tuple[str, ...]
) -> tuple[Finding, ...]:
    known = {axis.name: axis.texts for axis in axes}
    derived = (EPISODES_TO,) if "target" in fields else ()
    return read_findings(fields.get("findings"), known, (*measures, *derived))


def _cells(
    fields: Settings, axes: tuple[Axis, ...], compare: tuple[Point, ...], root: Path
) -> Iterator[Cell]:
    """Every combination of what is compared and of the axes' values, but those to skip."""
    base = fields["base"].entries()
    chooser = Chooser(root)
    skipped = _skipped(fields.get("skip"), axes, compare)
    for variant in compare:
        for points in itertools.product(*(axis.points for axis in axes)):
            at = {axis.name: point.text for axis, point in zip(axes, points, strict=True)}
            if any(_matches(rule, {"variant": variant.text, **at}) for rule in skipped):
                continue
            settings = {**base, **variant.settings}
            for point in points:
                settings |= point.settings
            try:
                chosen = chooser.choose(settings)
            except ParameterError as error:
                where = ", ".join(f"{key} = {value}" for key, value in at.items())
                raise ParameterError(f"{fields['base'].file}: at {where}: {error}") from None
            yield Cell(variant.text, at, chosen)


def _skipped(
    node: Node | None, axes: tuple[Axis, ...], compare: tuple[Point, ...]
) -> list[dict[str, list[str]]]:
    """Each entry of `skip`: values by axis, or by `variant`, that together are left out."""
    known = {axis.name: axis.texts for axis in axes}
    known["variant"] = [point.text for point in compare]
    rules = []
    for entry in node.items() if node is not None else []:
        rule = {}
        for name, child in entry.fields((), known).items():
            values = child.items() if isinstance(child.value, list) else [child]
            for value in values:
                if value.text() not in known[name]:
                    value.refuse(f"{value.shown} is not a value of {name}; there are "
                                 f"{', '.join(known[name])}")  # fmt: skip
            rule[name] = [value.text() for value in values]
        rules.append(rule)
    return rules


def _matches(rule: dict[str, list[str]], at: dict[str, str]) -> bool:
    return all(at[name] in values for name, values in rule.items())
