"""Models of the files that people write: one pydantic model for each kind of file.

A model gives texts their types: the seeds `20` are a whole number, the setting `0.10` stays as it
was written, `no` is never a truth value. `validate` reads a document by a model and refuses a
mistake in one line: file, line, path of keys, value, and the description of the field.
`json_schema` makes the schema that editors use from the same model.
"""

import re
import typing
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import ErrorDetails, core_schema

from amg.base.rational import SPELLING, exact
from amg.base.text import choices, quote
from amg.inputs.document import Node

M = TypeVar("M", bound="Model")


class Model(BaseModel):
    """Base of all models: unknown keys are refused, instances do not change."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True, extra="forbid")

    @classmethod
    def keys(cls) -> dict[str, Any]:
        """Return the fields by the keys that a file uses."""
        return {field.alias or name: field for name, field in cls.model_fields.items()}


# --- scalars ---------------------------------------------------------------------------------
# Messages begin like pydantic's own. `_problem` puts the value in place of "Input".


def _exact(value: Any) -> Fraction:
    try:
        return exact(value)
    except ValueError:
        raise ValueError("Input should be a number like 0.25, 1e-3 or 2/3") from None


def _whole(value: Any) -> int:
    with suppress(ValueError):
        if exact(value).denominator == 1:
            return int(exact(value))
    raise ValueError("Input should be a whole number")


def _real(value: Any) -> float:
    try:
        return float(_exact(value))
    except OverflowError:
        raise ValueError("Input should be a number below 1e308") from None


def _text(value: Any) -> str:
    if not (isinstance(value, str) and value and value.isprintable()):
        raise ValueError("Input should be text on one line")
    return value


class _Spelling:
    """What an editor accepts for a scalar: `1e5` as the number or the text that it takes it for."""

    def __init__(self, **schema: Any) -> None:
        self.schema = schema

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        schema = handler(core)
        schema = schema.get("anyOf", [schema])[0]  # pydantic has two parts for a Fraction
        return {**{BOUNDS.get(word, word): value for word, value in schema.items()}, **self.schema}


@dataclass(frozen=True, eq=False)
class OneOf:
    """In Annotated[str, OneOf(names)]: one of these names and no other text."""

    names: Iterable[str]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return core_schema.literal_schema(list(self.names))


class _Null:
    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return core_schema.no_info_before_validator_function(
            lambda value: None if value == "null" else value, handler(source)
        )

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        schema = handler(core)
        others = [part for part in schema["anyOf"] if part != {"type": "null"}]
        return {**schema, "anyOf": [*others, {"enum": [None, "null"]}]}


BOUNDS = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}
PATTERN = rf"^\s*({SPELLING.pattern})\s*$"
WHOLE = _Spelling(type=["integer", "string"], pattern=PATTERN)
NUMBER = _Spelling(type=["number", "string"], pattern=PATTERN)
TEXT = _Spelling(type=["string", "number", "boolean"])

Whole = Annotated[int, BeforeValidator(_whole), WHOLE]  # 20, 1e5
Real = Annotated[float, BeforeValidator(_real), NUMBER]  # 0.25, 1e-3, 2/3
Exact = Annotated[Fraction, BeforeValidator(_exact), NUMBER]  # the same, not rounded
Text = Annotated[str, BeforeValidator(_text), TEXT]  # kept as it was written
Null = _Null()  # in Annotated[X | None, Null]: the word null


# --- documents -------------------------------------------------------------------------------


def validate(model: type[M], document: Node) -> M:
    """Return the document as an instance of the model, or refuse its first mistake."""
    try:
        return model.model_validate(document.plain)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
    mistakes = [(_place(document, details), details) for details in errors]
    # A missing key comes last: often its name is misspelled, and the unknown key says more.
    first = min(mistakes, key=lambda one: (one[1]["type"] == "missing", one[0].line))
    # A union gives one error for each of its members. The one below the others is of the member
    # that was meant: `{name: x, scale: y}` was not meant to be a word.
    keys = first[0].keys
    below = (one for one in mistakes if one[0].keys[: len(keys)] == keys != one[0].keys)
    node, details = next(below, first)
    kind, meaning = _field(model, node)
    problem = _problem(node, details, kind)
    node.refuse(f"{problem} ({meaning})" if meaning else problem)


def _place(document: Node, details: ErrorDetails) -> Node:
    """Return the node that an error is about; names of a union's members are no keys."""
    node = document
    for key in details["loc"]:
        node = node.get(key) or node
    return node.at(str(details["loc"][-1])) if details["type"] == "missing" else node


def _field(model: type[Model], node: Node) -> tuple[Any, str | None]:
    """Return the type of the last field on the way to a node, and the last description."""
    kind: Any = model
    meaning = None
    for key in node.keys:
        fields = (part.keys().get(str(key)) for part in _models(kind))
        field = next((field for field in fields if field is not None), None)
        if field is not None:  # otherwise a name in a mapping, or a place in a list
            kind, meaning = field.annotation, field.description or meaning
    return kind, meaning


def _models(kind: Any) -> Iterator[type[Model]]:
    """Yield the models within a type such as dict[str, M] or list[M] | M."""
    if isinstance(kind, type) and issubclass(kind, Model):
        yield kind
    for part in typing.get_args(kind):
        yield from _models(part)


def _problem(node: Node, details: ErrorDetails, kind: Any) -> str:
    """Return what is wrong: pydantic's message with the value in it."""
    if details["type"] == "missing":
        return "is missing; add it"
    if details["type"] == "extra_forbidden":
        known = [key for part in _models(kind) for key in part.keys()]  # noqa: SIM118
        return f"unknown key; there are {choices(known)}"
    message = str(details.get("ctx", {}).get("error", details["msg"]))
    message = re.sub("a valid dictionary.*", "a mapping", message)
    message = re.sub(r" after validation|, not (more|\d+)$", "", message)
    is_key = details["loc"][-1:] == ("[key]",)
    subject = f"the key {quote(node.key)}" if is_key else node.shown
    return re.sub("^(Input|String|List|Dictionary) should", lambda _: f"{subject} must", message)


# --- JSON schemas, for editors ---------------------------------------------------------------


class _Generator(GenerateJsonSchema):
    """Leaves out titles, which repeat the keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def json_schema(model: type[Model]) -> dict[str, Any]:
    """Return the JSON schema of a model."""
    schema = model.model_json_schema(schema_generator=_Generator)
    return {"$schema": _Generator.schema_dialect, **schema}
