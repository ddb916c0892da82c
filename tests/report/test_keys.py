"""The tables of keys in config/README.md have every key."""

from __future__ import annotations

import dataclasses
import re

from amg.game.library import BUILDERS
from amg.inputs.models import Model
from amg.learning.parameters import ALGORITHMS
from amg.report.keys import config_block
from amg.study.config import Config, EpisodeRange, Experiment, GameEntry, Mechanism

PLACES: dict[str, type[Model]] = {
    "games.NAME": GameEntry,
    "experiments.NAME": Experiment,
    "experiments.NAME.episodes": EpisodeRange,
    "mechanism": Mechanism,
}


def keys_of(text: str) -> list[str]:
    """The first column of a table, without its header."""
    return re.findall(r"^\| `([^`]+)` \|", text, re.M)


def test_each_model_has_its_keys() -> None:
    first, *sections = re.split(r"^### ", config_block(), flags=re.M)
    assert keys_of(first) == list(Config.keys())
    found = {section.split("`")[1]: keys_of(section) for section in sections}
    assert {place: found[place] for place in PLACES} == {
        place: list(model.keys()) for place, model in PLACES.items()
    }
    assert found.keys() - PLACES.keys() == {"learners.NAME"}


def test_each_algorithm_has_its_parameters_or_says_whose() -> None:
    algorithms = config_block().split("### `learners.NAME`")[1].split("\n### ")[0]
    _, *parts = re.split(r"^\*\*`(\w+)`\*\*", algorithms, flags=re.M)
    found = dict(zip(parts[::2], parts[1::2], strict=True))
    assert list(found) == list(ALGORITHMS)
    for name, kind in ALGORITHMS.items():
        like = re.search(r"the parameters of `(\w+)`", found[name])
        known = keys_of(found[like[1]]) if like else []
        own = [field.name for field in dataclasses.fields(kind)]
        assert set(own) == {*known, *keys_of(found[name])}


def test_each_builder_has_its_line() -> None:
    assert re.findall(r"^- \[`(\w+)`\]", config_block(), re.M) == list(BUILDERS)


def test_rows_say_type_default_and_meaning() -> None:
    text = config_block()
    for row in (
        "| `confidence` | number, above 0, at most 0.9999 | `0.95` | Confidence of the intervals",
        "| `seeds` | whole number, 1 to 100,000 | `20` | How many seeds each run is made with |",
        "| `games` | list of texts | must be given | Names of `games` |",
        "| `start` | `zero` or `optimistic` | `zero` | first Q: 0, or the most that can be earned",
    ):
        assert f"\n{row}" in f"\n{text}"
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {5}
    assert not re.search(r"\| *\|", text)
