"""Models: texts become what they spell, and a mistake is one line with a place and a meaning."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal

import jsonschema
import pytest
from pydantic import AfterValidator, Field

from amg.base.errors import ParameterError
from amg.inputs.document import lay_over, parse
from amg.inputs.models import Exact, Model, Null, OneOf, Real, Text, Whole, json_schema, validate


class Span(Model):
    """From a number to another."""

    first: Whole = Field(alias="from", ge=1, description="The least")
    last: Whole = Field(alias="to", description="The largest")


def _even(value: int) -> int:
    if value % 2:
        raise ValueError(f"{value} is odd {{key}}; give an even number")
    return value


class Example(Model):
    """A file."""

    seeds: Whole = Field(description="How many seeds", ge=1, le=100)
    level: Real = Field(0.5, gt=0, lt=1, description="Coverage")
    ratio: Exact = Field(Fraction(1, 3), gt=0, description="A ratio")
    title: Text = Field("none", description="A title", pattern="^[a-z ]+$", max_length=9)
    kind: Literal["one", "two"] = Field("one", description="Which kind")
    colour: Annotated[str, OneOf(["red", "green"])] = Field("red", description="Its colour")
    limit: Annotated[Real | None, Null] = Field(None, description="A limit, or null")
    episodes: Annotated[list[Whole], Field(min_length=1)] | Span = Field([1], description="K")
    spans: dict[Annotated[str, Field(pattern="^[a-z]+$")], Span] = Field({}, description="By name")
    pair: list[Real] = Field([1, 2], min_length=2, max_length=2, description="[low, high]")
    sums: dict[Exact, Real] = Field({}, description="By sum")
    even: Annotated[Whole, AfterValidator(_even)] = Field(2, description="An even number")


def read(text: str) -> Example:
    return validate(Example, parse(text, "file.yaml", ""))


def test_texts_become_what_they_spell() -> None:
    example = read(
        "seeds: 1e1\nlevel: 1/4\nratio: 0.1\ntitle: no\nlimit: null\n"
        "episodes: {from: 1, to: 1e6}\nsums: {1/2: 1, 2: 0.5}"
    )
    assert (example.seeds, example.level, example.ratio) == (10, 0.25, Fraction(1, 10))
    assert (example.title, example.limit) == ("no", None)
    assert isinstance(example.episodes, Span)
    assert example.episodes.last == 1_000_000
    assert example.sums == {Fraction(1, 2): 1, Fraction(2): 0.5}
    assert read("seeds: 1\nlimit: 0.5").limit == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seeds: 0", "1: seeds: '0' must be greater than or equal to 1 (How many seeds)"),
        ("seeds: 1e3", "1: seeds: '1e3' must be less than or equal to 100 (How many seeds)"),
        ("seeds: 1.5", "1: seeds: '1.5' must be a whole number (How many seeds)"),
        ("seeds: [1]", "1: seeds: a list of 1 must be a whole number (How many seeds)"),
        ("level: .5", "1: seeds: is missing; add it (How many seeds)"),
        ("seed: 1", "1: seed: unknown key; there are seeds, level, ratio"),
        ("seeds: 1\nlevel: 1", "2: level: '1' must be less than 1 (Coverage)"),
        ("seeds: 1\nlevel: .nan", "2: level: '.nan' must be a number like 0.25, 1e-3 or 2/3 ("),
        ("seeds: 1\nlimit: 1e400", "2: limit: '1e400' must be a number below 1e308 ("),
        ("seeds: 1\nratio: 0", "2: ratio: '0' must be greater than 0 (A ratio)"),
        ("seeds: 1\ntitle:", "2: title: '' must be text on one line (A title)"),
        ("seeds: 1\ntitle: A", "2: title: 'A' must match pattern '^[a-z ]+$' (A title)"),
        ("seeds: 1\ntitle: abcdefghij", "2: title: 'abcdefghij' must have at most 9 characters"),
        ("seeds: 1\nkind: three", "2: kind: 'three' must be 'one' or 'two' (Which kind)"),
        ("seeds: 1\ncolour: blue", "2: colour: 'blue' must be 'red' or 'green'"),
        ("seeds: 1\ncolour: [red]", "2: colour: a list of 1 must be 'red' or 'green'"),
        ("seeds: 1\nepisodes: []", "2: episodes: a list of 0 must have at least 1 item (K)"),
        ("seeds: 1\nepisodes: [1, x]", "2: episodes[1]: 'x' must be a whole number (K)"),
        (
            "seeds: 1\nepisodes:\n  from: 0\n  to: 2",
            "3: episodes.from: '0' must be greater than or equal to 1 (The least)",
        ),
        ("seeds: 1\nepisodes: {from: 1}", "2: episodes.to: is missing; add it (The largest)"),
        ("seeds: 1\nspans: {a: 1}", "2: spans.a: '1' must be a mapping (By name)"),
        (
            "seeds: 1\nspans: {A: {from: 1, to: 2}}",
            "2: spans.A: the key 'A' must match pattern '^[a-z]+$'",
        ),
        ("seeds: 1\nspans: [1]", "2: spans: a list of 1 must be a mapping (By name)"),
        ("seeds: 1\npair: 1", "2: pair: '1' must be a valid list ([low, high])"),
        ("seeds: 1\npair: [1]", "2: pair: a list of 1 must have at least 2 items ([low, high])"),
        (
            "seeds: 1\npair: [1, 2, 3]",
            "2: pair: a list of 3 must have at most 2 items ([low, high])",
        ),
        ("seeds: 1\nsums: {x: 1}", "2: sums.x: the key 'x' must be a number like"),
        ("seeds: 1\neven: 3", "2: even: 3 is odd {key}; give an even number"),
        ("seeds: 1\nlevel: x\neven: 3", "2: level: "),  # the first of two
        ("- 1", "1: a list of 1 must be a mapping"),
    ],
)
def test_a_mistake_is_one_line(text: str, message: str) -> None:
    with pytest.raises(ParameterError) as refusal:
        read(text)
    assert str(refusal.value).startswith(f"file.yaml:{message}")
    assert str(refusal.value).isprintable()


def test_mistakes_of_layers_name_their_own_file() -> None:
    lower = parse("seeds: 1\nepisodes: {from: 1, to: 2}", "file.yaml", "")
    upper = parse("episodes: {from: 0}", "--config", "")
    with pytest.raises(
        ParameterError, match=r"^--config:1: episodes\.from: '0' must be greater than or equal"
    ):
        validate(Example, lay_over(lower, upper))


# --- JSON schemas --------------------------------------------------------------------------------

SCHEMA = json_schema(Example)


@pytest.mark.parametrize(
    "values",
    [
        {"seeds": 20},
        {"seeds": "2e1", "level": 0.25, "ratio": "1/3", "limit": None},
        {"seeds": 1, "limit": "null", "title": "a b", "colour": "green"},
        {"seeds": 1, "title": False, "episodes": [1, "1e3"]},  # an editor's reading of `no`
        {"seeds": 1, "episodes": {"from": 1, "to": "10"}, "sums": {"1/2": 3}},
    ],
)
def test_an_editor_accepts(values: dict[str, Any]) -> None:
    jsonschema.validate(values, SCHEMA)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"seeds": 0},
        {"seeds": 1.5},
        {"seeds": "many"},
        {"seeds": 1, "level": 2},
        {"seeds": 1, "ratio": -1},
        {"seeds": 1, "kind": "three"},
        {"seeds": 1, "colour": "blue"},
        {"seeds": 1, "limit": "none"},
        {"seeds": 1, "episodes": []},
        {"seeds": 1, "episodes": {"from": 1}},
        {"seeds": 1, "spans": {"a": {"from": 1, "to": 2, "by": 3}}},
        {"seeds": 1, "pair": [1]},
        {"seeds": 1, "surprise": 1},
    ],
)
def test_an_editor_marks(values: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(values, SCHEMA)


def test_schemas_describe_every_key() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["seeds"]["description"] == "How many seeds"
    assert all("description" in part for part in SCHEMA["properties"].values())
    assert "title" not in SCHEMA["properties"]["seeds"]
