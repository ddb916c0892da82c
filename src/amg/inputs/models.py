"""Models of the files that people write: one pydantic model each, one line for each mistake.

A model says what a text is: the seeds `20` are a whole number, the setting `0.10` stays as it was
written, `no` is never a truth value. `validate` reads a document by a model. What does not fit is
refused with file, line, path of keys, value, and what would fit.

---
JSON schemas of the files that people write, for editors.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, NoReturn, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import ErrorDetails, PydanticCustomError, core_schema

from amg.base.rational import SPELLING, exact
from amg.base.text import choices, quote
from amg.inputs.document import Node

M = TypeVar("M", bound="Model")


class Model(BaseModel):
    """Base of all models: unknown keys are refused, instances do not change."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, data: Any) -> Any:
        known = cls.keys()
        if isinstance(data, Mapping):
            for key in data:
                if key not in known:
                    raise mistake(f"unknown key; there are {choices(known)}", key)
            for key, field in known.items():
                if field.is_required() and key not in data:
                    raise mistake("is missing; add it", key, describe=True)
        return data

    @classmethod
    def keys(cls) -> dict[str, Any]:
        """Return the fields by the keys that a file uses."""
        return {field.alias or name: field for name, field in cls.model_fields.items()}


def mistake(
    problem: str, key: str | int | None = None, describe: bool = False
) -> PydanticCustomError:
    """Return an error for a validator to raise, about the value at hand or one of its entries.

    With `describe`, the message ends with the description of the field.
    """
    kind = "described" if describe else "complete"
    context = {"key": key, "problem": problem}  # in this order: no {key} of a problem is filled in
    return PydanticCustomError(kind, "{problem}", context)


def _wrong_type(wanted: str, value: Any) -> PydanticCustomError:
    return mistake(f"must be {wanted}, not {_shown(value)}", describe=True)


# --- scalars ---------------------------------------------------------------------------------


def _exact(value: Any) -> Fraction:
    try:
        return exact(value)
    except ValueError:
        raise _wrong_type("a number like 0.25, 1e-3 or 2/3", value) from None


def _whole(value: Any) -> int:
    with suppress(ValueError):
        if exact(value).denominator == 1:
            return int(exact(value))
    raise _wrong_type("a whole number", value)


def _real(value: Any) -> float:
    try:
        return float(_exact(value))
    except OverflowError:
        raise _wrong_type("a number below 1e308", value) from None


def _text(value: Any) -> str:
    if not (isinstance(value, str) and value and value.isprintable()):
        raise _wrong_type("text on one line", value)
    return value


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return f"a {'mapping' if isinstance(value, dict) else 'list'} of {len(value)}"
    return quote(value)


@dataclass(frozen=True)
class _Spelling:
    """What an editor accepts for a scalar: `1e5` as the number or the text that it takes it for."""

    types: tuple[str, ...]
    pattern: str | None = None

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        schema = handler(core)
        schema = schema.get("anyOf", [schema])[0]  # pydantic has two parts for a Fraction
        schema = {BOUNDS.get(word, word): value for word, value in schema.items()}
        pattern = {} if self.pattern is None else {"pattern": self.pattern}
        return {**schema, "type": list(self.types), **pattern}


@dataclass(frozen=True, eq=False)
class OneOf:
    """In Annotated[str, OneOf(names)]: one of these names and no other text."""

    names: Iterable[str]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return core_schema.no_info_before_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {"enum": list(self.names)}

    def _check(self, value: Any) -> Any:
        if not isinstance(value, str) or value not in set(self.names):
            raise mistake(f"{_shown(value)} is unknown; there are {choices(self.names)}")
        return value


class _Null:
    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return core_schema.no_info_before_validator_function(self._read, handler(source))

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        schema = handler(core)
        others = [part for part in schema["anyOf"] if part != {"type": "null"}]
        return {**schema, "anyOf": [*others, {"enum": [None, "null"]}]}

    def _read(self, value: Any) -> Any:
        return None if value == "null" else value


BOUNDS = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}
NUMBER = _Spelling(("number", "string"), rf"^\s*({SPELLING.pattern})\s*$")

Whole = Annotated[  # 20, 1e5
    int, BeforeValidator(_whole), _Spelling(("integer", "string"), NUMBER.pattern)
]
Real = Annotated[float, BeforeValidator(_real), NUMBER]  # 0.25, 1e-3, 2/3
Exact = Annotated[Fraction, BeforeValidator(_exact), NUMBER]  # the same, not rounded
Text = Annotated[  # kept as it was written
    str, BeforeValidator(_text), _Spelling(("string", "number", "boolean"))
]
Null = _Null()  # in Annotated[X | None, Null]: the word null


# --- documents -------------------------------------------------------------------------------


def validate(model: type[M], document: Node) -> M:
    """Return the document as an instance of the model, or refuse its first mistake."""
    try:
        return model.model_validate(document.plain, context={})
    except ValidationError as error:
        mistakes = [(_place(document, details), details) for details in error.errors()]
    first = min(mistakes, key=lambda one: one[0].line or 0)
    # A union gives one error for each of its members. The one below the others is of the member
    # that was meant: `{name: x, scale: y}` was not meant to be a word.
    keys = first[0].keys
    below = (one for one in mistakes if one[0].keys[: len(keys)] == keys != one[0].keys)
    _refuse(model, *next(below, first))


def _place(document: Node, details: ErrorDetails) -> Node:
    """Return the node that an error is about; names of a union's members are no keys."""
    node = document
    for key in details["loc"]:
        node = node.get(key) or node
    extra = details.get("ctx", {}).get("key")
    return node if extra is None else node.at(extra)


def _refuse(model: type[Model], node: Node, details: ErrorDetails) -> NoReturn:
    problem = _problem(node, details)
    meaning = next(reversed(list(_descriptions(model, node))), None)
    complete = meaning is None or details["type"] == "complete"
    node.refuse(problem if complete else f"{problem} ({meaning})")


def _problem(node: Node, details: ErrorDetails) -> str:
    """Return what is wrong, in plain words."""
    limits = details.get("ctx", {})
    if details["loc"][-1:] == ("[key]",):
        must = f"must fit {limits['pattern']}" if "pattern" in limits else details["msg"]
        return f"the key {quote(node.key)} {must}"
    for word, phrase in (("ge", "at least"), ("le", "at most"), ("gt", "above"), ("lt", "below")):
        if word in limits:
            bound = limits[word]
            return f"{node.shown} must be {phrase} {int(bound) if bound == int(bound) else bound}"
    match details["type"]:
        case "literal_error":
            return f"{node.shown} is not one of {limits['expected'].replace(chr(39), '')}"
        case "string_pattern_mismatch":
            return f"{node.shown} does not fit"
        case "string_too_long":
            return f"{node.shown} is longer than {limits['max_length']} characters"
        case "too_short" if limits["min_length"] == 1:
            return "is empty; give at least one entry"
        case "too_short":
            return f"has {len(node.value)} entries; give at least {limits['min_length']}"
        case "too_long":
            return f"has {len(node.value)} entries; give at most {limits['max_length']}"
        case "dict_type" | "model_type" | "model_attributes_type":
            return f"must be a mapping, not {node.shown}"
        case "list_type":
            return f"must be a list, not {node.shown}"
        case "string_type":
            return f"must be text, not {node.shown}"
        case "value_error":
            return str(limits["error"])
    return details["msg"]


def _descriptions(model: type[Model], node: Node) -> Iterator[str]:
    """Yield what the model says about each key on the way to a node."""
    kind: Any = model
    for key in node.keys:
        fields = (part.keys().get(str(key)) for part in _models(kind))
        field = next((field for field in fields if field is not None), None)
        if field is not None:  # otherwise a name in a mapping, or a place in a list
            kind = field.annotation
            if field.description:
                yield field.description


def _models(kind: Any) -> Iterator[type[Model]]:
    """Yield the models within a type such as dict[str, M] or list[M] | M."""
    if isinstance(kind, type) and issubclass(kind, Model):
        yield kind
    for part in typing.get_args(kind):
        yield from _models(part)


# ===== inputs/schemas


class _Generator(GenerateJsonSchema):
    """Leaves out titles, which repeat the keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def json_schemas(models: Mapping[str, type[Model]]) -> dict[str, str]:
    """Return {file name: JSON text} for {name: model}; claims becomes claims.schema.json."""
    return {
        f"{name}.schema.json": json.dumps(json_schema(model), indent=2, ensure_ascii=False) + "\n"
        for name, model in models.items()
    }


def json_schema(model: type[Model]) -> dict[str, Any]:
    """Return the JSON schema of a model."""
    schema = model.model_json_schema(schema_generator=_Generator)
    return {"$schema": _Generator.schema_dialect, **schema}
