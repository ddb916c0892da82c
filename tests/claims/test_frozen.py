"""What verdicts are made by: a change of meaning is seen in its own part, others are not."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from amg.base import sources
from amg.base.errors import FileError
from amg.claims import frozen
from amg.claims.frozen import (
    FILES,
    FROZEN,
    MODULES,
    changed,
    digests,
    freeze,
    read_frozen,
    status,
    total,
)

ROOT = Path(__file__).resolve().parents[2]
PARTS = (*FILES, *MODULES)
CLAIMS = "config/claims.yaml"
Make = Callable[[str], Path]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Return a function that copies what verdicts are made by, and digests what is in the copy."""

    def make(name: str) -> Path:
        place = tmp_path / name
        modules = [f"src/amg/{module}" for own in MODULES.values() for module in own]
        for path in (*FILES.values(), *modules):
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, place / path)
        for module in (frozen, sources):
            monkeypatch.setattr(module, "ROOT", place / "src")
        return place

    return make


def after(make: Make, path: str, old: str, new: str) -> list[str]:
    """Return the parts whose digests change when the first `old` in a file becomes `new`."""
    before = digests(make("before"))
    place = make("after")  # elsewhere: syntax trees are remembered by path
    text = (place / path).read_text(encoding="utf-8")
    assert old in text
    (place / path).write_text(text.replace(old, new, 1), encoding="utf-8")
    return changed(before, digests(place))


def test_every_part_has_a_digest_of_its_own() -> None:
    found = digests(ROOT)
    assert tuple(found) == PARTS
    assert len(set(found.values())) == len(PARTS)
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in found.values())


def test_the_same_files_elsewhere_have_the_same_digests(copy: Make) -> None:
    here = digests(ROOT)
    assert digests(copy("one")) == digests(copy("two")) == here


@pytest.mark.parametrize(
    ("path", "old", "new", "part"),
    [
        (CLAIMS, "drift: 0.05 }", "drift: 0.06 }", "thresholds"),
        (CLAIMS, "exponent: -0.5", "exponent: -0.4", "thresholds"),
        (CLAIMS, "rule: grow", "rule: closer", "thresholds"),
        (CLAIMS, "id: stage-growth", "id: growth", "thresholds"),
        ("config/multiverse.yaml", "cv_max: 0.2 ", "cv_max: 0.25 ", "universes"),
        ("config/multiverse.yaml", "claims: [rewards-settle, ", "claims: [", "universes"),
        ("config/confirm.yaml", "first_seed: 2001", "first_seed: 1", "confirmatory study"),
        ("src/amg/claims/reward_rules.py", "if moved > drift:", "if moved >= drift:", "rules"),
        ("src/amg/claims/theory_rules.py", "if low > exponent:", "if low > -1:", "rules"),
        ("src/amg/claims/evidence.py", "> ends(other)[1]", "> ends(other)[0]", "rules"),
        ("src/amg/tables/gaps.py", "WINDOW = 10 ", "WINDOW = 3 ", "analysis"),
        ("src/amg/tables/intervals.py", "level: float = 0.95", "level: float = 0.9", "analysis"),
        *((f"src/amg/{module}", '"""\n', '"""\nNEW = 1\n', part)
          for part, own in MODULES.items() for module in own),
    ],
)  # fmt: skip
def test_a_change_is_seen_in_its_own_part(
    copy: Make, path: str, old: str, new: str, part: str
) -> None:
    assert after(copy, path, old, new) == [part]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (CLAIMS, "claims:\n", "claims: # all of them\n"),
        (CLAIMS, "title: Payoff", "title: The payoff"),
        (CLAIMS, "where: Section IV", "where: In Section IV"),
        (CLAIMS, 'statement: "', 'statement: "As printed, '),
        (CLAIMS, 'measured: "', 'measured: "Here: '),
        (CLAIMS, 'criterion: "', 'criterion: "That '),
        (CLAIMS, "turns_on: reward", "turns_on: the reward"),
        (CLAIMS, "with: { game: fishermen,", "with: { game:   fishermen,"),
        ("config/multiverse.yaml", "choices:\n", "# Readings.\nchoices:\n"),
        ("config/confirm.yaml", "first_seed: 2001", "first_seed:  2001 # new"),
        *((f"src/amg/{module}", '"""', text)
          for module in ("claims/evidence.py", "tables/gaps.py", "multiverse/judge.py")
          for text in ('# A comment.\n"""', '"""More. ')),
        ("src/amg/tables/intervals.py", "import math\n", "import math\nimport json\n"),
    ],
)  # fmt: skip
def test_words_for_readers_change_nothing(copy: Make, path: str, old: str, new: str) -> None:
    assert after(copy, path, old, new) == []


def test_what_is_frozen_reads_back(copy: Make) -> None:
    place = copy("here")
    assert read_frozen(place) == {}
    assert freeze(place) == place / FROZEN
    assert read_frozen(place) == digests(place)
    assert status(read_frozen(place), digests(place)) == "confirmatory"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"rules": 1}', "null", '"rules"'])
def test_a_file_without_digests_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / FROZEN
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        read_frozen(tmp_path)
    assert str(caught.value) == f"{path}: holds no digests; make it again with `make freeze`"


def test_parts_that_changed_are_named() -> None:
    before = {"a": "1", "b": "2"}
    assert changed(before, before) == []
    assert changed(before, {"b": "2", "a": "1"}) == []
    assert changed(before, {"a": "1", "b": "3", "c": "4"}) == ["b", "c"]


def test_one_digest_for_all_parts() -> None:
    one = total({"a": "1", "b": "2"})
    assert one == total(json.loads('{"b": "2", "a": "1"}'))
    assert len({one, total({"a": "2", "b": "1"}), total({"a": "1"}), total({})}) == 4


NOW = {"rules": "1", "analysis": "2", "universes": "3"}


@pytest.mark.parametrize(
    ("frozen_parts", "judged_by", "says"),
    [
        ({}, [NOW, NOW], "exploratory: nothing is frozen"),
        (NOW, [NOW, NOW], "confirmatory"),
        (NOW, [{**NOW, "rules": "x"}, NOW], "exploratory: rules changed since they were frozen"),
        (NOW, [NOW, {**NOW, "rules": "x"}], "exploratory: rules changed since they were frozen"),
        (NOW, [{**NOW, "rules": "x"}, {**NOW, "rules": "y", "analysis": "y"}],
         "exploratory: rules and analysis changed since they were frozen"),
    ],
)  # fmt: skip
def test_a_confirmation_is_one_if_nothing_changed_since(
    frozen_parts: dict[str, str], judged_by: list[dict[str, str]], says: str
) -> None:
    """Neither what the study nor what its confirmation was judged by."""
    assert status(frozen_parts, *judged_by) == says
