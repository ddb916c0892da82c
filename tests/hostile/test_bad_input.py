"""Bad input: whatever is done to a file, it is read right or refused in one line, and no more.

Each case is a valid file with something done to it (`mutations.py`). A refusal must say the file
and what is wrong; an accepted file must mean what another reader of YAML finds in it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from limits import measured
from made_up import study as tables
from mutations import MUTATIONS, Mutant, mutate, tree, write
from workplace import Workplace

from amg.base.errors import AmgError
from amg.claims.entries import ClaimsFile, read_claims
from amg.claims.judge import judge_all
from amg.cli.main import main
from amg.game.file import load_game
from amg.game.format import GameFile
from amg.inputs.models import Model, json_schema
from amg.study.config import CONFIG, Config, read_config
from amg.study.study import Study
from amg.sweep.file import SweepFile, read_sweep

ROOT = Path(__file__).resolve().parents[2]
TABLES = tables()
SECONDS = 10.0  # of the processor, for one case


def config_meaning(path: Path) -> Any:
    """What is trained, evaluated and written, and where."""
    config, document = read_config([path])
    study = Study(config, document)
    names = [job.name for job in study.jobs()]
    for name in names:
        assert ".." not in Path(name).parts
        assert name.isprintable()
    rest = config.model_dump(exclude={"learners", "experiments"})
    return rest, study.mechanism, sorted(names), [(job.spec, job.runs) for job in study.jobs()]


def claims_meaning(path: Path) -> Any:
    """Every claim, and that it can be judged."""
    claims = read_claims(path)
    judged = judge_all(claims, TABLES)
    assert len(judged) == len(claims)
    return [(c.id, c.title, c.statement, c.rule, c.table, c.figure, c.thresholds) for c in claims]


def game_meaning(path: Path) -> Any:
    game = load_game(path)
    return game.name, game.agents, game.states, game.actions, game.aggregator, game.digest


def sweep_meaning(path: Path) -> Any:
    """What is run and measured."""
    sweep = read_sweep(path)
    assert all(".." not in Path(job.name).parts for job in sweep.jobs())
    runs = [(one.series.game.digest, one.series.parameters, one.episodes) for one in sweep.cells]
    return sweep.title, sweep.variants, sweep.seeds, sweep.measures, sweep.target, runs


class Kind:
    """A kind of file: a valid one, its model, and what one means, or an AmgError."""

    def __init__(self, text: str, model: type[Model], meaning: Callable[[Path], Any]) -> None:
        self.text, self.meaning = text, meaning
        self.schema = jsonschema.Draft202012Validator(json_schema(model))


def shipped(name: str) -> str:
    return (ROOT / "config" / name).read_text(encoding="utf-8")


def some_claims(*rules: str) -> str:
    """The shipped claims with these rules."""
    claims = tree(shipped("claims.yaml"))["claims"]
    return write({"claims": [claim for claim in claims if claim["rule"] in rules]})


SMALL = """\
seeds: 3
results: elsewhere
slope_decades: 1.5
confidence: 0.9
games:
  fish: {builder: fishermen, parameters: {agents: 2, horizon: 1}}
  inspection: {builder: inspection}
  demand: {builder: demand_response, parameters: {heat: 1/3}}
learners:
  v-cv: {algorithm: v_learning, fluctuation: cv, lambda_min: 0.95, bonus: 0.5}
  q: {algorithm: independent_q, schedule: geometric, epsilon: 1, epsilon_end: 0.01}
experiments:
  rewards: {games: [fish], learners: [v-cv, q], episodes: [1e3, 5000], record: 1000}
  sample-complexity:
    games: [fish, inspection]
    learners: [v-cv]
    episodes: {from: 1e2, to: 1e4, per_decade: 2}
  exploration: {games: [demand], learners: [q], vary: {epsilon: [0.02, 0.5]}, episodes: [10]}
mechanism: {game: fish, learner: v-cv, episodes: 300, seed: 1}
"""

SWEEP = """\
title: Does it work?
base: {algorithm: v_learning, lambda_min: 0.95}
compare:
  fishermen: {game: fishermen, agents: 2}
  inspection: {game: inspection}
axes:
  episodes: {from: 1e2, to: 1e4, per_decade: 1}
  stage_rule: [floor, real]
  bonus: [0.5, 4]
skip:
  - {stage_rule: [real], variant: [inspection]}
seeds: 2
measure: [max_gap, cells]
target: 0.5
findings:
  - power: {axis: episodes, measure: max_gap, theorem: -0.5, from: 1e3}
  - extremes: {measure: cells, where: {stage_rule: floor}}
"""

CLAIMS = some_claims("matches", "settles", "stays_below", "covers")
KINDS = {
    "config": Kind(SMALL, Config, config_meaning),
    "claims": Kind(CLAIMS, ClaimsFile, claims_meaning),
    "game": Kind(shipped("games/example.yaml"), GameFile, game_meaning),
    "sweep": Kind(SWEEP, SweepFile, sweep_meaning),
}


def outcome(kind: Kind, path: Path) -> tuple[Any, str]:
    """What the file means, or what it is refused with; in bounded time."""
    begun = time.process_time()
    try:
        return kind.meaning(path), ""
    except AmgError as error:
        return None, str(error)
    finally:
        assert time.process_time() - begun < SECONDS


def examine(kind: Kind, seed: int) -> None:
    """One case."""
    mutant = mutate(kind.text, seed)
    path = Path("mutant.yaml")
    path.write_bytes(mutant.data)
    meaning, refusal = outcome(kind, path)
    said = f"case {seed}, {mutant.what}: {refusal or 'accepted'}"
    assert {file: file.read_bytes() for file in Path().iterdir()} == {path: mutant.data}, said
    if refusal:
        assert mutant.fate != "same", said
        assert refusal.startswith(f"{path}:"), said
        assert refusal.isprintable(), said
        assert len(refusal) < 2000, said
        assert all(name in refusal for name in mutant.names), said
        assert not mutant.about or any(name in refusal for name in mutant.about), said
        return
    assert mutant.fate != "refused", said
    if mutant.fate == "same":
        path.write_text(kind.text, encoding="utf-8")
        assert meaning == kind.meaning(path), said
    content = tree(mutant.data.decode("utf-8"))
    kind.schema.validate(content)  # what is read, an editor accepts
    path.write_text(write(content), encoding="utf-8")
    assert meaning == kind.meaning(path), said


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_themselves_are_valid(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "valid.yaml"
    path.write_text(KINDS[kind].text, encoding="utf-8")
    assert outcome(KINDS[kind], path)[1] == ""


def as_an_editor_sees_it(content: Any) -> Any:
    """Numbers, truth values and nulls as YAML has them; keys are texts in JSON."""
    if isinstance(content, dict):
        return {str(key): as_an_editor_sees_it(value) for key, value in content.items()}
    if isinstance(content, list):
        return [as_an_editor_sees_it(value) for value in content]
    return content


@pytest.mark.parametrize("kind", KINDS)
def test_an_editor_accepts_the_files(kind: str) -> None:
    schema = KINDS[kind].schema
    schema.check_schema(schema.schema)
    schema.validate(as_an_editor_sees_it(yaml.safe_load(KINDS[kind].text)))


@pytest.mark.parametrize("block", range(5))
@pytest.mark.parametrize("kind", KINDS)
def test_mutants_are_read_right_or_refused_in_one_line(
    kind: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    size = len(MUTATIONS)
    for seed in range(block * size, (block + 1) * size):
        examine(KINDS[kind], seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(1, 21))
@pytest.mark.parametrize("kind", KINDS)
def test_thousands_of_mutants(
    kind: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed in range(block * 115, (block + 1) * 115):
        examine(KINDS[kind], seed)


# --- from outside ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_is_one_line_and_an_exit_code(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    path = tmp_path / "mutant.yaml"
    codes = []
    for seed in range(len(MUTATIONS)):
        path.write_bytes(mutate(KINDS[kind].text, seed).data)
        codes.append(main(["check", str(path)]))
        captured = capsys.readouterr()
        if codes[-1] == 0:
            assert captured.out.startswith(f"{path}: ")
            assert captured.err == ""
        else:
            assert captured.out == ""
            assert captured.err.startswith("error: ")
            assert captured.err.endswith("\n")
            assert captured.err[:-1].isprintable()
    assert set(codes) == {0, 2}


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS[:14])
def test_snakemake_itself_refuses_in_one_line(
    mutation: Callable[[str, random.Random], Mutant], tmp_path: Path
) -> None:
    """The config that is always there, whatever was done to it."""
    workplace = Workplace(tmp_path / "copy")
    mutant = mutation(shipped("config.yaml"), random.Random(1))
    (workplace.directory / CONFIG).write_bytes(mutant.data)
    code, said = workplace.said()
    assert "Traceback" not in said
    if code != 0:
        assert said.startswith(f"error: {CONFIG}:"), mutant.what
        assert said.count("\n") == 1, mutant.what
        assert not (workplace.directory / "results").exists()
    else:
        assert mutant.fate != "refused"


@pytest.mark.slow
def test_the_largest_files_take_bounded_time_and_memory(tmp_path: Path) -> None:
    """16 MB of one-letter values, tables as large as they may be, efforts on a very fine grid."""
    good = ROOT / "config" / "games" / "fishermen.yaml"
    text = good.read_text(encoding="utf-8")
    mistakes = ", ".join(f"{j}: x" for j in range(1_000_000))
    large = {
        "flow": f"[{'a,' * 8_000_000}]",
        "blocks": "a:\n" + "- b\n" * 4_000_000,
        "keys": "\n".join(f"k{j}: v" for j in range(1_200_000)),
        "text": f"a: {'x' * 16_000_000}",
        "steps": text.replace("repeat: 2", "repeat: 10000"),
        "grid": text.replace("unit: 2", "unit: 2/99999"),
        "finer": text.replace("unit: 2", "unit: 2/9999999"),
        "agents": text.replace("agents: [", f"agents: [{'[],' * 3_000_000}"),
        "pay": text.replace("rewards:", f"rewards: {{all: {{x: {{{mistakes}}}}}}}\n    old:", 1),
        "tables": text.replace("unit: 2", "unit: 2/9999").replace("repeat: 2", "repeat: 200"),
    }
    for name, content in large.items():
        (tmp_path / f"{name}.yaml").write_text(content, encoding="utf-8")
    files = [str(tmp_path / f"{name}.yaml") for name in large]
    found = dict(zip(large, measured("amg.game.file:load_game", str(good), files), strict=True))
    for name, (refusal, seconds, memory) in found.items():
        assert seconds < 60, name
        assert memory < 2 << 30, name
        assert refusal is None or refusal.startswith(str(tmp_path / f"{name}.yaml")), name
    accepted = {name for name, (refusal, _, _) in found.items() if refusal is None}
    assert accepted == {"steps", "grid", "tables"}
