"""config/claims.yaml is read strictly: whatever is wrong is one line."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from amg.claims.entries import check_claims, read_claims
from amg.config import load_schema
from amg.errors import AmgError
from amg.figures import FIGURES

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "config" / "claims.yaml"
SCHEMA = load_schema(ROOT / "workflow" / "schemas" / "claims.schema.yaml")
CONTENT = yaml.safe_load(PATH.read_text(encoding="utf-8"))


def first(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["claims"][1].update({key: value})


def within(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["claims"][1]["with"].update({key: value})


def test_the_shipped_claims_are_whole() -> None:
    claims = read_claims(PATH, SCHEMA)
    assert len(claims) == len(CONTENT["claims"]) >= 12
    assert {claim.figure for claim in claims} - {None} <= set(FIGURES)
    assert "[19.2, 19.5]" in claims[1].criterion
    assert not any("{" in claim.criterion + claim.measured for claim in claims)


@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        (lambda content: content.update(more=1), ["unknown key more"]),
        (lambda content: content["claims"].clear(), ["claims"]),
        (lambda content: content["claims"][1].pop("where"), ["where"]),
        (first("colour", "red"), ["unknown key colour", "figure"]),
        (first("id", "Rewards Settle"), ["Rewards Settle"]),
        (first("id", "payoff-matrices"), ["payoff-matrices", "twice"]),
        (first("title", ""), ["title"]),
        (first("rule", "guess"), ["rewards-settle", "'guess'", "settles"]),
        (first("rule", "_moved"), ["'_moved'"]),
        (first("table", "retruns"), ["'retruns'", "returns"]),
        (first("figure", "average"), ["'average'", "average_reward"]),
        (first("criterion", "below {most}"), ["criterion", "{most}", "drift"]),
        (first("criterion", "below {"), ["criterion"]),
        (within("height", 3), ["with.height", "drift"]),
        (within("low", "low"), ["with.low", "'low'", "float"]),
        (within("low", True), ["with.low"]),
        (within("learners", "v-cv"), ["with.learners", "v-cv"]),
        (within("learners", []), ["with.learners"]),
        (lambda content: content["claims"][1]["with"].pop("drift"), ["needs with.drift"]),
    ],
)
def test_mistakes_are_one_line(mistake: Callable[[dict[str, Any]], Any], says: list[str]) -> None:
    content = copy.deepcopy(CONTENT)
    mistake(content)
    with pytest.raises(AmgError) as caught:
        check_claims(content, SCHEMA, "claims.yaml")
    message = str(caught.value)
    assert message.startswith("claims.yaml: ")
    assert "\n" not in message
    for text in says:
        assert text in message, message


@pytest.mark.parametrize("text", ["claims: [", "- 1", "", "\xff"])
def test_files_that_are_no_claims(tmp_path: Path, text: str) -> None:
    path = tmp_path / "claims.yaml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(AmgError) as caught:
        read_claims(path, SCHEMA)
    assert "\n" not in str(caught.value)
    with pytest.raises(AmgError):
        read_claims(tmp_path / "nowhere.yaml", SCHEMA)
