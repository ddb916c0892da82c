"""YAML as data: every scalar is text, and every value knows where in the file it stands.

A scalar is a number only where a number is wanted: `no`, `1e3` and `1:30` are what they look like,
whatever YAML 1.1 makes of them. Tags, anchors, aliases and repeated keys are refused. A file is
read through the parser's events, so that nothing in it is ever constructed; what is wrong with it
is one line: file, line, path of keys, value, remedy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import yaml

from amg.errors import AmgError, FileError, GameError
from amg.numbers import exact

MAX_BYTES = 16 << 20  # of a game with large tables; what people write themselves is small
SMALL = 1 << 20
MAX_DEPTH = 12
MAX_KEY = 200  # characters
SHOWN = 20  # names of a long list in a message


def listed(names: Iterable[str]) -> str:
    """What there is, for messages: all of it, or the beginning of a long list."""
    names = list(names)
    more = len(names) - SHOWN
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:SHOWN])} and {more} more"


class PlacedError(GameError):
    """A mistake whose message has the file, the line and the path of keys already."""


class Node:
    """A text, a list or a mapping, and where in the file it stands."""

    __slots__ = ("file", "key", "line", "parent", "value")

    def __init__(self, file: str, parent: Node | None = None, key: str | int = "") -> None:
        self.file, self.parent, self.key = file, parent, key
        self.line = 1
        self.value: str | list[Node] | dict[str, Node] = ""

    def child(self, key: str | int) -> Node:
        return Node(self.file, self, key)

    @property
    def path(self) -> str:
        """The keys from the top: steps[1].states.high.rewards."""
        if self.parent is None:
            return ""
        if isinstance(self.key, int):
            return f"{self.parent.path}[{self.key}]"
        key = self.key if re.fullmatch(r"[\w/+-]+|\?", self.key) else repr(self.key)
        return f"{self.parent.path}.{key}".lstrip(".")

    @property
    def place(self) -> str:
        """Where it stands, for messages: file:line: path of keys."""
        place = f"{self.file}:{self.line}"
        return f"{place}: {self.path}" if self.path else place

    def at(self, *keys: str | int) -> Node:
        """The node below these keys; where there is none, an empty one in its place."""
        node = self
        for key in keys:
            if isinstance(node.value, dict) and key in node.value:
                node = node.value[str(key)]
            elif isinstance(node.value, list) and key in range(len(node.value)):
                node = node.value[int(key)]
            else:
                line, node = node.line, node.child(key)
                node.line = line
        return node

    @property
    def shown(self) -> str:
        """The value, for messages."""
        if isinstance(self.value, str):
            text = repr(self.value)
            return text if len(text) <= 60 else f"{text[:57]}..."
        return f"a {'list' if isinstance(self.value, list) else 'mapping'} of {len(self.value)}"

    def refuse(self, problem: str, kind: type[AmgError] = PlacedError) -> NoReturn:
        raise kind(f"{self.place}: {problem}")

    # --- the plain value, if the node is what it must be ---

    def entries(self) -> dict[str, Node]:
        if not isinstance(self.value, dict) or not self.value:
            self.refuse(f"must be a mapping with at least one 'key: value', not {self.shown}")
        return self.value

    def fields(self, required: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Node]:
        """The entries of a mapping whose keys are fixed."""
        required = tuple(required)
        known = (*required, *optional)
        for key, child in self.entries().items():
            if key not in known:
                child.refuse(f"unknown key; there are {', '.join(known)}")
        for key in required:
            if key not in self.entries():
                self.refuse(f"key {key!r} is missing; add it")
        return self.entries()

    def items(self) -> list[Node]:
        if not isinstance(self.value, list) or not self.value:
            self.refuse(f"must be a list with at least one item, not {self.shown}")
        return self.value

    def text(self) -> str:
        if not isinstance(self.value, str):
            self.refuse(f"must be text, not {self.shown}")
        return self.value

    def name(self) -> str:
        if not (self.text() and self.text().isprintable()):
            self.refuse(f"{self.shown} is not a name; give printable text on one line")
        return self.text()

    def number(self) -> Fraction:
        try:
            return exact(self.text())
        except ValueError:
            self.refuse(f"{self.shown} is not a number; write it like 0.25, 1e-3 or 2/3")

    def real(self) -> float:
        try:
            return float(self.number())
        except OverflowError:
            self.refuse(f"{self.shown} is too large a number; write one below 1e308")

    def count(self, most: int) -> int:
        number = self.number()
        if number.denominator != 1 or not 1 <= number <= most:
            self.refuse(f"{self.shown} is not an integer from 1 to {most}; write one")
        return int(number)


def load(path: Path, remedy: str, largest: int | None = None) -> Node:
    """The one document in a file; `remedy` is for an empty one."""
    name = str(path) if str(path).isprintable() else repr(str(path))
    return parse(read(path, name, largest or MAX_BYTES), name, remedy)


def read(path: Path, name: str, largest: int) -> str:
    """The text of a file of at most this many bytes."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe may have no end
            raise OSError("is not a file")
        with path.open("rb") as stream:
            content = stream.read(largest + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"{name}: cannot be read: {reason}; check the path") from None
    if len(content) > largest:
        raise FileError(f"{name}: is larger than {largest >> 20} MB, the limit; make it smaller")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"{name}: byte {error.start} is not UTF-8; save it as UTF-8") from None


def parse(text: str, name: str, remedy: str) -> Node:
    """The nodes of the one document in `text`; `remedy` is for an empty one."""
    try:
        parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        parser.get_event()  # the stream's start
        if parser.check_event(yaml.StreamEndEvent):
            raise FileError(f"{name}: is empty; {remedy}")
        parser.get_event()  # the document's start
        root = compose(parser, Node(name), depth=1)
        parser.get_event()  # the document's end
        if not parser.check_event(yaml.StreamEndEvent):
            raise FileError(f"{name}: holds more than one YAML document; keep only the first")
        return root
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", "unreadable")
        place = f"{name}:{mark.line + 1}" if mark else name
        raise FileError(
            f"{place}: not YAML: {' '.join(str(problem).split())}; correct it there"
        ) from None


def compose(parser: Any, node: Node, depth: int) -> Node:
    """Fill `node` from the parser's next events."""
    event = parser.get_event()
    node.line = event.start_mark.line + 1
    if event.anchor is not None:  # of an alias, too
        node.refuse("has an anchor or alias (& or *); write the value out", FileError)
    if event.tag is not None:
        node.refuse(f"has the tag {event.tag!r}; remove it", FileError)
    if depth > MAX_DEPTH:
        node.refuse(f"is nested more than {MAX_DEPTH} deep; make it flatter", FileError)
    if isinstance(event, yaml.ScalarEvent):
        node.value = event.value
    elif isinstance(event, yaml.SequenceStartEvent):
        items: list[Node] = []
        while not parser.check_event(yaml.SequenceEndEvent):
            items.append(compose(parser, node.child(len(items)), depth + 1))
        node.value = items
        parser.get_event()
    else:
        entries: dict[str, Node] = {}
        while not parser.check_event(yaml.MappingEndEvent):
            label = compose(parser, node.child("?"), depth + 1)
            key = label.name()
            if len(key) > MAX_KEY:
                label.refuse(
                    f"the key {label.shown} has more than {MAX_KEY} characters; shorten it",
                    FileError,
                )
            child = compose(parser, node.child(key), depth + 1)
            child.line = label.line
            if key in entries:
                child.refuse(f"repeats the key of line {entries[key].line}; keep one", FileError)
            entries[key] = child
        node.value = entries
        parser.get_event()
    return node
