"""Every key of the config as tables: type, default and meaning, read from the models.

The tables stand in config/README.md, which the Snakemake workflow catalogue shows.
"""

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from amg.base.text import markdown_table
from amg.game.library import BUILDERS
from amg.inputs.models import json_schema
from amg.learning.parameters import ALGORITHMS
from amg.study.config import Config

Schema = Mapping[str, Any]
HEADER = ("key", "type", "default", "meaning")
KINDS = {"integer": "whole number", "number": "number", "string": "text"}
BELOW = "its own keys, below"


def config_block() -> str:
    """Return the tables of all keys, of the builders' and of the algorithms' parameters."""
    schema = json_schema(Config)
    parts = [_table(schema)]
    for key, field in schema["properties"].items():
        for place, model in _models(key, field, schema["$defs"]):
            parts.append(f"### `{place}`\n\n{model['description']}\n\n{_table(model)}")
        if key == "games":
            parts.append(_builders())
        if key == "learners":
            parts.append(_algorithms())
    return "\n\n".join(parts)


def _models(place: str, field: Schema, models: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield each model that a field may hold, and those below it, with the place in the file."""
    if "$ref" in field:
        model = models[field["$ref"].rpartition("/")[2]]
        yield place, model
        for key, below in model["properties"].items():
            yield from _models(f"{place}.{key}", below, models)
    for other in field.get("anyOf", ()):
        yield from _models(place, other, models)
    for value in field.get("patternProperties", {}).values():
        yield from _models(f"{place}.NAME", value, models)


def _table(model: Schema) -> str:
    rows = [
        (f"`{key}`", _kind(field), _default(key, field, model), field["description"])
        for key, field in model["properties"].items()
    ]
    return markdown_table(HEADER, rows)


def _default(key: str, field: Schema, model: Schema) -> str:
    if key in model.get("required", ()):
        return "must be given"
    return f"`{field['default']}`" if field.get("default") not in (None, {}) else "–"


def _kind(part: Schema, plural: str = "") -> str:
    """Return what a value may be, in words: "whole number, 1 to 100,000"."""
    if "$ref" in part:
        return BELOW
    if "anyOf" in part:
        others = [other for other in part["anyOf"] if other != {"type": "null"}]
        return " or ".join(dict.fromkeys(_kind(other, plural) for other in others))
    if part["type"] == "array":
        return f"list of {_kind(part['items'], 's')}"
    if part["type"] == "object":
        (value,) = part.get("patternProperties", {"": part.get("additionalProperties")}).values()
        return f"names, each with {BELOW if value.get('type') == 'object' else _kind(value)}"
    first = part["type"] if isinstance(part["type"], str) else part["type"][0]
    return f"{KINDS[first]}{plural}{_bounds(part)}"


def _bounds(part: Schema) -> str:
    low, above, high = (part.get(key) for key in ("minimum", "exclusiveMinimum", "maximum"))
    if high is None:
        return ""
    start = f"above {above:,}, at most" if low is None else f"{low:,} to"
    return f", {start} {high:,}"


def _builders() -> str:
    lines = ["Builders and the defaults of their parameters:", ""]
    for name, builder in BUILDERS.items():
        known = inspect.signature(builder).parameters.values()
        values = ", ".join(f"`{one.name}: {one.default}`" for one in known)
        lines.append(f"- [`{name}`](../docs/games/{name}.md): {values}")
    return "\n".join(lines)


def _algorithms() -> str:
    """Return a table for each algorithm, of the parameters that none above has."""
    parts = ["### `learners.NAME`\n\nThe key `algorithm`, and the parameters of that algorithm."]
    shown: dict[str, dict[str, Any]] = {}
    for name, kind in ALGORITHMS.items():
        fields = {field.name: field for field in dataclasses.fields(kind)}
        like = next((other for other in shown if shown[other].keys() == fields.keys()), None)
        own = [one for one in fields.values() if not like or shown[like][one.name] is not one]
        about = f"**`{name}`**: {inspect.getdoc(kind)}".splitlines()[0]
        if like:
            about += f" It has the parameters of `{like}`{', but:' if own else '.'}"
        parts += [about, *([markdown_table(HEADER, list(map(_row, own)))] if own else [])]
        shown[name] = fields
    return "\n\n".join(parts)


def _row(field: Any) -> tuple[str, str, str, str]:
    about = field.metadata
    words = " or ".join(f"`{word}`" for word in about.get("choices", ()))
    kind = words or f"number in {about['interval']}".replace("inf", "∞")
    meaning = about["doc"]
    if about["only"]:
        other, values = about["only"]
        meaning += f"; only with `{other}` {' or '.join(f'`{value}`' for value in values)}"
    return f"`{field.name}`", kind, f"`{field.default}`", meaning
