"""Judged claims: as data that read back the same, as pages, and with what is known beyond them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up import put, study

from amg.base.errors import FileError
from amg.base.files import write_text
from amg.claims.entries import read_claims
from amg.claims.evidence import NOT_REPRODUCED, REPRODUCED, VERDICTS, Verdict
from amg.claims.frozen import FROZEN, Digests, digests, total
from amg.claims.judge import judge_all, page, tally, write_claims
from amg.claims.judgement import JudgedClaim, Judgement, read_judged, to_json
from amg.claims.robustness import Robustness, write_robustness
from amg.tables import TABLES
from amg.tables.tidy import write_table

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = read_claims(ROOT / "config" / "claims.yaml")
KEYS = (
    "id", "title", "where", "statement", "measured", "criterion", "turns_on", "command", "table",
    "figure", "verdict", "caveat", "why", "number", "interval", "seeds", "effect", "turns_at",
    "confirmation", "robustness",
)  # fmt: skip
ROBUST = Robustness(
    id="adaptive-stages", universes=40, untestable=2, holding=10, share=0.25, low=0.2, high=0.3,
    study=NOT_REPRODUCED, hangs_on="λ_min: 0.7 50%, 0.9 0%", flipped_by=["η: 2/√(c̃+1)"],
)  # fmt: skip


def judgement(status: str = "exploratory") -> Judgement:
    """The claims judged from made-up tables."""
    return Judgement(
        judged_by={"rules": "ab", "analysis": "cd"}, status=status,
        claims=judge_all(CLAIMS, study()),
    )  # fmt: skip


def beyond() -> Judgement:
    """The same, with what is known beyond the study of two claims."""
    there = Verdict(number="3", effect=-2.0, turns_at=(0.0,)).not_reproduced("It is 3.")
    more: dict[str, dict[str, Any]] = {
        "adaptive-stages": {"robustness": ROBUST},
        "beats-independent": {"confirmation": there},
    }
    here = judgement("confirmatory")
    claims = [claim.model_copy(update=more.get(claim.id, {})) for claim in here.claims]
    return here.model_copy(update={"claims": claims})


def by_id(claims: list[JudgedClaim]) -> dict[str, JudgedClaim]:
    return {claim.id: claim for claim in claims}


def test_json_has_every_key_of_every_claim() -> None:
    text = json.loads(to_json(beyond()))
    assert tuple(text) == ("judged_by", "status", "claims")
    judged = text["claims"]
    assert [claim["id"] for claim in judged] == [claim.id for claim in CLAIMS]
    for claim in judged:
        assert sorted(claim) == sorted(KEYS)
        assert claim["verdict"] in VERDICTS
        assert (claim["caveat"] is not None) == ("caveat" in claim["verdict"])
        assert claim["why"].endswith(".")
        assert claim["number"]


def test_json_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    for judged in (judgement(), beyond()):
        path.write_text(to_json(judged), encoding="utf-8")
        assert read_judged(path) == judged
    settles = judged.claims[1]
    assert settles.result == "v-cv 19.4 and v-mad 19.35 per agent and episode " + (
        "[19.38, 19.42] and [19.33, 19.37]"  # 0.1% around the made-up means
    )
    assert (settles.effect, settles.turns_at) == (19.4, (19.2, 19.5))


def change(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["claims"][2].update({key: value})


@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        (lambda content: content["claims"][2].pop("where"), "claims.2.where"),
        (change("verdict", "proved"), "claims.2.verdict"),
        (change("seeds", "20"), "claims.2.seeds"),
        (change("title", None), "claims.2.title"),
        (change("more", 1), "claims.2.more"),
        (change("effect", "large"), "claims.2.effect"),
        (change("turns_at", 1.0), "claims.2.turns_at"),
        (change("confirmation", {"verdict": "proved"}), "claims.2.confirmation.verdict"),
        (change("robustness", {"id": "x"}), "claims.2.robustness.universes"),
        (lambda content: content["claims"].insert(0, "claim"), "claims.0"),
        (lambda content: content.pop("judged_by"), "judged_by"),
        (lambda content: content.update(status=None), "status"),
        (lambda content: content.update(judged_by={"rules": 1}), "judged_by.rules"),
    ],
)
def test_damaged_entries_are_one_line(
    tmp_path: Path, mistake: Callable[[dict[str, Any]], Any], says: str
) -> None:
    content = json.loads(to_json(beyond()))
    mistake(content)
    path = tmp_path / "claims.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FileError) as caught:
        read_judged(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: {says}")
    assert message.endswith("make it again with `make claims`")
    assert message.isprintable()


@pytest.mark.parametrize("text", ["", "[", "{}", "1", '{"claims": []}', "[NaN]", "[]"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "claims.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match="make it again"):
        read_judged(path)
    with pytest.raises(FileError, match="cannot be read"):
        read_judged(tmp_path / "nowhere.json")


def test_pages_have_every_claim() -> None:
    judged = judgement()
    text = page(judged)
    for claim in CLAIMS:
        assert f"## {claim.title}: " in text
    count = tally(judged.claims)
    assert count.startswith(f"{len(CLAIMS)} claims: ")
    assert count in text
    assert judged.caution in text
    assert total(judged.judged_by)[:12] in text
    assert "no preregistered test" in text


def test_pages_show_what_is_known_beyond_the_study() -> None:
    judged = beyond()
    text = page(judged)
    assert text.count("- On new seeds and games: not reproduced, 3\n") == 1
    robust = "25% of 40 [20%, 30%]"
    assert f"- In all readings: holds in {robust} universes; depends most on λ_min: 0.7" in text
    assert "Status of the confirmation: confirmatory." in text
    assert "no preregistered test" not in text


class Place:
    """A directory with the files that claims are judged from, and where to write what came out."""

    SHOWN = ("gaps", "returns", "late_returns", "references", "slopes", "theory")

    def __init__(self, root: Path) -> None:
        self.root, self.log = root, io.StringIO()
        for name in ("claims", "multiverse", "confirm"):
            text = (ROOT / "config" / f"{name}.yaml").read_text(encoding="utf-8")
            write_text(root / "config" / f"{name}.yaml", text)
        self.tables = {name: study()[name] for name in self.SHOWN}
        for name, table in self.tables.items():  # the columns that the made-up tables lack
            missing = [key for key in TABLES[name].columns if key not in table]
            self.tables[name] = table.assign(**dict.fromkeys(missing, 1))
            write_table(self.tables[name], root / f"{name}.csv")
        names = ("json", "page", "findings")
        self.output = {name: root / "out" / name for name in names}

    @property
    def digests(self) -> Digests:
        return digests(self.root)

    def freeze(self, **other: str) -> None:
        """Write what is frozen, with other digests of some parts."""
        write_text(self.root / FROZEN, json.dumps({**self.digests, **other}))

    def judge(self, **beside: Path) -> Judgement:
        """Judge the claims and return what was written."""
        files = {
            "claims": [self.root / "config/claims.yaml"],
            "tables": [self.root / f"{name}.csv" for name in self.SHOWN],
            **{name: [path] for name, path in beside.items()},
        }
        roles = {"adaptive": "v-cv", "fixed": "v-stage", "independent": None}
        spec = {"root": str(self.root), "roles": roles, "names": {}}
        write_claims(files, spec, self.output, self.log)
        return read_judged(self.output["json"])

    def shares(self, **other: str) -> Path:
        """Write the share of a claim, judged by what is here but for some parts."""
        path = self.root / "shares.json"
        write_robustness(path, {**self.digests, **other}, [ROBUST])
        return path

    def confirmation(self, **other: str) -> Path:
        """Write a confirmation of one claim, judged by what is here but for some parts."""
        (claim,) = [claim for claim in judge_all(CLAIMS, study()) if claim.id == "no-curse"]
        there = Judgement(judged_by={**self.digests, **other}, status="x", claims=[claim])
        write_text(self.root / "there.json", to_json(there))
        return self.root / "there.json"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_files_are_written_from_files(place: Place) -> None:
    judged, output = place.judge(), place.output
    assert judged.claims == judge_all(CLAIMS, place.tables)
    assert judged.judged_by == place.digests
    assert judged.status == "exploratory"
    assert output["page"].read_text(encoding="utf-8") == page(judged)
    # one number, from one look-up: 0.01 ± 10% against 0.02 ± 10%
    assert "0.01 [0.009, 0.011] against 0.02 [0.018, 0.022]" in output["findings"].read_text(
        encoding="utf-8"
    )
    assert place.log.getvalue() == f"{tally(judged.claims)}\n"


def test_claims_have_other_names_in_another_study(place: Place) -> None:
    """The game `inspection` of claims.yaml is here two games, of which one is not in the tables."""
    names = {"inspection": ["inspection", "market"]}
    claims = {c.id: c for c in read_claims(place.root / "config/claims.yaml", names)}
    assert claims["epsilon-rate"].thresholds["games"] == ["fishermen", "inspection", "market"]
    (judged,) = judge_all([claims["epsilon-rate"]], study())
    assert "market" in judged.why
    assert judged.verdict == "not testable"


@pytest.mark.parametrize("other", [{}, {"confirmatory study": "other"}])
def test_shares_of_universes_judged_in_the_same_way_are_shown(
    place: Place, other: dict[str, str]
) -> None:
    """The multiverse does not use the config of the confirmatory study."""
    claims = by_id(place.judge(shares=place.shares(**other)).claims)
    assert claims.pop("adaptive-stages").robustness == ROBUST
    assert {claim.robustness for claim in claims.values()} == {None}
    assert "25% of 40 [20%, 30%]" in place.output["findings"].read_text(encoding="utf-8")
    assert len(place.log.getvalue().splitlines()) == 1


@pytest.mark.parametrize("part", ["rules", "thresholds", "analysis", "universes"])
def test_shares_of_universes_judged_otherwise_are_left_out(place: Place, part: str) -> None:
    judged = place.judge(shares=place.shares(**{part: "other"}))
    assert {claim.robustness for claim in judged.claims} == {None}
    assert place.log.getvalue().splitlines()[0] == (
        f"shares of universes left out: {part} of the multiverse differ from those of this study; "
        f"run `make multiverse`"
    )


def test_a_confirmation_stands_beside_the_verdicts(place: Place) -> None:
    place.freeze()
    judged = place.judge(confirmation=place.confirmation())
    claims = by_id(judged.claims)
    confirmation = claims.pop("no-curse").confirmation
    assert confirmation is not None
    assert confirmation.verdict == REPRODUCED
    assert confirmation.number == "gap ~ N^0.03 for N = 2 to 16"
    assert {claim.confirmation for claim in claims.values()} == {None}
    assert judged.status == "confirmatory"


@pytest.mark.parametrize("part", ["rules", "confirmatory study"])
def test_a_confirmation_of_something_else_is_exploratory(place: Place, part: str) -> None:
    """Whether the study or its confirmation was not judged by what is frozen."""
    changed = f"exploratory: {part} changed since they were frozen"
    assert place.judge(confirmation=place.confirmation()).status == "exploratory: nothing is frozen"
    place.freeze()
    assert place.judge(confirmation=place.confirmation(**{part: "other"})).status == changed
    place.freeze(**{part: "other"})
    assert place.judge(confirmation=place.confirmation(**{part: "other"})).status == changed


def test_an_impossible_value_in_a_table_is_one_line() -> None:
    tables = study()
    put("coverage", "runs_holding", 21)(tables)  # of 20 runs
    with pytest.raises(FileError, match="claim confidence-lemma: the table coverage") as caught:
        judge_all(CLAIMS, tables)
    assert str(caught.value).endswith("make the tables again")
