"""The config of a study: what a value means, and mistakes refused in one line."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from workplace import ROOT

from amg.base.errors import ParameterError
from amg.inputs.document import Node, from_plain, lay_over, parse
from amg.inputs.models import json_schema, validate
from amg.learning.parameters import make_parameters
from amg.learning.train import LIMITS, LONGEST
from amg.study.config import CONFIG as PATH
from amg.study.config import Config, Experiment, Mechanism, read_config
from amg.study.study import Study

CONFIG = yaml.load((ROOT / PATH).read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # all text


def document(config: Any, name: str = "made.yaml") -> Node:
    """Return a config as if it had been read from a file."""
    return parse(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), name, "")


def settings(config: Any) -> Config:
    return validate(Config, document(config))


def study(config: dict[str, Any]) -> Study:
    read = document(config)
    return Study(validate(Config, read), read)


def test_the_shipped_configs_are_valid() -> None:
    assert study(CONFIG).jobs()
    assert Study(*read_config([ROOT / PATH, ROOT / "config" / "smoke.yaml"])).jobs()


# --- what a value means --------------------------------------------------------------------------


def test_the_model_says_what_a_value_is() -> None:
    config = copy.deepcopy(CONFIG)
    config["seeds"], config["slope_decades"] = "1e1", "1.50"
    config["games"]["fishermen"]["parameters"] = {"agents": "3"}
    config["games"]["demand"] = {"builder": "demand_response", "parameters": {"heat": "1/3"}}
    config["learners"]["explorer"]["rate"] = "0.10"
    config["experiments"]["rewards"]["episodes"] = ["1e3", "2500.0"]
    read = settings(config)
    assert (read.seeds, read.slope_decades) == (10, 1.5)
    assert read.games["fishermen"].parameters == {"agents": 3}
    assert read.games["demand"].parameters == {"heat": "1/3"}
    assert read.learners["explorer"]["rate"] == "0.10"
    assert read.experiments["rewards"].episodes == [1000, 2500]
    assert read.experiments["exploration"].vary == {
        "epsilon": ["0", "0.02", "0.05", "0.1", "0.2", "0.5", "1"]
    }


def test_what_is_written_reads_back() -> None:
    read = settings(CONFIG)
    written = read.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert settings(written) == read


def test_layers_lie_over_each_other() -> None:
    lower = document({"a": {"b": "1", "c": "2"}, "d": ["1"], "e": "1", "f": {"g": "1"}}, "lower")
    upper = document({"a": {"c": "3", "h": "4"}, "d": {"i": "5"}, "f": "6"}, "upper")
    both = lay_over(lower, upper)
    assert both.at("a", "b").place == "lower:2: a.b"
    assert both.at("a", "c").place == "upper:2: a.c"
    assert both.at("a", "h").value == "4"
    assert both.at("d", "i").value == "5"
    assert both.at("e").value == "1"
    assert both.at("f").value == "6"
    assert lower.at("a", "c").value == "2"


def test_settings_of_the_command_line_lie_on_top() -> None:
    read, _ = read_config([ROOT / PATH], ["seeds=5", "confidence=0.90", "results=1e3"])
    assert (read.seeds, read.results) == (5, "1e3")
    assert read.confidence == 0.9
    with pytest.raises(ParameterError, match=r"^--config:2: seeds: 'x' must be a whole number"):
        read_config([ROOT / PATH], ["batch=2", "seeds=x"])
    for wrong in ("seeds", "seeds=1\nbatch=2", ""):
        with pytest.raises(ParameterError, match=r"^--config: '.*' is not of the form key=value"):
            read_config([ROOT / PATH], [wrong])
    with pytest.raises(ParameterError, match="there is no config"):
        read_config([])


def test_values_of_another_workflow_lie_over_everything() -> None:
    read, _ = read_config([ROOT / PATH], given={"seeds": 3, "confidence": 0.9})
    assert (read.seeds, read.confidence) == (3, 0.9)
    with pytest.raises(
        ParameterError, match=r"^config:1: seeds: '0' must be greater than or equal to 1"
    ):
        read_config([ROOT / PATH], given={"seeds": 0})
    assert from_plain({"a": [True, None]}, "x").plain == {"a": ["true", "null"]}


def test_the_limits_of_the_model_are_those_of_the_learners() -> None:
    schema = json_schema(Config)["$defs"]
    mechanism, record = schema[Mechanism.__name__], schema[Experiment.__name__]
    assert mechanism["properties"]["seed"]["maximum"] == LIMITS["seed"][1]
    assert mechanism["properties"]["episodes"]["maximum"] == LONGEST
    assert record["properties"]["record"]["maximum"] <= LIMITS["record"][1]


def test_text_and_numbers_make_the_same_parameters() -> None:
    assert make_parameters("v_learning", {"bonus": "0.10"}) == make_parameters(
        "v_learning", {"bonus": 0.1}
    )
    assert make_parameters("v_learning", {"bonus": "1/4"}).as_dict()["bonus"] == 0.25
    for text in ("1_0", "１０", "nan", "0x10", "1:30", "", "1e9999", "9" * 5000):
        with pytest.raises(ParameterError, match="is not a number; write it like"):
            make_parameters("v_learning", {"bonus": text})


# --- the schema ----------------------------------------------------------------------------------


def properties(schema: dict[str, Any], place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for key, part in schema.get("properties", {}).items():
        yield f"{place}.{key}", part
    for name, part in schema.get("$defs", {}).items():
        yield from properties(part, name)


def test_every_key_is_described_and_unknown_keys_are_refused() -> None:
    schema = json_schema(Config)
    for place, part in properties(schema):
        assert part.get("description"), place
    for part in [schema, *schema["$defs"].values()]:
        if part.get("type") == "object":
            assert part["additionalProperties"] is False


def test_defaults_are_filled_in() -> None:
    config = copy.deepcopy(CONFIG)
    for key in ("seeds", "batch", "confidence"):
        config.pop(key, None)
    read = settings(config)
    assert read.seeds == Config.model_fields["seeds"].default
    assert read.confidence == 0.95
    assert read.experiments["sample-complexity"].record == 0


def change(*path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def apply(config: dict[str, Any]) -> None:
        for key in path[:-1]:
            config = config[key]
        config[path[-1]] = value

    return apply


@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        (change("seed", value=3), [": seed: unknown key", "seeds"]),
        (change("seeds", value=0), ["made.yaml:1: seeds: '0' must be greater than or equal to 1"]),
        (change("seeds", value="many"), ["made.yaml:1: seeds: 'many' must be a whole number"]),
        (change("seeds", value="2.5"), ["seeds: '2.5' must be a whole number"]),
        (change("seeds", value="no"), ["seeds: 'no' must be a whole number"]),
        (change("seeds", value=[1]), ["seeds: a list of 1 must be a whole number"]),
        (
            change("slope_decades", value=".nan"),
            ["slope_decades: '.nan' must be a number like 0.25, 1e-3 or 2/3"],
        ),
        (
            change("slope_decades", value="1e400"),
            ["slope_decades: '1e400' must be a number below 1e308"],
        ),
        (change("slope_decades", value=0), ["slope_decades: '0' must be greater than 0"]),
        (change("confidence", value=1), ["confidence: '1' must be less than or equal to 0.9999"]),
        (change("games", value={}), ["games: a mapping of 0 must have at least 1 item"]),
        (change("games", value={"Chess": {}}), ["games.Chess: the key 'Chess' must match pattern"]),
        (change("games", "fishermen", value={}), ["exactly one of the keys builder, file"]),
        (change("learners", "v-cv", value={}), ["learners.v-cv: key 'algorithm' is missing"]),
        (
            change("results", value="../elsewhere"),
            ["results: '../elsewhere' must match pattern", "below the working"],
        ),
        (change("results", value="a/../.."), ["results: 'a/../..'"]),
        (change("figures", value="/tmp"), ["figures: '/tmp'"]),
        (change("results", value="config"), ["results: 'config'", "holds the sources"]),
        (change("results", value="Src/amg"), ["results: 'Src/amg'", "holds the sources"]),
        (change("results", value="-n"), ["results: '-n'"]),
        (change("results", value="a" * 101), ["results: 'aaa", "must have at most 100 characters"]),
        (
            change("figures", value="results"),
            ["figures: 'results' holds the results; give another"],
        ),
        (
            change(
                "experiments",
                "exploration",
                "vary",
                value={f"a{j}": [*range(9)] for j in range(5000)},
            ),
            ["experiments.exploration: asks for more than 1,000,000 runs"],
        ),
        (
            change("games", "../x", value={"builder": "fishermen"}),
            ["games.'../x': the key '../x' must match pattern"],
        ),
        (change("experiments", "a/b", value={}), ["experiments.a/b"]),
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
        (
            change("experiments", "rewards", "episodes", value=["1e13"]),
            ["less than or equal to 1000000000000"],
        ),
        (
            change("experiments", "rewards", "games", value=["fishermen"] * 2),
            ["rewards.games: 'fishermen' is there twice"],
        ),
        (
            change("experiments", "exploration", "vary", value={"epsilon": ["0.1", "1e-1"]}),
            ["vary.epsilon: '1e-1' is there twice"],
        ),
        (
            change("experiments", "exploration", "vary", value={k: [*range(99)] for k in "abcd"}),
            ["experiments.exploration: asks for more than 1,000,000 runs", "fewer seeds"],
        ),
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
    assert message.startswith("made.yaml:")
    assert message.isprintable()
    for text in says:
        assert text in message, message


def test_games_that_are_too_large_together_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amg.study.plan.MOST_ENTRIES", 100)
    with pytest.raises(
        ParameterError, match=r"^made.yaml:\d+: games\..*: with it, \d+ games"
    ) as caught:
        study(CONFIG)
    assert "use fewer or smaller ones" in str(caught.value)


# --- jobs ----------------------------------------------------------------------------------------


def runs(config: dict[str, Any]) -> list[str]:
    """Return every run of a study by what it is."""
    return [
        repr((part.series.game_label, part.series.parameters, part.episodes, seed))
        for job in study(config).jobs()
        for part in job.parts
        for seed in part.seeds
    ]


def test_shared_runs_are_made_once() -> None:
    made = runs(CONFIG)
    assert len(made) == len(set(made))
    shared = [
        part
        for job in study(CONFIG).jobs()
        for part in job.parts
        if part.series.name == "fishermen/v-cv" and part.episodes == 100_000
    ]
    assert {part.record for part in shared} == {100_000}


def test_the_batch_does_not_change_which_runs_are_made() -> None:
    small = copy.deepcopy(CONFIG)
    small["batch"] = 1
    assert set(runs(CONFIG)) == set(runs(small))
    changed = copy.deepcopy(CONFIG)
    changed["learners"]["v-cv"]["cv_max"] = 0.3
    gone = set(runs(CONFIG)) - set(runs(changed))
    assert gone
    assert all("VLearning" in run for run in gone)


def test_a_file_of_the_config_is_named_by_its_path_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.yaml").write_text("seeds: 0\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError, match=r"^mine.yaml:1: seeds"):
        read_config([ROOT / PATH, tmp_path / "mine.yaml"])


def test_the_file_that_the_page_writes_is_a_study(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "change-the-study.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```yaml\n(.*?)```", page, re.S)
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    study = Study(*read_config([ROOT / PATH, tmp_path / "mine.yaml"]))
    shown = {one.learner_label for one in study.experiment("sample-complexity")}
    assert shown == {"v-cv", "v-lively"}
    assert study.config.results == "results/mine"
    assert "v-stage" in study.config.learners  # those of the study are still there
