"""Judged claims: as data that read back the same, and as pages."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up import put, study

from amg.base.errors import FileError
from amg.claims.entries import read_claims
from amg.claims.evidence import VERDICTS
from amg.claims.judge import compact, judge_all, page, read_judged, tally, to_json, write_claims
from amg.tables import TABLES
from amg.tables.tidy import write_table

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = read_claims(ROOT / "config" / "claims.yaml")
KEYS = (
    "id", "title", "where", "statement", "measured", "criterion", "command", "table", "figure",
    "verdict", "caveat", "why", "number", "interval", "seeds",
)  # fmt: skip


def test_json_has_every_key_of_every_claim() -> None:
    judged = json.loads(to_json(judge_all(CLAIMS, study())))
    assert [claim["id"] for claim in judged] == [claim.id for claim in CLAIMS]
    for claim in judged:
        assert tuple(claim) == KEYS
        assert claim["verdict"] in VERDICTS
        assert (claim["caveat"] is not None) == ("caveat" in claim["verdict"])
        assert claim["why"].endswith(".")
        assert claim["number"]


def test_json_reads_back(tmp_path: Path) -> None:
    judged = judge_all(CLAIMS, study())
    path = tmp_path / "claims.json"
    path.write_text(to_json(judged), encoding="utf-8")
    assert read_judged(path) == judged
    assert judged[1].result == "v-cv 19.4 and v-mad 19.35 per agent and episode " + (
        "[19.38, 19.42] and [19.33, 19.37]"  # 0.1% around the made-up means
    )


def change(key: str, value: Any) -> Callable[[list[dict[str, Any]]], None]:
    return lambda entries: entries[2].update({key: value})


@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        (lambda entries: entries[2].pop("where"), "2.where"),
        (change("verdict", "proved"), "2.verdict"),
        (change("seeds", "20"), "2.seeds"),
        (change("title", None), "2.title"),
        (change("more", 1), "2.more"),
        (lambda entries: entries.insert(0, "claim"), "0"),
    ],
)
def test_damaged_entries_are_one_line(
    tmp_path: Path, mistake: Callable[[list[dict[str, Any]]], Any], says: str
) -> None:
    entries = json.loads(to_json(judge_all(CLAIMS, study())))
    mistake(entries)
    path = tmp_path / "claims.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    with pytest.raises(FileError) as caught:
        read_judged(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert says in message
    assert message.endswith("make it again with `make claims`")
    assert message.isprintable()


@pytest.mark.parametrize("text", ["", "[", "{}", "1", '{"claims": []}', "[NaN]"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "claims.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match="make it again"):
        read_judged(path)
    with pytest.raises(FileError, match="cannot be read"):
        read_judged(tmp_path / "nowhere.json")


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


def test_files_are_written_from_files(tmp_path: Path) -> None:
    shown = ("gaps", "returns", "references", "slopes", "theory")
    tables = {name: study()[name] for name in shown}
    for name in shown:  # the columns of the registry that the made-up tables lack
        missing = [key for key in TABLES[name].columns if key not in tables[name]]
        tables[name] = tables[name].assign(**dict.fromkeys(missing, 1))
        write_table(tables[name], tmp_path / f"{name}.csv")
    output = {name: tmp_path / f"out/{name}" for name in ("json", "page", "compact", "findings")}
    log = io.StringIO()
    roles = {"adaptive": "v-cv", "fixed": "v-fixed", "independent": None}
    paths = {name: tmp_path / f"{name}.csv" for name in shown}
    write_claims(ROOT / "config" / "claims.yaml", paths, roles, output, log)
    judged = judge_all(CLAIMS, tables)
    assert read_judged(output["json"]) == judged
    assert output["page"].read_text(encoding="utf-8") == page(judged)
    assert f"]({tmp_path / 'out'}/" in output["compact"].read_text(encoding="utf-8")
    # one number, from one look-up: 0.01 ± 10% against 0.02 ± 10%
    assert "0.01 [0.009, 0.011] against 0.02 [0.018, 0.022]" in output["findings"].read_text(
        encoding="utf-8"
    )
    assert log.getvalue() == f"{tally(judged)}\n"


def test_an_impossible_value_in_a_table_is_one_line() -> None:
    tables = study()
    put("coverage", "runs_holding", 21)(tables)  # of 20 runs
    with pytest.raises(FileError, match="claim confidence-lemma: the table coverage") as caught:
        judge_all(CLAIMS, tables)
    assert str(caught.value).endswith("make the tables again")
