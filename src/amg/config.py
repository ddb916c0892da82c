"""Reading configs: a schema that knows every key, defaults filled in, mistakes in one line."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from amg.errors import ParameterError


def load_schema(path: Path) -> dict[str, Any]:
    """A schema, written as YAML."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def resolve(config: Mapping[str, Any], schema: Mapping[str, Any], source: str) -> dict[str, Any]:
    """The config with every default filled in; ParameterError for whatever does not fit."""
    resolved = copy.deepcopy(dict(config))
    _fill(resolved, schema, schema)
    errors = sorted(
        jsonschema.Draft202012Validator(schema).iter_errors(resolved),
        key=lambda error: (len(error.path), str(error.path)),
    )
    if errors:
        raise ParameterError(f"{source}: {_line(errors[0])}")
    return resolved


def _fill(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> None:
    """Put the schema's defaults where a mapping has no value."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if not isinstance(value, dict):
        return
    for key, part in schema.get("properties", {}).items():
        if key not in value and "default" in part:
            value[key] = copy.deepcopy(part["default"])
        if key in value:
            _fill(value[key], part, root)
    other = schema.get("additionalProperties")
    if isinstance(other, Mapping):
        for key in value.keys() - schema.get("properties", {}).keys():
            _fill(value[key], other, root)


def _line(error: jsonschema.ValidationError) -> str:
    """One line: the key, the value, and what it must be."""
    place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path)
    place = place.lstrip(".") or "the top level"
    value = " ".join(str(error.instance).split())
    value = value if len(value) <= 80 else f"{value[:77]}..."
    if error.validator == "additionalProperties":
        known = ", ".join(error.schema.get("properties", {}))
        unknown = ", ".join(
            str(key) for key in error.instance if key not in error.schema.get("properties", {})
        )
        return f"{place}: unknown key {unknown}; there are {known}"
    if error.validator == "required":
        return f"{place}: {error.message}"
    problem = error.message if len(error.message) < 120 else "does not fit"
    meaning = error.schema.get("description")
    return f"{place} = {value}: {problem}" + (f" ({meaning})" if meaning else "")
