"""A document read by its schema: every value of the type that the schema says, defaults filled in.

The schema is JSON Schema, as far as `WORDS` goes. It decides what a text is: the seeds `20` are a
whole number, the setting `0.1` is kept as it was written, `no` is never a truth value. What does
not fit is refused in one line: file, line, path of keys, value, and what would fit.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import yaml

from amg.documents import Node
from amg.errors import FileError, ParameterError
from amg.numbers import exact

Schema = Mapping[str, Any]
WORDS = {
    *("$schema", "$defs", "$ref", "title", "description", "default"),
    *("type", "oneOf", "enum", "pattern", "minLength", "maxLength"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("items", "minItems", "uniqueItems"),
    *("properties", "additionalProperties", "propertyNames", "minProperties", "required"),
}
SCALARS = {
    "null": "null",
    "integer": "a whole number",
    "number": "a number",
    "string": "text on one line",
}
BOUNDS = {
    "minimum": (operator.ge, "at least"),
    "maximum": (operator.le, "at most"),
    "exclusiveMinimum": (operator.gt, "above"),
    "exclusiveMaximum": (operator.lt, "below"),
}


def load_schema(path: Path) -> Schema:
    """A schema of this repository, written as YAML."""
    try:
        schema: Schema = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(
            f"{path}: {error.strerror}; run this at the top of the repository"
        ) from None
    _check_words(schema)
    return schema


def _check_words(schema: Schema) -> None:
    """A word that is not known here would be ignored: a mistake of ours."""
    assert schema.keys() <= WORDS, f"unknown words in the schema: {schema.keys() - WORDS}"
    for key in ("properties", "$defs"):
        for part in schema.get(key, {}).values():
            _check_words(part)
    for key in ("items", "propertyNames", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            _check_words(schema[key])
    for part in schema.get("oneOf", ()):
        _check_words(part)


def resolve(document: Node, schema: Schema) -> dict[str, Any]:
    """The plain values of a whole document."""
    values: dict[str, Any] = _Reader(schema).value(document, schema)
    return values


def plain(node: Node) -> Any:
    """The texts of a node, as they stand."""
    if isinstance(node.value, dict):
        return {key: plain(child) for key, child in node.value.items()}
    if isinstance(node.value, list):
        return [plain(child) for child in node.value]
    return node.value


class _Dumper(yaml.SafeDumper):
    """Writes every text as it is: here, nothing else could be meant by 0.1 or no."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


def to_text(values: Any) -> str:
    """Plain values as YAML that reads back to the same."""
    text: str = yaml.dump(_texts(values), Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    return text


def _texts(values: Any) -> Any:
    if isinstance(values, Mapping):
        return {key: _texts(value) for key, value in values.items()}
    if isinstance(values, list):
        return [_texts(value) for value in values]
    return "null" if values is None else str(values)


class _Reader:
    """Reads nodes by parts of one schema."""

    def __init__(self, root: Schema) -> None:
        self.root = root

    def value(self, node: Node, schema: Schema) -> Any:
        schema = self.followed(schema)
        parts = [part for part in schema.get("oneOf", ()) if "type" in part]
        if parts:  # told apart by their types
            schema = next((part for part in parts if _kind(node) == part["type"]), schema)
            schema = {"type": [part["type"] for part in parts], **schema}
        if isinstance(node.value, dict) and "object" in _types(schema):
            return self.mapping(node, node.value, schema)
        if isinstance(node.value, list) and "array" in _types(schema):
            return self.array(node, node.value, schema)
        return _scalar(node, schema)

    def followed(self, schema: Schema) -> Schema:
        """The schema with what it refers to; what a value means is said in the words of both."""
        if "$ref" not in schema:
            return schema
        whole = self.root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        said = (part["description"] for part in (schema, whole) if "description" in part)
        return {**whole, **schema, "description": "; ".join(said)}

    def mapping(self, node: Node, entries: Mapping[str, Node], schema: Schema) -> dict[str, Any]:
        self.check_keys(node, entries, schema)
        known, other = schema.get("properties", {}), schema.get("additionalProperties", True)
        values = {}
        for key, child in entries.items():
            part = known.get(key, other)
            values[key] = plain(child) if part is True else self.value(child, part)
        for key, part in known.items():
            if key not in entries and "default" in part:
                values[key] = self.value(_planted(node.at(key), part["default"]), part)
        return values

    def check_keys(self, node: Node, entries: Mapping[str, Node], schema: Schema) -> None:
        """Which keys there are, and which there must be."""
        known = schema.get("properties", {})
        for key, child in entries.items():
            if key not in known and schema.get("additionalProperties") is False:
                child.refuse(f"unknown key; there are {', '.join(known)}", ParameterError)
            if "propertyNames" in schema:
                name = Node(child.file, node.parent, node.key)
                name.value, name.line = key, child.line
                _scalar(name, self.followed(schema["propertyNames"]))
        for key in schema.get("required", ()):
            if key not in entries:
                part = self.followed(known.get(key, {}))
                _refuse(node, f"key {key!r} is missing; add it", part)
        if len(entries) < schema.get("minProperties", 0):
            _refuse(node, "is empty; give at least one 'key: value'", schema)
        choices = [part["required"][0] for part in schema.get("oneOf", ()) if "type" not in part]
        if choices and sum(key in entries for key in choices) != 1:
            _refuse(node, f"needs exactly one of the keys {', '.join(choices)}", schema)

    def array(self, node: Node, items: Sequence[Node], schema: Schema) -> list[Any]:
        if len(items) < schema.get("minItems", 0):
            _refuse(node, "is empty; give at least one item", schema)
        values = [self.value(item, schema["items"]) for item in items]
        if schema.get("uniqueItems"):
            seen: list[Any] = []
            for item, value in zip(items, map(_meaning, values), strict=True):
                if value in seen:
                    _refuse(item, f"{item.shown} is there twice; keep one", schema)
                seen.append(value)
        return values


def _kind(node: Node) -> str:
    return {dict: "object", list: "array"}.get(type(node.value), "text")


def _types(schema: Schema) -> list[str]:
    said = schema.get("type", "string")
    return [said] if isinstance(said, str) else said


def _scalar(node: Node, schema: Schema) -> Any:
    """The text as the first of null, whole number, number, text that the schema allows."""
    types = _types(schema)
    wanted = " or ".join(
        {"object": "a mapping", "array": "a list", **SCALARS}[name] for name in types
    )
    for name in SCALARS:
        if name in types and isinstance(node.value, str):
            fits, value = _as(name, node.value)
            if fits:
                _check(node, value, schema)
                return value
    _refuse(node, f"must be {wanted}, not {node.shown}", schema)


def _as(name: str, text: str) -> tuple[bool, Any]:
    """Whether the text is of this type, and the value that it is then."""
    if name == "null":
        return text == "null", None
    if name == "string":
        return text.isprintable(), text
    try:
        number, rounded = exact(text), float(exact(text))
        whole = number.denominator == 1
        return name == "number" or whole, int(number) if whole else rounded
    except (ValueError, OverflowError):
        return False, None


def _check(node: Node, value: Any, schema: Schema) -> None:
    """The bounds of numbers, and which words are allowed."""
    if "enum" in schema and value not in schema["enum"]:
        _refuse(node, f"{node.shown} is not one of {', '.join(schema['enum'])}", schema)
    if isinstance(value, str):
        if len(value) < schema.get("minLength", 0):
            _refuse(node, "is empty; write something", schema)
        if len(value) > schema.get("maxLength", len(value)):
            _refuse(node, f"{node.shown} is longer than {schema['maxLength']} characters", schema)
        if not re.search(schema.get("pattern", ""), value):
            _refuse(node, f"{node.shown} does not fit", schema)
    elif value is not None:
        for word, (fits, said) in BOUNDS.items():
            if word in schema and not fits(value, schema[word]):
                _refuse(node, f"{node.shown} must be {said} {schema[word]}", schema)


def _refuse(node: Node, problem: str, schema: Schema) -> NoReturn:
    """In one line, with what the schema says the value means."""
    meaning = schema.get("description")
    node.refuse(f"{problem} ({meaning})" if meaning else problem, ParameterError)


def _meaning(value: Any) -> Any:
    """What makes two items the same: 0.1 is 0.10."""
    try:
        return exact(value)
    except ValueError:
        return value


def _planted(node: Node, value: Any) -> Node:
    """A node for a default, as if it had been written."""
    if isinstance(value, dict):
        node.value = {key: _planted(node.child(key), part) for key, part in value.items()}
    else:
        node.value = str(value)
    return node
