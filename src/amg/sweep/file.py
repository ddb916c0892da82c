"""Sweep files: one pydantic model, and the checks of what it means. All happen before a run."""

import itertools
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Discriminator, Field, StringConstraints, Tag, model_validator

from amg.base.errors import FileError
from amg.base.text import choices
from amg.inputs import document
from amg.inputs.document import Node
from amg.inputs.models import Model, OneOf, Real, Text, Whole, validate
from amg.sweep.findings import Extremes, Finding, FindingEntry, check_known
from amg.sweep.grid import COMMON, Axis, Cell, Point, SeriesMaker, Settings, Sweep
from amg.sweep.table import EPISODES_TO, INTERVAL, MEASURES

NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
RESERVED = {"variant", "seed", "exact", "measure", *INTERVAL, *MEASURES}  # columns of tables
WHOLE = ("episodes", "agents", "horizon")  # axes whose ranges are rounded to whole numbers
LIMIT = 10**6  # runs, even if the file allows more
REMEDY = "give it title, base, axes, seeds and measure"


class Range(Model):
    """Values from a least to a largest, so many a decade."""

    first: Real = Field(alias="from", gt=0, description="The least value")
    last: Real = Field(alias="to", gt=0, description="The largest value")
    per_decade: Whole = Field(ge=1, le=100, description="How many values a decade")

    @model_validator(mode="after")
    def _ascends(self) -> Self:
        if self.last < self.first:
            raise ValueError(f"from {self.first:g} to {self.last:g} does not ascend")
        return self

    def texts(self, name: str) -> list[str]:
        """Return the values with four digits, or as whole numbers."""
        decades = math.log10(self.last) - math.log10(self.first)
        count = math.floor(self.per_decade * decades + 1e-9) + 1
        values = [self.first * 10 ** (j / self.per_decade) for j in range(count)]
        return [str(round(value)) if name in WHOLE else f"{value:.4g}" for value in values]


def _shape(value: Any) -> str:
    """Return which of the three forms of an axis a value has."""
    if not isinstance(value, dict):
        return "a list"
    return "a range" if value.keys() & {"from", "to", "per_decade"} else "named points"


def _distinct(names: list[str]) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is there twice; keep one")
    return names


Label = Annotated[Text, StringConstraints(max_length=40)]
MeasureName = Annotated[str, OneOf(MEASURES)]
Names = Annotated[list[Label], Field(min_length=1, max_length=1000)]
Points = Annotated[dict[Label, dict[str, Text]], Field(min_length=1)]
AxisEntry = Annotated[
    Annotated[Names, Tag("a list")]
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
    axes: dict[Label, AxisEntry] = Field(
        min_length=1,
        max_length=20,
        description="Axes: each a list, {from, to, per_decade}, or names with what each sets",
    )
    skip: list[dict[str, Text | Names]] = Field(
        [], description="Combinations to leave out: values by axis, or by `variant`"
    )
    seeds: Whole = Field(ge=1, le=LIMIT, description="Seeds of every cell: 1, 2, 3, …")
    measure: Annotated[list[MeasureName], AfterValidator(_distinct)] = Field(
        min_length=1, description="What the table and the figure show"
    )
    target: Real | None = Field(
        None, gt=0, description="Gap, in units of the reward range, that is to be reached"
    )
    findings: list[FindingEntry] | None = Field(None, description="What to say about it")
    most_runs: Whole = Field(
        20_000, ge=1, le=LIMIT, description="A grid of more runs than this is refused"
    )

    @property
    def measures(self) -> list[str]:
        """What is measured; with a target, also the episodes to it."""
        return [*self.measure, *([EPISODES_TO] if self.target is not None else [])]


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
    axes = {name: _axis(name, entry, root.at("axes", name)) for name, entry in file.axes.items()}
    variants = Axis("variant", _points(root.at("compare")) if file.compare else (Point("", {}),))
    if file.target is not None and "episodes" not in axes:
        root.at("target").refuse("needs an axis episodes; add one")
    sizes = [len(axis.points) for axis in (variants, *axes.values())]
    runs = math.prod(sizes) * file.seeds
    if runs > file.most_runs:
        shape = " × ".join(str(size) for size in (*sizes, file.seeds) if size > 1)
        root.at("axes").refuse(
            f"{shape} = {runs:,} runs are more than {file.most_runs:,}; take fewer values or "
            f"seeds, or raise most_runs"
        )
    cells = list(_cells(file, root, variants, axes, SeriesMaker(path.stem, file.seeds)))
    if not cells:
        root.at("skip").refuse("leaves nothing to run; skip less")
    return Sweep(
        name=path.stem,
        title=file.title,
        axes=tuple(axes.values()),
        variants=tuple(variants.texts),
        seeds=file.seeds,
        measures=tuple(file.measures),
        target=file.target,
        cells=tuple(cells),
        findings=tuple(_findings(file, root, axes)),
    )


def _axis(name: str, entry: Any, node: Node) -> Axis:
    """Return an axis after checking that its name and its values are unique."""
    if name in RESERVED:
        node.refuse("is a column of the table; rename the axis")
    if isinstance(entry, dict):
        axis = Axis(name, _points(node))
    else:
        axis = Axis(name, tuple(_values(name, entry, node)))
    seen: dict[object, str] = {}
    for key, text in zip(axis.numbers or axis.texts, axis.texts, strict=True):
        if key in seen:  # 0.1 and 0.10 are the same
            node.refuse(f"{text} is there already, as {seen[key]}; keep one")
        seen[key] = text
    return axis


def _points(node: Node) -> tuple[Point, ...]:
    """Return named points: names with what each sets."""
    return tuple(Point(name, _settings(child)) for name, child in _settings(node).items())


def _settings(node: Node) -> Settings:
    assert isinstance(node.value, dict)  # the model has checked it
    return node.value


def _values(name: str, entry: Range | list[str], node: Node) -> Iterator[Point]:
    """Yield the values of a list or a range, which set the parameter that the axis is named by."""
    for j, text in enumerate(entry.texts(name) if isinstance(entry, Range) else entry):
        value = node.at(j)  # a value of a range has the place of the range
        value.value = text
        yield Point(text, {name: value})


def _cells(
    file: SweepFile, root: Node, variants: Axis, axes: dict[str, Axis], maker: SeriesMaker
) -> Iterator[Cell]:
    """Yield every combination of variants and the axes' values, except those to skip."""
    skip = list(_skipped(file, root, {**axes, "variant": variants}))
    for variant, *points in itertools.product(variants.points, *(a.points for a in axes.values())):
        at = {name: point.text for name, point in zip(axes, points, strict=True)}
        place = {"variant": variant.text, **at}
        if any(all(place[name] in rule[name] for name in rule) for rule in skip):
            continue
        settings = dict(_settings(root.at("base")))
        for point in (variant, *points):
            settings |= point.settings
        for name in COMMON:
            if name not in settings:
                root.at("base", name).refuse("is not set; set it under base")
        yield Cell(variant.text, at, maker.make(settings))


def _skipped(file: SweepFile, root: Node, axes: dict[str, Axis]) -> Iterator[dict[str, list[str]]]:
    """Yield each entry of `skip` as lists of values."""
    for j, entry in enumerate(file.skip):
        rule = {name: [v] if isinstance(v, str) else v for name, v in entry.items()}
        for name, values in rule.items():
            node = root.at("skip", j, name)
            check_known(node, name, axes, "an axis")
            for value in values:
                check_known(node, value, axes[name].texts, f"a value of {name}")
        yield rule


def _findings(file: SweepFile, root: Node, axes: dict[str, Axis]) -> Iterator[Finding]:
    """Yield the findings after checking the names in them; without any, the extremes."""
    if file.findings is None:
        yield Extremes(measure=file.measure[0], where={})
    for j, entry in enumerate(file.findings or []):
        if not entry.given:
            root.at("findings", j).refuse(f"names no finding; give one of {choices(entry.keys())}")
        for kind, finding in entry.given.items():
            finding.check(root.at("findings", j, kind), axes, file.measures)
            yield finding
