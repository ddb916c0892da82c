"""Axes of a sweep: values as they were written, each with the settings that it stands for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from amg.documents import Node
from amg.numbers import exact

MOST_AXES = 20  # of two values each, they are a million combinations
LONGEST = 1000  # values of one axis
WIDEST = 40  # characters of a value, which is part of names and labels
RANGE = ("from", "to", "per_decade")
WHOLE = ("episodes", "agents", "horizon")  # axes whose ranges are rounded to whole numbers

Settings = dict[str, Node]  # by the names of parameters, or game, algorithm, episodes


@dataclass(frozen=True)
class Point:
    """One value of an axis, or one thing that is compared: its text and what it sets."""

    text: str
    settings: Settings


@dataclass(frozen=True)
class Axis:
    """A name and its points, in the order of the file."""

    name: str
    points: tuple[Point, ...]

    @property
    def texts(self) -> list[str]:
        return [point.text for point in self.points]

    @property
    def numbers(self) -> list[float] | None:
        """The values, if all of them are numbers."""
        try:
            return [float(exact(text)) for text in self.texts]
        except (ValueError, OverflowError):
            return None


def read_axes(node: Node) -> tuple[Axis, ...]:
    """The axes of a sweep file: each a list, a range {from, to, per_decade} or named points."""
    if len(node.entries()) > MOST_AXES:
        node.refuse(f"has {len(node.entries())} axes; at most {MOST_AXES} are taken, drop some")
    return tuple(_axis(name, child) for name, child in node.entries().items())


def read_points(node: Node) -> tuple[Point, ...]:
    """Named points: a mapping of names to settings."""
    return tuple(
        Point(_text(child, name), child.entries()) for name, child in node.entries().items()
    )


def _axis(name: str, node: Node) -> Axis:
    _text(node, name)
    if isinstance(node.value, dict) and any(key in RANGE for key in node.value):
        points = tuple(Point(child.text(), {name: child}) for child in _range(name, node))
    elif isinstance(node.value, dict):
        points = read_points(node)
    else:
        points = tuple(Point(_text(child), {name: child}) for child in node.items())
    if len(points) > LONGEST:
        node.refuse(f"has {len(points)} values; at most {LONGEST} are taken")
    _all_differ(node, points)
    return Axis(name, points)


def _range(name: str, node: Node) -> list[Node]:
    """So many values a decade between two numbers, spelled with four digits or as whole numbers."""
    fields = node.fields(RANGE)
    first, last = fields["from"].real(), fields["to"].real()
    per_decade = fields["per_decade"].count(100)
    if not 0 < first <= last:
        node.refuse(f"runs from {first:g} to {last:g}; it must ascend from a number above 0")
    steps = math.floor(per_decade * math.log10(last / first) + 1e-9) + 1
    if steps > LONGEST:
        node.refuse(f"has {steps} values; at most {LONGEST} are taken")
    children = []
    for j in range(steps):
        child = node.child(j)
        value = first * 10 ** (j / per_decade)
        child.line, child.value = node.line, str(round(value)) if name in WHOLE else f"{value:.4g}"
        children.append(child)
    return children


def _text(node: Node, text: str | None = None) -> str:
    """A short printable text, which can stand in names and labels."""
    text = node.text() if text is None else text
    if not (text and text.isprintable() and text == text.strip() and len(text) <= WIDEST):
        node.refuse(f"{text[:60]!r} cannot be a name; give 1 to {WIDEST} printable characters")
    return text


def _all_differ(node: Node, points: tuple[Point, ...]) -> None:
    """No value twice, however it is spelled."""
    seen: dict[str | Fraction, str] = {}
    for point in points:
        try:
            key: str | Fraction = exact(point.text)
        except ValueError:
            key = point.text
        if key in seen:
            node.refuse(f"{point.text} is there already, as {seen[key]}; keep one")
        seen[key] = point.text
