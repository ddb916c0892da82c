"""Shares of universes: as a file that reads back the same, and as text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from amg.base.errors import FileError
from amg.claims.evidence import CAVEAT, NOT_TESTABLE
from amg.claims.robustness import Robustness, RobustnessFile, read_robustness, write_robustness

SHARES = [
    Robustness(
        id="adaptive-stages", universes=1251, untestable=2, holding=778, share=778 / 1251,
        low=0.58, high=0.664, study=CAVEAT, hangs_on="η: 2/√c̃ 80%, 2/√(c̃+1) 40%", flipped_by=[],
    ),
    Robustness(
        id="no-curse", universes=0, untestable=3, holding=0, share=float("nan"), low=float("nan"),
        high=float("nan"), study=NOT_TESTABLE, hangs_on=None, flipped_by=[],
    ),
]  # fmt: skip
JUDGED_BY = {"rules": "ab", "analysis": "cd"}


def test_the_file_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "shares.json"
    write_robustness(path, JUDGED_BY, SHARES[:1])
    assert read_robustness(path) == RobustnessFile(judged_by=JUDGED_BY, shares=SHARES[:1])


def test_a_claim_that_no_universe_can_tell_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "shares.json"
    write_robustness(path, JUDGED_BY, SHARES)
    assert read_robustness(path).shares == SHARES
    assert SHARES[1].share is SHARES[1].low is None


def test_a_share_as_text() -> None:
    assert SHARES[0].text == "62% of 1,251 [58%, 66%]"
    assert SHARES[0].model_copy(update={"low": None, "high": None}).text == "62% of 1,251"
    assert SHARES[1].text == "none of 0"
    few, most = ({"share": x, "low": None, "high": None} for x in (0.004, 0.996))
    assert SHARES[0].model_copy(update=few).text == "<1% of 1,251"
    assert SHARES[0].model_copy(update=most).text == ">99% of 1,251"


def first(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["shares"][0].update({key: value})


@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        (lambda content: content.pop("judged_by"), "judged_by"),
        (lambda content: content.pop("shares"), "shares"),
        (lambda content: content.update(shares={}), "shares"),
        (lambda content: content["shares"][0].pop("low"), "shares.0.low"),
        (first("universes", 2.5), "shares.0.universes"),
        (first("holding", "778"), "shares.0.holding"),
        (first("share", "most"), "shares.0.share"),
        (first("hangs_on", 1), "shares.0.hangs_on"),
        (first("more", 1), "shares.0.more"),
        (lambda content: content["judged_by"].update(rules=1), "judged_by.rules"),
    ],
)
def test_a_damaged_file_is_one_line(
    tmp_path: Path, mistake: Callable[[dict[str, Any]], Any], says: str
) -> None:
    path = tmp_path / "shares.json"
    write_robustness(path, JUDGED_BY, SHARES[:1])
    content = json.loads(path.read_text(encoding="utf-8"))
    mistake(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FileError) as caught:
        read_robustness(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: {says} ")
    assert message.endswith("make it again with `make multiverse`")
    assert message.isprintable()


@pytest.mark.parametrize("text", ["", "{", "[]", "1", '{"shares": []}'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "shares.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match="make it again with `make multiverse`") as caught:
        read_robustness(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(FileError, match="cannot be read"):
        read_robustness(tmp_path / "nowhere.json")
