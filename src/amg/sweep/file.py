"""Sweep files: one pydantic model, and the checks of what it means. All happen before a run."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Discriminator, Field, StringConstraints, Tag, model_validator

from amg.base.errors import FileError
from amg.base.rational import exact
from amg.base.text import choices
from amg.inputs import document
from amg.inputs.document import Node
from amg.inputs.models import Model, Real, Text, Whole, validate
from amg.sweep.findings import Extremes, Finding, FindingEntry
from amg.sweep.grid import Axis, Cell, Point, SeriesMaker, Settings, Sweep
from amg.sweep.table import EPISODES_TO, MEASURES

NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
RESERVED = {"variant", "seed", "exact", "mean", "low", "high", "seeds", "level", "measure"}
WHOLE = ("episodes", "agents", "horizon")  # axes whose ranges are rounded to whole numbers
MOST_AXES = 20  # of two values each, they are a million combinations
MOST_VALUES = 1000  # of one axis
LIMIT = 10**6  # runs, whatever the file allows
REMEDY = "give it title, base, axes, seeds and measure"
NOTHING_COMPARED = Point("", {})


class Range(Model):
    """Values from a least to a largest, so many a decade."""

    first: Real = Field(alias="from", gt=0, description="The least value")
    last: Real = Field(alias="to", gt=0, description="The largest value")
    per_decade: Whole = Field(ge=1, le=100, description="How many values a decade")

    @model_validator(mode="after")
    def _ascends(self) -> Self:
        if self.last < self.first:
            raise ValueError(f"from {self.first:g} to {self.last:g} does not ascend")
        if self.count > MOST_VALUES:
            raise ValueError(f"has {self.count} values; take at most {MOST_VALUES}")
        return self

    @property
    def count(self) -> int:
        decades = math.log10(self.last) - math.log10(self.first)
        return math.floor(self.per_decade * decades + 1e-9) + 1

    def texts(self, name: str) -> list[str]:
        """Return the values with four digits, or as whole numbers."""
        values = [self.first * 10 ** (j / self.per_decade) for j in range(self.count)]
        return [str(round(value)) if name in WHOLE else f"{value:.4g}" for value in values]


def _at_most(most: int, what: str) -> AfterValidator:
    """Return a check of how many entries there are."""

    def check(entries: Any) -> Any:
        if len(entries) > most:
            raise ValueError(f"has {len(entries)} {what}; take at most {most}")
        return entries

    return AfterValidator(check)


def _shape(value: Any) -> str:
    """Return which of the three forms of an axis a value has."""
    if not isinstance(value, dict):
        return "a list"
    return "a range" if value.keys() & {"from", "to", "per_decade"} else "named points"


def _measured(names: list[str]) -> list[str]:
    for name in names:
        if name not in MEASURES:
            raise ValueError(f"{name!r} is not measured; there are {choices(MEASURES)}")
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is there twice; keep one")
    return names


Label = Annotated[Text, StringConstraints(max_length=40)]
Names = Annotated[list[Label], Field(min_length=1)]
Points = Annotated[dict[Label, dict[str, Text]], Field(min_length=1)]
AxisEntry = Annotated[
    Annotated[Names, _at_most(MOST_VALUES, "values"), Tag("a list")]
    | Annotated[Range, Tag("a range")]
    | Annotated[Points, Tag("named points")],
    Discriminator(_shape),
]


class SweepFile(Model):
    """A sweep file."""

    title: Text = Field(description="The question, for people")
    base: dict[str, Text] = Field(
        description="Settings of every cell: game, algorithm, episodes and parameters of the two"
    )
    compare: Points | None = Field(None, description="Names of what is compared: what each sets")
    axes: Annotated[dict[Label, AxisEntry], Field(min_length=1), _at_most(MOST_AXES, "axes")] = (
        Field(description="Axes: each a list, {from, to, per_decade}, or names with what each sets")
    )
    skip: list[dict[str, Text | Names]] = Field(
        [], description="Combinations to leave out: values by axis, or by `variant`"
    )
    seeds: Whole = Field(ge=1, le=LIMIT, description="Seeds of every cell: 1, 2, 3, …")
    measure: Annotated[Names, AfterValidator(_measured)] = Field(
        description="What the table and the figure show"
    )
    target: Real | None = Field(
        None, gt=0, description="Gap, in units of the reward range, that is to be reached"
    )
    findings: list[FindingEntry] | None = Field(None, description="What to say about it")
    most_runs: Whole = Field(
        20_000, ge=1, le=LIMIT, description="A grid of more runs than this is refused"
    )


def read_sweep(path: Path) -> Sweep:
    """Return the sweep of a file.

    Parameters
    ----------
    path : Path
        The file; paths of game files in it begin at the working directory.

    Raises
    ------
    AmgError
        One line that names file, line, path of keys and remedy.
    """
    if path.suffix not in (".yaml", ".yml") or not NAME.fullmatch(path.stem):
        raise FileError(
            f"{path}: a sweep is named by its file; name it NAME.yaml with small letters, digits "
            f"and hyphens"
        )
    if "{" in str(path) or "}" in str(path):
        raise FileError(f"{path}: braces are wildcards to Snakemake; rename the directory")
    root = document.load(path, REMEDY)
    file = validate(SweepFile, root)
    axes = tuple(_axis(name, entry, root.at("axes", name)) for name, entry in file.axes.items())
    compare = _points(root.at("compare")) if file.compare else (NOTHING_COMPARED,)
    if file.target is not None and "episodes" not in file.axes:
        root.at("target").refuse("needs an axis episodes; add one")
    _check_size(file, root, axes, len(compare))
    cells = list(_cells(file, root, axes, compare, SeriesMaker(path.stem, file.seeds)))
    if not cells:
        root.at("skip").refuse("leaves nothing to run; skip less")
    return Sweep(
        name=path.stem,
        title=file.title,
        axes=axes,
        variants=tuple(point.text for point in compare),
        seeds=file.seeds,
        measures=tuple(file.measure),
        target=file.target,
        cells=tuple(cells),
        findings=tuple(_findings(file, root, axes)),
    )


# --- axes ------------------------------------------------------------------------------------


def _axis(name: str, entry: Any, node: Node) -> Axis:
    if name in RESERVED or name in MEASURES:
        node.refuse("is a column of the table; rename the axis")
    if isinstance(entry, dict):
        points = _points(node)
    else:
        texts = entry.texts(name) if isinstance(entry, Range) else entry
        points = tuple(Point(text, {name: _value(node, j, text)}) for j, text in enumerate(texts))
    seen: dict[str | Fraction, str] = {}
    for point in points:  # no value twice, however it is written
        try:
            key: str | Fraction = exact(point.text)
        except ValueError:
            key = point.text
        if key in seen:
            node.refuse(f"{point.text} is there already, as {seen[key]}; keep one")
        seen[key] = point.text
    return Axis(name, points)


def _points(node: Node) -> tuple[Point, ...]:
    """Return named points: names with what each sets."""
    assert isinstance(node.value, dict)
    return tuple(Point(name, _settings(child)) for name, child in node.value.items())


def _value(node: Node, j: int, text: str) -> Node:
    """Return the node of a value; a value of a range has the place of the range."""
    child = node.get(j) or node.child(j)
    child.value = text
    return child


def _settings(node: Node) -> Settings:
    assert isinstance(node.value, dict)
    return node.value


# --- cells -----------------------------------------------------------------------------------


def _check_size(file: SweepFile, root: Node, axes: tuple[Axis, ...], variants: int) -> None:
    lengths = [len(axis.points) for axis in axes]
    sizes = [*([variants] if variants > 1 else []), *lengths, file.seeds]
    runs = math.prod(sizes)
    if runs > file.most_runs:
        root.at("axes").refuse(
            f"{' × '.join(map(str, sizes))} = {runs:,} runs are more than {file.most_runs:,}; take "
            f"fewer values or seeds, or raise most_runs"
        )


def _cells(
    file: SweepFile, root: Node, axes: tuple[Axis, ...], compare: tuple[Point, ...],
    maker: SeriesMaker,
) -> Iterator[Cell]:  # fmt: skip
    """Yield every combination of what is compared and the axes' values, except those to skip."""
    base = _settings(root.at("base"))
    skip = list(_skipped(file, root, axes, compare))
    for variant in compare:
        for points in itertools.product(*(axis.points for axis in axes)):
            at = {axis.name: point.text for axis, point in zip(axes, points, strict=True)}
            place = {"variant": variant.text, **at}
            if any(all(place[name] in rule[name] for name in rule) for rule in skip):
                continue
            settings = {**base, **variant.settings}
            for point in points:
                settings |= point.settings
            for name in SeriesMaker.COMMON:
                if name not in settings:
                    root.at("base", name).refuse("is not set; set it under base")
            yield Cell(variant.text, at, maker.make(settings))


def _skipped(
    file: SweepFile, root: Node, axes: tuple[Axis, ...], compare: tuple[Point, ...]
) -> Iterator[dict[str, list[str]]]:
    """Yield each entry of `skip` as lists of values."""
    known = {axis.name: axis.texts for axis in axes}
    known["variant"] = [point.text for point in compare]
    for j, entry in enumerate(file.skip):
        rule = {name: [v] if isinstance(v, str) else v for name, v in entry.items()}
        for name, values in rule.items():
            node = root.at("skip", j, name)
            if name not in known:
                node.refuse(f"is not an axis; there are {choices(known)}")
            for value in values:
                if value not in known[name]:
                    node.refuse(f"{value!r} is not a value of {name}; there are "
                                f"{choices(known[name])}")  # fmt: skip
        yield rule


def _findings(file: SweepFile, root: Node, axes: tuple[Axis, ...]) -> Iterator[Finding]:
    """Yield the findings after checking the names in them; without any, the extremes."""
    if file.findings is None:
        yield Extremes(measure=file.measure[0], where={})
        return
    measures = [*file.measure, *([EPISODES_TO] if file.target is not None else [])]
    for j, entry in enumerate(file.findings):
        if not entry.given:
            root.at("findings", j).refuse(f"names no finding; give one of {choices(entry.keys())}")
        for kind, finding in entry.given.items():
            finding.check(
                root.at("findings", j, kind), {axis.name: axis for axis in axes}, measures
            )
            yield finding
