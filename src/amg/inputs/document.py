"""Strict YAML: every scalar is text, and every value knows its file, line and path of keys.

A scalar becomes a number only where a model wants one: `no`, `1e3` and `1:30` stay as they were
written. Tags, anchors, aliases and repeated keys are refused. The file is read through the parser's
events, so no object is ever constructed from it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import yaml

from amg.base.errors import AmgError, FileError, ParameterError
from amg.base.files import read_text
from amg.base.text import quote

LARGEST = 16 << 20  # bytes of a game file with large tables
SMALL = 1 << 20  # bytes of any other file
MAX_DEPTH = 12
MAX_KEY = 200  # characters


class Node:
    """A text, a list or a mapping, and where in the file it stands."""

    __slots__ = ("file", "key", "line", "parent", "value")

    def __init__(
        self, file: str, parent: Node | None = None, key: str | int = "", line: int = 1
    ) -> None:
        self.file, self.parent, self.key, self.line = file, parent, key, line
        self.value: str | list[Node] | dict[str, Node] = ""

    @property
    def keys(self) -> list[str | int]:
        """The keys from the top."""
        return [] if self.parent is None else [*self.parent.keys, self.key]

    @property
    def place(self) -> str:
        """File, line and path of keys: game.yaml:12: steps[1].states.high."""
        path = ""
        for key in self.keys:
            simple = isinstance(key, int) or re.fullmatch(r"[\w/+-]+|\?", key)
            path += f"[{key}]" if isinstance(key, int) else f".{key if simple else repr(key)}"
        return f"{self.file}:{self.line}" + (f": {path.lstrip('.')}" if path else "")

    @property
    def shown(self) -> str:
        """The value, for messages."""
        if isinstance(self.value, str):
            return quote(self.value)
        return f"a {'list' if isinstance(self.value, list) else 'mapping'} of {len(self.value)}"

    @property
    def plain(self) -> Any:
        """The texts, lists and mappings without their places."""
        if isinstance(self.value, dict):
            return {key: child.plain for key, child in self.value.items()}
        if isinstance(self.value, list):
            return [child.plain for child in self.value]
        return self.value

    def child(self, key: str | int) -> Node:
        """Return a new, empty node below this one."""
        return Node(self.file, self, key, self.line)

    def get(self, key: str | int) -> Node | None:
        """Return the node below this key, or None."""
        if isinstance(self.value, dict):
            return self.value.get(str(key))
        if isinstance(self.value, list) and isinstance(key, int) and key in range(len(self.value)):
            return self.value[key]
        return None

    def at(self, *keys: str | int) -> Node:
        """Return the node below these keys; where there is none, an empty one in its place."""
        node = self
        for key in keys:
            node = node.get(key) or node.child(key)
        return node

    def refuse(self, problem: str, kind: type[AmgError] = ParameterError) -> NoReturn:
        """Raise an error that names the place."""
        raise kind(f"{self.place}: {problem}")


def load(path: Path, remedy: str, largest: int = SMALL) -> Node:
    """Return the one document in a file; `remedy` is the advice for an empty file."""
    return parse(read_text(path, largest), str(path), remedy)


def from_plain(values: Mapping[str, Any], name: str) -> Node:
    """Return the document of values that come from a program and not from a file."""
    return parse(
        json.dumps(values, default=str, ensure_ascii=False), name, "give at least one value"
    )


def parse(text: str, name: str, remedy: str) -> Node:
    """Return the nodes of the one document in `text`."""
    try:
        parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        parser.get_event()  # the stream's start
        if parser.check_event(yaml.StreamEndEvent):
            raise FileError(f"{name}: is empty; {remedy}")
        parser.get_event()  # the document's start
        root = _compose(parser, Node(name), depth=1)
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


def _compose(parser: Any, node: Node, depth: int) -> Node:
    """Fill `node` from the parser's next events."""
    event = parser.get_event()
    node.line = event.start_mark.line + 1
    if event.anchor is not None:  # an alias has one, too
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
            items.append(_compose(parser, node.child(len(items)), depth + 1))
        node.value = items
        parser.get_event()
    else:
        entries: dict[str, Node] = {}
        while not parser.check_event(yaml.MappingEndEvent):
            label = _compose(parser, node.child("?"), depth + 1)
            key = label.value
            if not (isinstance(key, str) and key.isprintable() and 0 < len(key) <= MAX_KEY):
                label.refuse(
                    f"{label.shown} is not a key; give 1 to {MAX_KEY} printable characters",
                    FileError,
                )
            child = _compose(parser, node.child(key), depth + 1)
            child.line = label.line
            if key in entries:
                child.refuse(f"repeats the key of line {entries[key].line}; keep one", FileError)
            entries[key] = child
        node.value = entries
        parser.get_event()
    return node


def lay_over(lower: Node, upper: Node) -> Node:
    """Return the values of `upper`, and those of `lower` where `upper` has none."""
    if not (isinstance(lower.value, dict) and isinstance(upper.value, dict)):
        return upper
    both = Node(lower.file, lower.parent, lower.key, lower.line)
    both.value = dict(lower.value)
    for key, child in upper.value.items():
        both.value[key] = lay_over(lower.value[key], child) if key in lower.value else child
    return both
