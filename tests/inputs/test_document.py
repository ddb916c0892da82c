"""Strict YAML: every scalar is text with a place, and nothing is ever constructed."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from amg.base.errors import AmgError, FileError, ParameterError
from amg.inputs.document import MAX_DEPTH, MAX_KEY, Node, from_plain, lay_over, load, parse

LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # the parser that is used here, too
TEXT = """\
seeds: 20
names: [no, 1e3, 1:30, 2024-01-01, ~]
games:
  fish.1: {agents: 2}
  empty:
"""


def read(text: str) -> Node:
    return parse(text, "study.yaml", "write something")


def test_scalars_stay_texts() -> None:
    assert read(TEXT).plain == {
        "seeds": "20",
        "names": ["no", "1e3", "1:30", "2024-01-01", "~"],
        "games": {"fish.1": {"agents": "2"}, "empty": ""},
    }


def test_every_node_knows_its_place() -> None:
    root = read(TEXT)
    assert root.place == "study.yaml:1"
    assert root.at("names", 2).place == "study.yaml:2: names[2]"
    assert root.at("games", "fish.1", "agents").place == "study.yaml:4: games.'fish.1'.agents"
    assert root.at("games", "fish.1", "agents").keys == ["games", "fish.1", "agents"]
    missing = root.at("games", "other", "agents")
    assert missing.place == "study.yaml:3: games.other.agents"
    assert missing.value == ""
    assert root.get("other") is None
    assert root.at("names").get(5) is None
    assert root.at("seeds").get("x") is None


def test_refusals_name_the_place() -> None:
    with pytest.raises(ParameterError, match=r"^study\.yaml:1: seeds: too many$"):
        read(TEXT).at("seeds").refuse("too many")
    with pytest.raises(FileError):
        read(TEXT).refuse("is of another kind", FileError)


def test_values_in_messages_are_short() -> None:
    root = read(f"a: {'x' * 999}\nb: [1, 2]\nc: {{d: 1}}")
    assert len(root.at("a").shown) == 60
    assert root.at("b").shown == "a list of 2"
    assert root.at("c").shown == "a mapping of 1"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "study.yaml: is empty; write something"),
        ("a: 1\na: 2", "study.yaml:2: a: repeats the key of line 1"),
        ("a: &x 1", "study.yaml:1: a: has an anchor or alias"),
        ("a: *x", "study.yaml:1: a: has an anchor or alias"),
        ("a: !!python/object:os.system x", "study.yaml:1: a: has the tag"),
        ("a: 1\n---\nb: 2", "study.yaml: holds more than one YAML document"),
        ("a: [1", "not YAML"),
        ("? [a]\n: b", "study.yaml:1: ?: a list of 1 is not a key"),
        (f"{'k' * (MAX_KEY + 1)}: 1", "is not a key; give 1 to 200 printable characters"),
        ("[" * (MAX_DEPTH + 1), "is nested more than 12 deep"),
        ("[" * 100_000, "is nested more than 12 deep"),
    ],
)
def test_what_is_not_plain_data_is_refused_in_one_line(text: str, words: str) -> None:
    with pytest.raises(FileError) as refusal:
        read(text)
    assert words in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_upper_layers_win_key_by_key() -> None:
    lower = read("a: 1\nb: {c: 2, d: 3}\ne: [4, 5]")
    upper = parse("b: {d: 6}\ne: [7]\nf: 8", "--config", "")
    both = lay_over(lower, upper)
    assert both.plain == {"a": "1", "b": {"c": "2", "d": "6"}, "e": ["7"], "f": "8"}
    assert both.at("b", "c").place == "study.yaml:2: b.c"
    assert both.at("b", "d").place == "--config:1: b.d"


def test_values_of_a_program_are_texts() -> None:
    root = from_plain({"seeds": 20, "games": {"fish": {"heat": 0.5}}, "list": [None, True]}, "cfg")
    assert root.plain == {
        "seeds": "20",
        "games": {"fish": {"heat": "0.5"}},
        "list": ["null", "true"],
    }
    assert root.at("games", "fish", "heat").place == "cfg:1: games.fish.heat"


def test_files_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_text("a: " + "x" * (1 << 20), encoding="utf-8")
    with pytest.raises(FileError, match="larger than 1 MB"):
        load(path, "")
    assert len(load(path, "", 2 << 20).at("a").plain) == 1 << 20


@settings(max_examples=2000)
@given(st.text(max_size=40))
def test_any_text_is_read_as_another_reader_reads_it_or_refused(text: str) -> None:
    content, message = None, ""
    try:
        content = read(text).plain
    except AmgError as error:
        message = str(error)
    assert message.isprintable()
    assert message or content == yaml.load(text, Loader=LOADER)
