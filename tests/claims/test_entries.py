"""config/claims.yaml is read strictly: each mistake is one line."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from amg.base.errors import AmgError
from amg.claims.entries import JUDGED_FROM, ClaimsFile, read_claims
from amg.figures import FIGURES
from amg.inputs.models import json_schema
from amg.tables import TABLES

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "config" / "claims.yaml"
CONTENT = yaml.load(PATH.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # all text


def first(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["claims"][1].update({key: value})


def within(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["claims"][1]["with"].update({key: value})


def test_the_shipped_claims_are_whole() -> None:
    claims = read_claims(PATH)
    assert len(claims) == len(CONTENT["claims"]) >= 12
    assert {claim.figure for claim in claims} - {None} <= set(FIGURES)
    assert {claim.table for claim in claims} <= set(JUDGED_FROM) <= set(TABLES)
    assert "[19.2, 19.5]" in claims[1].criterion
    assert "lies at or below −0.5." in claims[5].criterion
    assert "1e-12" in claims[0].criterion
    assert claims[0].thresholds["matrices"]["high"]["intensive"]["mild"] == [18, 3]
    assert claims[1].thresholds["learners"] == ["v-cv", "v-mad"]
    assert claims[6].figure == "sample_complexity"
    assert claims[0].figure is None
    assert not any("{" in claim.criterion + claim.measured for claim in claims)
    assert claims[5].thresholds["least"] == 1_000_000


def test_an_editor_accepts_the_shipped_claims() -> None:
    """As another reader of YAML sees them, and as texts alone."""
    schema = json_schema(ClaimsFile)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(PATH.read_text(encoding="utf-8")), schema)
    for key, value in (("rule", "guess"), ("figure", "average"), ("colour", "red")):
        content = copy.deepcopy(CONTENT)
        content["claims"][1][key] = value
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(content, schema)


@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        (lambda content: content.update(more=1), ["more: unknown key"]),
        (lambda content: content["claims"].clear(), ["claims"]),
        (lambda content: content["claims"][1].pop("where"), ["where"]),
        (first("colour", "red"), ["claims[1].colour: unknown key", "figure"]),
        (first("id", "Rewards Settle"), ["Rewards Settle"]),
        (first("id", "payoff-matrices"), ["claims[1].id: 'payoff-matrices'", "twice"]),
        (first("title", ""), ["title"]),
        (first("rule", "guess"), ["claims[1].rule: 'guess'", "settles"]),
        (first("rule", "_worst"), ["'_worst'"]),
        (first("table", "retruns"), ["'retruns'", "returns"]),
        (first("figure", "average"), ["'average'", "average_reward"]),
        (first("criterion", "below {most}"), ["criterion", "{most}", "drift"]),
        (first("criterion", "below {"), ["criterion", "'{'"]),
        (first("criterion", "below {low:>999999999}"), ["criterion", "'{'"]),
        (first("criterion", "below {low.__class__}"), ["criterion", "'{'"]),
        (first("criterion", "below {}"), ["criterion", "'{}'"]),
        (first("statement", "one\ntwo"), ["statement"]),
        (first("with", "x"), ["with: 'x' must be a mapping"]),
        (within("height", 3), ["claims[1].with.height: unknown key", "drift"]),
        (within("low", "low"), ["with.low: 'low' must be a number like 0.25, 1e-3 or 2/3"]),
        (within("low", ".nan"), ["with.low: '.nan' must be a number like 0.25, 1e-3 or 2/3"]),
        (within("low", [1]), ["with.low"]),
        (within("low", True), ["with.low: 'true' must be a number", "'true'"]),
        (within("low", "null"), ["with.low: 'null' must be a number like 0.25, 1e-3 or 2/3"]),
        (within("learners", "v-cv"), ["with.learners", "v-cv"]),
        (within("learners", []), ["with.learners"]),
        (
            lambda content: content["claims"][1]["with"].pop("drift"),
            ["claims[1].with.drift: is missing; add it"],
        ),
    ],
)
def test_mistakes_are_one_line(
    tmp_path: Path, mistake: Callable[[dict[str, Any]], Any], says: list[str]
) -> None:
    content = copy.deepcopy(CONTENT)
    mistake(content)
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.dump(content, allow_unicode=True), encoding="utf-8")
    with pytest.raises(AmgError) as caught:
        read_claims(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:")
    assert message.isprintable()
    for text in says:
        assert text in message, message


@pytest.mark.parametrize("text", ["claims: [", "- 1", "", "\xff", "claims: &a [*a]", "claims: 1"])
def test_files_that_are_no_claims(tmp_path: Path, text: str) -> None:
    path = tmp_path / "claims.yaml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(AmgError) as caught:
        read_claims(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(AmgError):
        read_claims(tmp_path / "nowhere.yaml")
