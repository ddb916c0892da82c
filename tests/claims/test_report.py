"""What is written down of the claims."""

from __future__ import annotations

import json
from pathlib import Path

from made_up import study

from amg.claims.entries import read_claims
from amg.claims.report import KEYS, as_json, compact, judge_all, page, tally
from amg.claims.verdict import VERDICTS
from amg.schema import load_schema

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = read_claims(
    ROOT / "config" / "claims.yaml",
    load_schema(ROOT / "workflow" / "schemas" / "claims.schema.yaml"),
)


def test_json_has_every_key_of_every_claim() -> None:
    judged = json.loads(as_json(judge_all(CLAIMS, study())))
    assert [claim["id"] for claim in judged] == [claim.id for claim in CLAIMS]
    for claim in judged:
        assert tuple(claim) == KEYS
        assert claim["verdict"] in VERDICTS
        assert (claim["caveat"] is not None) == ("caveat" in claim["verdict"])
        assert claim["why"].endswith(".")
        assert claim["number"]


def test_pages_have_every_claim() -> None:
    judged = judge_all(CLAIMS, study())
    table = compact(judged, "pictures")
    lines = [line for line in table.splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(CLAIMS)
    assert {line.replace("\\|", "").count("|") for line in lines} == {5}
    assert "(pictures/sample_complexity.png)" in table
    for claim in CLAIMS:
        assert claim.title in table
        assert f"## {claim.title}: " in page(judged)
    assert tally(judged) in page(judged)
    assert tally(judged).startswith(f"{len(CLAIMS)} claims: ")
