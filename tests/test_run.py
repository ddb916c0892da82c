"""Run files: what was saved comes back, and whatever is not a run is refused in one line."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amg import archive
from amg.certification.controller import controller_of
from amg.certification.evaluation import evaluate
from amg.errors import FileError
from amg.game import Game
from amg.games import build
from amg.learning.parameters import VLearning
from amg.learning.tracing import train_traced
from amg.learning.training import train
from amg.run import KIND, VERSION, Run, load

PARAMETERS = VLearning(bonus=0.1, lambda_min=0.95)
Change = Callable[[dict[str, Any], dict[str, Any]], None]


def greedy_run() -> Run:
    """As Q-learning leaves one behind."""
    game = build("demand_response")
    return Run(
        game=game,
        algorithm="independent_q",
        parameters={"epsilon": 0.1},
        episodes=3,
        seed=2**63 - 1,
        returns_edge=np.array([0, 1, 3]),
        returns=np.array([[1.0, 2, 3], [4, 5, 6]]),
        policy=game.uniform_policy(),
        package="0.0.1",
        source="of an earlier version",
    )


RUNS = {
    "two agents": lambda: train(build("fishermen"), PARAMETERS, 500, 1, record=100),
    "three agents": lambda: train(build("demand_response"), PARAMETERS, 300, 2),
    "traced": lambda: train_traced(build("inspection"), PARAMETERS, 50, 3),
    "no stage completed": lambda: train(build("congestion"), PARAMETERS, 1, 4),
    "greedy": greedy_run,
}


@pytest.fixture(params=RUNS)
def run(request: pytest.FixtureRequest) -> Run:
    return RUNS[request.param]()


def same(one: Any, other: Any) -> bool:
    """Equal to the bit, records field by field."""
    if dataclasses.is_dataclass(one):
        fields = [f.name for f in dataclasses.fields(one)]
        return all(same(getattr(one, name), getattr(other, name)) for name in fields)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and (one == other).all()
    return type(one) is type(other) and one == other


def test_a_saved_run_comes_back(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.npz")
    back = load(tmp_path / "run.npz")
    for f in dataclasses.fields(Run):
        assert same(getattr(run, f.name), getattr(back, f.name)), f.name
    assert back.game.digest == run.game.digest


def test_saving_again_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "one.npz")
    run.save(tmp_path / "two.npz")
    load(tmp_path / "one.npz").save(tmp_path / "three.npz")
    files = {path.read_bytes() for path in tmp_path.iterdir()}
    assert len(files) == 1


def test_a_loaded_run_evaluates_to_the_bit(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.npz")
    here = evaluate(run.game, controller_of(run))
    back = load(tmp_path / "run.npz")
    assert same(here, evaluate(back.game, controller_of(back)))


def test_numpy_alone_opens_a_run(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        header = json.loads(str(file["header"]))
        assert file["returns"].tolist() == run.returns.tolist()
        assert all(file[name].dtype.kind in "if" for name in file.files if name != "header")
    assert header["kind"] == KIND
    assert header["game"]["name"] == run.game.name
    assert header["game"]["digest"] == run.game.digest
    assert [header[name] for name in ("algorithm", "parameters", "episodes", "seed")] == [
        run.algorithm,
        run.parameters,
        run.episodes,
        run.seed,
    ]


# --- refusals -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game with padded states and actions."""
    path = tmp_path_factory.mktemp("runs") / "run.npz"
    train_traced(build("demand_response"), PARAMETERS, 200, 1).save(path)
    return path


def refused(path: Path, why: str | None = None) -> None:
    with pytest.raises(FileError, match=why) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).isprintable()  # one line


def altered(saved: Path, change: Change) -> Path:
    """The saved run with its content changed, in a file that is itself in order."""
    header, arrays = archive.read(saved, KIND, VERSION)
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(header, arrays)
    path = saved.with_name("altered.npz")
    archive.write(path, header, arrays)
    return path


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_changed_byte_is_found(saved: Path, data: st.DataObject) -> None:
    content = bytearray(saved.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    changed = saved.with_name("changed.npz")
    changed.write_bytes(content)
    refused(changed)


def test_an_unaltered_file_is_not_refused(saved: Path) -> None:
    """Or the tests below would show nothing."""
    assert altered(saved, lambda header, arrays: None).read_bytes() == saved.read_bytes()


def setting(name: str, place: Any, value: float) -> Change:
    def change(_: dict[str, Any], arrays: dict[str, Any]) -> None:
        assert not (arrays[name][place] == value).all()
        arrays[name][place] = value

    return change


def replacing(name: str, new: Callable[[Any], Any]) -> Change:
    def change(_: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name] = new(arrays[name])

    return change


def heading(*keys: str, value: Any) -> Change:
    def change(header: dict[str, Any], _: dict[str, Any]) -> None:
        for key in keys[:-1]:
            header = header[key]
        header[keys[-1]] = value

    return change


def a_stage_too_few(_: dict[str, Any], arrays: dict[str, Any]) -> None:
    for name in ("key", "coefficient", "v_bar", "v_low"):
        arrays[f"stage_{name}"] = arrays[f"stage_{name}"][1:]


def mass_on_a_missing_action(_: dict[str, Any], arrays: dict[str, Any]) -> None:
    """In the morning the car, agent 3, can only wait."""
    arrays["cell_law"][0, 2, 1, 0] = arrays["cell_law"][0, 2, 0, 0]
    arrays["cell_law"][0, 2, 0, 0] = 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (setting("cell_visits", 0, 10**6), "do not add up to its length"),
        (setting("cell_visits", 0, 0), "has no visits"),
        (setting("stage_key", (0, 3), 1), "do not add up to its length"),
        (setting("cell_key", (0, 3), -1), "leads to a stage that never was"),
        (setting("cell_key", (0, 3), 10**6), "leads to a stage that never was"),
        (setting("cell_key", (-1, 3), 1), "leads to a stage that never was"),  # the last step
        (setting("cell_key", (0, 2), -1), "belongs to no completed stage"),
        (setting("cell_key", (0, 2), 10**6), "belongs to no completed stage"),
        (setting("cell_key", (0, 0), 4), "belongs to no step and state"),
        (setting("cell_key", (0, 0), -1), "belongs to no step and state"),
        (setting("cell_key", (0, 1), 2), "belongs to no step and state"),  # there at step 3 only
        (setting("cell_key", (0, 0), 3), "not sorted"),
        (setting("stage_key", (0, 0), 3), "not sorted"),
        (setting("stage_key", (0, 2), 0), "ends outside the run"),
        (setting("stage_key", (0, 2), 201), "ends outside the run"),
        (setting("stage_key", (0, 2), 200), "do not ascend"),
        (a_stage_too_few, "cell"),
        (replacing("cell_law", lambda law: law * 1.0001), "does not add up to the visits"),
        (setting("cell_law", (0, 0, 0, 0), -1), "mass where nothing can happen"),
        (mass_on_a_missing_action, "mass where nothing can happen"),
        (setting("cell_law", (0, 0, 0, 0), np.nan), "not finite"),
        (setting("stage_v_bar", 0, np.inf), "not finite"),
        (replacing("stage_v_bar", lambda v: v[:, :2]), "expected"),
        (replacing("cell_law", lambda law: law.astype("U")), "expected"),
        (replacing("returns", lambda r: r[1:]), "expected"),
        (replacing("returns_edge", lambda e: e[1:]), "does not run from 0 to 200"),
        (replacing("returns_edge", lambda e: e[:0]), "does not run from 0 to 200"),
        (setting("returns_edge", 1, 2), "does not run from 0 to 200"),
        (setting("game_reward", (0, 0, 0, 1, 0), 0.5), "do not match their digest"),
        (setting("game_initial", 0, 1), "initial distribution"),
        (setting("game_effort", (0, 0, 0, 0), -1), "efforts"),
        (heading("game", "name", value="a\nb"), "cannot be printed"),
        (heading("game", "states", value=[["cool"]]), "game"),
        (heading("game", "unit", value="1/0"), "header"),
        (heading("game", value=7), "header"),
        (heading("episodes", value=100), "does not run from 0 to 100"),
        (heading("episodes", value="many"), "header"),
        (heading("episodes", value=float("inf")), "header"),
        (heading("parameters", value=7), "header"),
        (heading("version", value=VERSION + 1), "update it"),
        (heading("kind", value="amg-checkpoint"), "a 'amg-run' file is needed here"),
    ],
)
def test_inconsistent_runs_are_refused(saved: Path, change: Change, why: str) -> None:
    refused(altered(saved, change), why)


@pytest.mark.parametrize("name", ["algorithm", "parameters", "episodes", "seed", "game"])
def test_runs_without_a_part_of_the_header_are_refused(saved: Path, name: str) -> None:
    refused(altered(saved, lambda header, arrays: header.pop(name)), f"header.*{name}")


@pytest.mark.parametrize(
    "name",
    [
        *("game_effort", "game_reward", "game_transition", "game_initial"),
        *("returns_edge", "returns", "cell_visits", "cell_law"),
        *("stage_key", "stage_coefficient", "stage_v_bar", "stage_v_low", "trace_action"),
    ],
)
def test_runs_without_an_array_are_refused(saved: Path, name: str) -> None:
    refused(altered(saved, lambda header, arrays: arrays.pop(name)), name)


def test_a_run_without_any_policy_is_refused(saved: Path) -> None:
    refused(altered(saved, lambda header, arrays: arrays.pop("cell_key")), "lacks .* 'policy'")


@pytest.mark.parametrize(
    "change",
    [
        setting("policy", (0, 0, 0, 0), 0.25),  # adds up to 3/4
        setting("policy", (0, 0, 0), [-0.5, 1.5, 0]),  # type: ignore[arg-type]
        setting("policy", (0, 0, 0), [0.5, 0, 0.5]),  # type: ignore[arg-type] # a missing action
        setting("policy", (0, 2, 0), [1, 0, 0]),  # type: ignore[arg-type] # a missing state
    ],
)
def test_what_is_no_policy_is_refused(tmp_path: Path, change: Change) -> None:
    greedy_run().save(tmp_path / "greedy.npz")
    refused(altered(tmp_path / "greedy.npz", change), "array 'policy' is not a policy")


def an_empty_run(header: dict[str, Any], arrays: dict[str, Any]) -> None:
    header["episodes"] = 0
    for name in arrays:
        if name.startswith(("cell", "stage", "trace")) or name == "returns":
            arrays[name] = arrays[name][:0]
    arrays["returns_edge"] = arrays["returns_edge"][:1]


def agents_of_different_opinion(_: dict[str, Any], arrays: dict[str, Any]) -> None:
    """By agent 1's law all others do nothing, by theirs they do."""
    arrays["cell_law"][:, 0] = 0
    arrays["cell_law"][:, 0, 0, 0] = arrays["cell_visits"]


@pytest.mark.parametrize(
    "change",
    [
        an_empty_run,
        agents_of_different_opinion,
        replacing("cell_law", lambda law: law.astype(np.longdouble)),  # numba cannot evaluate it
        replacing("trace_state", lambda state: state[:7]),
        replacing("returns", lambda r: r + 1e6),
        setting("stage_coefficient", 0, 7),
    ],
)
def test_runs_that_cannot_be_are_refused(saved: Path, change: Change) -> None:
    refused(altered(saved, change))


def test_every_run_above_is_of_another_kind() -> None:
    runs = {name: make() for name, make in RUNS.items()}
    assert [name for name, run in runs.items() if run.trace is not None] == ["traced"]
    assert [name for name, run in runs.items() if run.policy is not None] == ["greedy"]
    nothing = runs["no stage completed"].certificate
    assert nothing is not None
    assert len(nothing.stage_key) == 0
    game: Game = runs["three agents"].game
    assert not game.exists.all()
