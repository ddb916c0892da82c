"""The config: every key described, mistakes refused in one line before anything runs."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from workplace import ROOT, Workplace

from amg.config import load_schema, resolve
from amg.errors import ParameterError
from amg.study import Study

SCHEMA = load_schema(ROOT / "workflow" / "schemas" / "config.schema.yaml")
CONFIG = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))


def study(config: dict[str, Any]) -> Study:
    return Study(resolve(config, SCHEMA, "config"), ROOT)


def test_the_shipped_configs_are_valid() -> None:
    assert study(CONFIG).batches()


def descriptions(schema: dict[str, Any], place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for key, part in schema.get("properties", {}).items():
        yield f"{place}.{key}", part
        yield from descriptions(part, f"{place}.{key}")
    for name, part in schema.get("$defs", {}).items():
        yield from descriptions(part, name)


def test_every_key_is_described_and_unknown_keys_are_refused() -> None:
    for place, part in descriptions(SCHEMA):
        assert part.get("description"), place
    for place, part in [("top", SCHEMA), *descriptions(SCHEMA)]:
        if part.get("type") == "object":
            assert "additionalProperties" in part, place


def test_defaults_are_filled_in() -> None:
    config = copy.deepcopy(CONFIG)
    del config["seeds"], config["batch"]
    resolved = resolve(config, SCHEMA, "config")
    assert resolved["seeds"] == SCHEMA["properties"]["seeds"]["default"]
    assert resolved["bootstrap"] == {"level": 0.95, "resamples": 10000, "seed": 0}
    assert resolved["experiments"]["sample-complexity"]["record"] == 0


def change(*path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def apply(config: dict[str, Any]) -> None:
        for key in path[:-1]:
            config = config[key]
        config[path[-1]] = value

    return apply


@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        (change("seed", value=3), ["unknown key seed", "seeds"]),
        (change("seeds", value=0), ["seeds = 0"]),
        (change("seeds", value="many"), ["seeds = many"]),
        (change("results", value="../elsewhere"), ["results", "../elsewhere"]),
        (
            change("learners", "v-cv", "lambda_min", value=0.6),
            ["lambda_min = 0.6", "(0.666667, 1]"],
        ),
        (change("learners", "v-cv", "lamda_min", value=0.9), ["lamda_min", "lambda_min"]),
        (change("learners", "v-cv", "algorithm", value="sarsa"), ["learners.v-cv", "sarsa"]),
        (change("games", "fishermen", "builder", value="fishing"), ["games.fishermen", "fishing"]),
        (
            change("games", "fishermen", "parameters", value={"agents": 0}),
            ["games.fishermen", "agents", "0"],
        ),
        (change("experiments", "rewards", "games", value=["chess"]), ["rewards.games", "chess"]),
        (change("experiments", "rewards", "learners", value=["x"]), ["rewards.learners", "'x'"]),
        (change("experiments", "rewards", "episodes", value=[100, 10]), ["episodes", "ascend"]),
        (change("experiments", "rewards", "episodes", value=[1.5]), ["episodes", "1.5"]),
        (change("experiments", "rewards", "episodes", value=[]), ["episodes"]),
        (change("experiments", "rewards", "learners", value=["independent-q"]), ["v_learning"]),
        (change("experiments", "exploration", "vary", value={"eps": [1]}), ["eps", "epsilon"]),
        (change("mechanism", "learner", value="independent-q"), ["mechanism", "v_learning"]),
    ],
)
def test_mistakes_are_one_line(mistake: Callable[[dict[str, Any]], None], says: list[str]) -> None:
    config = copy.deepcopy(CONFIG)
    mistake(config)
    with pytest.raises(ParameterError) as caught:
        study(config)
    message = str(caught.value)
    assert "\n" not in message
    for text in says:
        assert text in message, message


def test_snakemake_says_it_without_a_traceback(workplace: Workplace) -> None:
    workplace.edit("config/config.yaml", change("learners", "v-cv", "lambda_min", value=0.5))
    done = workplace.snakemake("-n", check=False)
    assert done.returncode != 0
    assert "lambda_min" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (workplace.directory / "results").exists()


def test_shared_runs_are_made_once() -> None:
    batches = study(CONFIG).batches()
    runs = [run for batch in batches for run in batch.runs]
    assert len(runs) == len(set(runs))
    shared = [b for b in batches if re.match("fishermen-[0-9a-f]+/v-cv-.*/K100000/", b.name)]
    assert {item.record for batch in shared for item in batch.items} == {100_000}


def test_names_say_what_a_run_is_not_how_it_is_batched(tmp_path: Path) -> None:
    small = copy.deepcopy(CONFIG)
    small["batch"] = 1
    one = {run for batch in study(CONFIG).batches() for run in batch.runs}
    other = {run for batch in study(small).batches() for run in batch.runs}
    assert one == other
    changed = copy.deepcopy(CONFIG)
    changed["learners"]["v-cv"]["cv_max"] = 0.3
    moved = {run for batch in study(changed).batches() for run in batch.runs}
    assert {run for run in one - moved if "v-cv" not in run} == set()
    assert one - moved
