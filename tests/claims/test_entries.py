"""config/claims.yaml is read strictly: whatever is wrong is one line."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from amg.claims.entries import read_claims
from amg.errors import AmgError
from amg.figures import FIGURES
from amg.schema import load_schema, to_text

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "config" / "claims.yaml"
SCHEMA = load_schema(ROOT / "workflow" / "schemas" / "claims.schema.yaml")
CONTENT = yaml.load(PATH.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # all text


def first(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["claims"][1].update({key: value})


def within(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["claims"][1]["with"].update({key: value})


def test_the_shipped_claims_are_whole() -> None:
    claims = read_claims(PATH, SCHEMA)
    assert len(claims) == len(CONTENT["claims"]) >= 12
    assert {claim.figure for claim in claims} - {None} <= set(FIGURES)
    assert "[19.2, 19.5]" in claims[1].criterion
    assert "at or below −0.5;" in claims[5].criterion
    assert "1e-12" in claims[0].criterion
    assert claims[0].thresholds["matrices"]["high"][0] == [[10, 10], [18, 3]]
    assert claims[1].thresholds["learners"] == ["v-cv", "v-mad"]
    assert claims[6].thresholds["constant"] is None
    assert claims[6].figure == "sample_complexity"
    assert claims[0].figure is None
    assert not any("{" in claim.criterion + claim.measured for claim in claims)


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
        (first("rule", "_moved"), ["'_moved'"]),
        (first("table", "retruns"), ["'retruns'", "returns"]),
        (first("figure", "average"), ["'average'", "average_reward"]),
        (first("criterion", "below {most}"), ["criterion", "{most}", "drift"]),
        (first("criterion", "below {"), ["criterion", "'{'"]),
        (first("criterion", "below {low:>999999999}"), ["criterion", "'{'"]),
        (first("criterion", "below {low.__class__}"), ["criterion", "'{'"]),
        (first("criterion", "below {}"), ["criterion", "'{}'"]),
        (first("statement", "one\ntwo"), ["statement"]),
        (first("with", "x"), ["with: must be a mapping"]),
        (within("height", 3), ["with.height", "drift"]),
        (within("low", "low"), ["with.low: 'low' is not a number"]),
        (within("low", ".nan"), ["with.low: '.nan' is not a number"]),
        (within("low", [1]), ["with.low"]),
        (within("low", True), ["with.low: 'True' is not a number"]),
        (within("low", "null"), ["with.low: 'null' is not a number"]),
        (within("learners", "v-cv"), ["with.learners", "v-cv"]),
        (within("learners", []), ["with.learners"]),
        (
            lambda content: content["claims"][1]["with"].pop("drift"),
            ["claims[1].with: rule settles needs 'drift'"],
        ),
    ],
)
def test_mistakes_are_one_line(
    tmp_path: Path, mistake: Callable[[dict[str, Any]], Any], says: list[str]
) -> None:
    content = copy.deepcopy(CONTENT)
    mistake(content)
    path = tmp_path / "claims.yaml"
    path.write_text(to_text(content), encoding="utf-8")
    with pytest.raises(AmgError) as caught:
        read_claims(path, SCHEMA)
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
        read_claims(path, SCHEMA)
    assert "\n" not in str(caught.value)
    with pytest.raises(AmgError):
        read_claims(tmp_path / "nowhere.yaml", SCHEMA)
