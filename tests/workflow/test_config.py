"""The config: every key described, mistakes refused in one line before anything runs."""

from __future__ import annotations

import copy
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from workplace import ROOT, Workplace

from amg import documents
from amg.check import main as check
from amg.config import CONFIG as PATH
from amg.config import SCHEMA as SCHEMA_PATH
from amg.config import lay_over, read_config
from amg.errors import ParameterError
from amg.learning.parameters import make_parameters
from amg.learning.tracing import LONGEST
from amg.learning.training import LIMITS
from amg.schema import load_schema, resolve, to_text
from amg.study import Study

SCHEMA = load_schema(ROOT / SCHEMA_PATH)
LONG = ("rate", "epsilon", "epsilon_end")  # parameters that can be varied together
CONFIG = yaml.load((ROOT / PATH).read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # all text


def document(config: Any, name: str = "made.yaml") -> documents.Node:
    """A config as if it had been read from a file."""
    return documents.parse(to_text(config), name, "")


def settings(config: Any) -> dict[str, Any]:
    return resolve(document(config), SCHEMA)


def study(config: dict[str, Any]) -> Study:
    read = document(config)
    return Study(resolve(read, SCHEMA), ROOT, read)


def test_the_shipped_configs_are_valid() -> None:
    assert study(CONFIG).batches()
    smoke = read_config([ROOT / PATH, ROOT / "config" / "smoke.yaml"])
    assert Study(resolve(smoke, SCHEMA), ROOT, smoke).batches()


# --- what a value means --------------------------------------------------------------------------


def test_the_schema_says_what_a_value_is() -> None:
    config = copy.deepcopy(CONFIG)
    config["seeds"], config["slope_decades"] = "1e1", "1.50"
    config["games"]["fishermen"]["parameters"] = {"agents": "3"}
    config["games"]["demand"] = {"builder": "demand_response", "parameters": {"heat": "1/3"}}
    config["learners"]["explorer"]["rate"] = "0.10"
    config["experiments"]["rewards"]["episodes"] = ["1e3", "2500.0"]
    read = settings(config)
    assert (read["seeds"], read["slope_decades"]) == (10, 1.5)
    assert read["games"]["fishermen"]["parameters"] == {"agents": 3}
    assert read["games"]["demand"]["parameters"] == {"heat": "1/3"}
    assert read["learners"]["explorer"]["rate"] == "0.10"
    assert read["experiments"]["rewards"]["episodes"] == [1000, 2500]
    assert [type(read[key]) for key in ("seeds", "batch", "results")] == [int, int, str]
    assert read["experiments"]["exploration"]["vary"] == {
        "epsilon": ["0", "0.02", "0.05", "0.1", "0.2", "0.5", "1"]
    }


def test_what_is_written_reads_back() -> None:
    read = settings(CONFIG)
    assert settings(read) == read
    odd = {"a": ["no", "null", "0x1", "", "1:30", "# x", "- y", "{", "é\u2028", "~", "=", "<<"]}
    assert yaml.load(to_text(odd), Loader=yaml.BaseLoader) == odd


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
    read = read_config([ROOT / PATH], ["seeds=5", "bootstrap={level: 0.90}", "results=1e3"])
    resolved = resolve(read, SCHEMA)
    assert (resolved["seeds"], resolved["batch"], resolved["results"]) == (5, 20, "1e3")
    assert resolved["bootstrap"] == {"level": 0.9, "resamples": 10000, "seed": 0}
    with pytest.raises(
        ParameterError, match=r"^--config:2: seeds: must be a whole number, not 'x'"
    ):
        resolve(read_config([ROOT / PATH], ["batch=2", "seeds=x"]), SCHEMA)
    for wrong in ("seeds", "seeds=1\nbatch=2", ""):
        with pytest.raises(ParameterError, match=r"^--config: '.*' is not of the form key=value"):
            read_config([ROOT / PATH], [wrong])
    with pytest.raises(ParameterError, match="there is no config"):
        read_config([])


def test_the_limits_of_the_schema_are_those_of_the_learners() -> None:
    assert SCHEMA["$defs"]["whole"]["maximum"] == LIMITS["episodes"][1]
    mechanism = SCHEMA["properties"]["mechanism"]["properties"]
    assert mechanism["seed"]["maximum"] == LIMITS["seed"][1]
    assert mechanism["episodes"]["maximum"] == LONGEST
    record = SCHEMA["$defs"]["experiment"]["properties"]["record"]
    assert record["maximum"] <= LIMITS["record"][1]


def test_text_and_numbers_make_the_same_parameters() -> None:
    assert make_parameters("v_learning", {"bonus": "0.10"}) == make_parameters(
        "v_learning", {"bonus": 0.1}
    )
    assert make_parameters("v_learning", {"bonus": "1/4"}).as_dict()["bonus"] == 0.25
    for text in ("1_0", "１０", "nan", "0x10", "1:30", "", "1e9999", "9" * 5000):
        with pytest.raises(ParameterError, match="is not a number; write it like"):
            make_parameters("v_learning", {"bonus": text})


# --- the schema ----------------------------------------------------------------------------------


def descriptions(
    schema: Mapping[str, Any], place: str = ""
) -> Iterator[tuple[str, Mapping[str, Any]]]:
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
    resolved = settings(config)
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
        (change("seed", value=3), [": seed: unknown key", "seeds"]),
        (change("seeds", value=0), ["made.yaml:1: seeds: '0' must be at least 1"]),
        (change("seeds", value="many"), ["made.yaml:1: seeds: must be a whole number, not 'many'"]),
        (change("seeds", value="2.5"), ["seeds: must be a whole number, not '2.5'"]),
        (change("seeds", value="no"), ["seeds: must be a whole number, not 'no'"]),
        (change("seeds", value=[1]), ["seeds: must be a whole number, not a list of 1"]),
        (change("slope_decades", value=".nan"), ["slope_decades: must be a number, not '.nan'"]),
        (change("slope_decades", value="1e400"), ["slope_decades: must be a number, not '1e400'"]),
        (change("slope_decades", value=0), ["slope_decades: '0' must be above 0"]),
        (change("bootstrap", value={"level": 1}), ["bootstrap.level: '1' must be below 1"]),
        (change("bootstrap", value=[]), ["bootstrap: must be a mapping, not a list of 0"]),
        (change("games", value={}), ["games: is empty"]),
        (change("games", value={"Chess": {}}), ["games: 'Chess'", "Small letters"]),
        (change("games", "fishermen", value={}), ["exactly one of the keys builder, file"]),
        (change("learners", "v-cv", value={}), ["learners.v-cv: key 'algorithm' is missing"]),
        (change("results", value="../elsewhere"), ["results: '../elsewhere'", "below this one"]),
        (change("results", value="a/../.."), ["results: 'a/../..'"]),
        (change("figures", value="/tmp"), ["figures: '/tmp'"]),
        (change("results", value="config"), ["results: 'config'", "holds the sources"]),
        (change("results", value="Src/amg"), ["results: 'Src/amg'", "holds the sources"]),
        (change("results", value="-n"), ["results: '-n'"]),
        (change("results", value="a" * 101), ["results: 'aaa", "longer than 100 characters"]),
        (change("figures", value="results"), ["figures: 'results' is a directory of the results"]),
        (change("figures", value="results/tables"), ["figures: 'results/tables'", "give another"]),
        (
            change(
                "experiments",
                "exploration",
                "vary",
                value={f"a{j}": [*range(9)] for j in range(5000)},
            ),
            ["experiments.exploration: brings the study to more than 1,000,000 runs"],
        ),
        (
            change(
                "experiments",
                "exploration",
                "vary",
                value={name: ["0.1" + "0" * 90] for name in LONG},
            ),
            ["experiments.exploration.vary: makes names of", "shorter values"],
        ),
        (change("games", "../x", value={"builder": "fishermen"}), ["games: '../x'"]),
        (change("experiments", "a/b", value={}), ["experiments: 'a/b'"]),
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
        (change("experiments", "rewards", "episodes", value=["1e13"]), ["at most 1000000000000"]),
        (change("experiments", "rewards", "games", value=["fishermen"] * 2), ["[1]", "twice"]),
        (
            change("experiments", "exploration", "vary", value={"epsilon": ["0.1", "1e-1"]}),
            ["vary.epsilon[1]: '1e-1' is there twice"],
        ),
        (
            change("experiments", "exploration", "vary", value={k: [*range(99)] for k in "abcd"}),
            [
                "experiments.exploration: brings the study to more than 1,000,000 runs",
                "fewer seeds",
            ],
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
    monkeypatch.setattr("amg.plan.MOST_ENTRIES", 100)
    with pytest.raises(
        ParameterError, match=r"^made.yaml:\d+: games\..*: with it, \d+ games"
    ) as caught:
        study(CONFIG)
    assert "use fewer or smaller ones" in str(caught.value)


# --- Snakemake -----------------------------------------------------------------------------------


def said(workplace: Workplace, *arguments: str) -> str:
    """What a refused dry run says, all of it; nothing is left behind."""
    before = set(workplace.directory.rglob("*"))
    code, said = workplace.said(*arguments)
    assert code != 0
    made = set(workplace.directory.rglob("*")) - before
    assert not [path for path in made if not {".snakemake", "__pycache__"} & set(path.parts)]
    return said


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"seeds: 3\nseeds: 4\n", "2: seeds: repeats the key of line 1; keep one"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [
                (b"seeds: [\n", "2: not YAML: did not find expected node content"),
                (b"\xff\xfe", " byte 0 is not UTF-8; save it as UTF-8"),
                (b"__use_yte__: true\nseeds: ?open('ran', 'w')", "1: __use_yte__: unknown key"),
            ]
        ),
    ],
)
def test_snakemake_refuses_a_bad_config_in_one_line(
    workplace: Workplace, content: bytes, says: str
) -> None:
    (workplace.directory / PATH).write_bytes(content)
    message = said(workplace)
    assert message.startswith(f"error: {PATH}:{says}")
    assert message.count("\n") == 1


@pytest.mark.slow
def test_snakemake_names_the_file_and_the_line(workplace: Workplace) -> None:
    (workplace.directory / "mine.yaml").write_text("batch: 2\nlearners:\n  v-cv: {p: 2}\n")
    message = said(workplace, "--configfile", "config/smoke.yaml", "mine.yaml")
    assert message.startswith("error: config/config.yaml:29: experiments.rewards: game 'fishermen'")
    assert "p = 2 must lie in (0, 1]" in message
    message = said(workplace, "--configfile", "mine.yaml", "--config", "seeds=5", "batch=0")
    assert message.startswith("error: --config:2: batch: '0' must be at least 1")
    (workplace.directory / PATH).unlink()
    assert said(workplace).startswith(f"error: {PATH}: cannot be read: No such file")


def test_settings_reach_the_jobs(workplace: Workplace) -> None:
    """Jobs read the Snakefile again, in a process of their own; 0.10 stays 0.10."""
    mine = workplace.directory / "mine.yaml"
    mine.write_text("seeds: 4\nbatch: 3\nresults: elsewhere\nlearners: {explorer: {rate: 0.10}}\n")
    given = ("seeds=5", "bootstrap={level: 0.90}")
    workplace.snakemake("-c1", "resolved_config", "--configfile", "mine.yaml", "--config", *given)
    text = (workplace.directory / "elsewhere" / "config.yaml").read_text(encoding="utf-8")
    read = resolve(documents.parse(text, "config", ""), SCHEMA)
    assert (read["seeds"], read["batch"], read["bootstrap"]["level"]) == (5, 3, 0.9)
    assert "rate: 0.10\n" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    "target", ["evaluations/../../x.csv", "evaluations/x.csv", "compiled/os", "runs/../x.npz"]
)
def test_files_that_the_study_has_not_are_made_by_no_rule(
    workplace: Workplace, target: str
) -> None:
    message = said(workplace, f"results/{target}")
    assert "No rule to produce" in message
    assert "Traceback" not in message


# --- before Snakemake ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("config.yaml", "seeds: 3\n", "a config, "),
        ("claims.yaml", (ROOT / "config" / "claims.yaml").read_text("utf-8"), "12 claims"),
        ("game.yaml", (ROOT / "config/games/example.yaml").read_text("utf-8"), "a game, irriga"),
    ],
)
def test_check_says_what_a_file_is(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str,
    says: str,
) -> None:
    monkeypatch.chdir(ROOT)
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert check([str(path)]) == 0
    assert capsys.readouterr().out.startswith(f"{path}: {says}")
    path.write_text(f"{content}\ncolour: red\n", encoding="utf-8")
    assert check([str(path), str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"error: {path}:")
    assert "colour: unknown key" in captured.err
    assert captured.out == ""


def test_check_elsewhere_says_where_to_run_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert check([str(ROOT / "config" / "claims.yaml")]) == 2
    assert "run this at the top of the repository" in capsys.readouterr().err


def test_check_never_waits_for_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert check([str(pipe), str(tmp_path), str(tmp_path / "none.yaml")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("; ")[0].split(": ")[2:] for line in lines] == [
        ["cannot be read", "is not a file"],
        ["cannot be read", "Is a directory"],
        ["cannot be read", "No such file or directory"],
    ]


# --- runs ----------------------------------------------------------------------------------------


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
