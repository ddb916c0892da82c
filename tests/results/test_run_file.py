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

from amg.base.errors import FileError
from amg.game.library import build
from amg.game.model import Game
from amg.learning.parameters import CentralizedQ, IndependentQ, VLearning
from amg.learning.train import train_run, train_traced
from amg.results import archive, run_file
from amg.results.run import Run
from amg.results.run_file import KIND, VERSION, load_run, load_runs, save_runs

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
    "two agents": lambda: train_run(build("fishermen"), PARAMETERS, 500, 1, record=100),
    "three agents": lambda: train_run(build("demand_response"), PARAMETERS, 300, 2),
    "traced": lambda: train_traced(build("inspection"), PARAMETERS, 50, 3),
    "no stage completed": lambda: train_run(build("congestion"), PARAMETERS, 1, 4),
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
    save_runs(tmp_path / "run.npz", [run])
    back = load_run(tmp_path / "run.npz")
    for f in dataclasses.fields(Run):
        assert same(getattr(run, f.name), getattr(back, f.name)), f.name
    assert back.game.digest == run.game.digest


def test_saving_again_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    save_runs(tmp_path / "one.npz", [run])
    save_runs(tmp_path / "two.npz", [run])
    save_runs(tmp_path / "three.npz", load_runs(tmp_path / "one.npz"))
    files = {path.read_bytes() for path in tmp_path.iterdir()}
    assert len(files) == 1


def test_a_loaded_run_evaluates_to_the_bit(run: Run, tmp_path: Path) -> None:
    save_runs(tmp_path / "run.npz", [run])
    assert same(run.evaluate(), load_run(tmp_path / "run.npz").evaluate())


def test_numpy_alone_opens_a_run(run: Run, tmp_path: Path) -> None:
    save_runs(tmp_path / "run.npz", [run])
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        header = json.loads(str(file["header"]))
        assert file["0.returns"].tolist() == run.returns.tolist()
        assert all(file[name].dtype.kind in "if" for name in file.files if name != "header")
    assert header["kind"] == KIND
    assert header["game"]["name"] == run.game.name
    assert header["game"]["digest"] == run.game.digest
    assert len(header["runs"]) == 1
    for name in ("algorithm", "parameters", "episodes", "seed", "package", "source"):
        assert header["runs"][0][name] == getattr(run, name)


# --- several runs ---------------------------------------------------------------------------------


def several() -> list[Run]:
    """Runs of one game by every algorithm, with other seeds and numbers of episodes, one traced."""
    game = build("inspection")
    return [
        train_run(game, PARAMETERS, 300, 2, record=100),
        train_run(game, PARAMETERS, 300, 1),
        train_run(game, PARAMETERS, 200, 1),
        train_run(game, VLearning(fluctuation="mad"), 300, 1),
        train_run(game, IndependentQ(), 50, 7),
        train_run(game, CentralizedQ(), 50, 8),
        train_traced(game, PARAMETERS, 20, 3),
    ]


def same_runs(some: list[Run], others: list[Run]) -> bool:
    return len(some) == len(others) and all(map(same, some, others))


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4, 5, 6), (6, 4, 2, 0, 1, 3, 5), (5, 5)])
def test_runs_come_back_in_the_order_in_which_they_were_written(
    order: tuple[int, ...], tmp_path: Path
) -> None:
    runs = [several()[j] for j in order]
    save_runs(tmp_path / "runs.npz", runs)
    back = load_runs(tmp_path / "runs.npz")
    assert same_runs(back, runs)
    assert len({id(run.game) for run in back}) == 1  # the game is read once
    save_runs(tmp_path / "again.npz", back)
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "runs.npz").read_bytes()


def test_a_run_is_the_same_alone_and_beside_eleven_others(tmp_path: Path) -> None:
    """Run 1 and run 10 have names that begin alike."""
    game = build("inspection")
    runs = [train_run(game, PARAMETERS, 20 + seed, seed) for seed in range(12)]
    save_runs(tmp_path / "runs.npz", runs)
    assert same_runs(load_runs(tmp_path / "runs.npz"), runs)
    for seed in (1, 10, 11):
        save_runs(tmp_path / "alone.npz", [runs[seed]])
        assert same(load_run(tmp_path / "runs.npz", seed), load_run(tmp_path / "alone.npz"))


def test_wanted_runs_are_read_and_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = several()
    save_runs(tmp_path / "runs.npz", runs)
    checked: list[tuple[int, int]] = []
    read = run_file._run

    def counted(*arguments: Any) -> Run:
        checked.append((arguments[1]["seed"], arguments[1]["episodes"]))
        return read(*arguments)

    monkeypatch.setattr(run_file, "_run", counted)
    some = load_runs(tmp_path / "runs.npz", lambda run: run["seed"] == 1 and run["episodes"] == 300)
    assert same_runs(some, [runs[1], runs[3]])
    assert checked == [(1, 300), (1, 300)]
    by_kind = load_runs(tmp_path / "runs.npz", lambda run: run["algorithm"] == "independent_q")
    assert same_runs(by_kind, [runs[4]])
    assert load_runs(tmp_path / "runs.npz", lambda run: False) == []


def test_one_of_several_runs_is_chosen_by_its_seed(tmp_path: Path) -> None:
    runs, path = several(), tmp_path / "runs.npz"
    save_runs(path, runs)
    assert same(load_run(path, seed=7), runs[4])
    assert same(load_run(str(path), seed=2), runs[0])
    for seed, why in (
        (None, r"holds 7 runs of 7 \(seed 2, K = 300, seed 1, K = 300, .*; name the seed of one"),
        (1, r"holds 3 runs with seed 1 of 7 .*read all of them with load_runs"),
        (99, r"holds 0 runs with seed 99 of 7"),
    ):
        with pytest.raises(FileError, match=why) as caught:
            load_run(path, seed)
        assert str(caught.value).startswith(f"{path}: ")


def test_runs_of_two_games_do_not_go_into_one_file(tmp_path: Path) -> None:
    runs = [train_run(build(name), PARAMETERS, 10, 1) for name in ("inspection", "fishermen")]
    with pytest.raises(AssertionError, match="one file holds one game"):
        save_runs(tmp_path / "runs.npz", runs)
    assert not list(tmp_path.iterdir())


def test_runs_of_two_files_cannot_be_mixed(tmp_path: Path) -> None:
    """A run does not fit the game of another file."""
    for name in ("inspection", "demand_response"):
        save_runs(tmp_path / name, [train_run(build(name), PARAMETERS, 50, 1)])
    header, arrays = archive.read(tmp_path / "inspection", KIND, VERSION)
    other, foreign = archive.read(tmp_path / "demand_response", KIND, VERSION)
    foreign = {f"1.{name[2:]}": array for name, array in foreign.items() if name.startswith("0.")}
    header["runs"] += other["runs"]
    archive.write(tmp_path / "mixed", header, {**arrays, **foreign})
    refused(tmp_path / "mixed", "expected")


def test_a_file_that_names_more_runs_than_it_has_is_refused(saved: Path) -> None:
    refused(
        altered(saved, lambda header, arrays: header["runs"].append(header["runs"][0])),
        "lacks the array 'returns_edge'",
    )


# --- refusals -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game with padded states and actions."""
    path = tmp_path_factory.mktemp("runs") / "run.npz"
    save_runs(path, [train_traced(build("demand_response"), PARAMETERS, 200, 1)])
    return path


def refused(path: Path, why: str | None = None) -> None:
    with pytest.raises(FileError, match=why) as caught:
        load_runs(path)
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


def heading(*keys: str | int, value: Any) -> Change:
    def change(header: Any, _: dict[str, Any]) -> None:
        for key in keys[:-1]:
            header = header[key]
        header[keys[-1]] = value

    return change


def a_stage_too_few(_: dict[str, Any], arrays: dict[str, Any]) -> None:
    for name in ("key", "coefficient", "v_bar", "v_low"):
        arrays[f"0.stage_{name}"] = arrays[f"0.stage_{name}"][1:]


def mass_on_a_missing_action(_: dict[str, Any], arrays: dict[str, Any]) -> None:
    """In the morning the car, agent 3, can only wait."""
    arrays["0.cell_law"][0, 2, 1, 0] = arrays["0.cell_law"][0, 2, 0, 0]
    arrays["0.cell_law"][0, 2, 0, 0] = 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (setting("0.cell_visits", 0, 10**6), "do not add up to its length"),
        (setting("0.cell_visits", 0, 0), "has no visits"),
        (setting("0.stage_key", (0, 3), 1), "do not add up to its length"),
        (setting("0.cell_key", (0, 3), -1), "leads to a stage that does not exist"),
        (setting("0.cell_key", (0, 3), 10**6), "leads to a stage that does not exist"),
        (
            setting("0.cell_key", (-1, 3), 1),
            "leads to a stage that does not exist",
        ),  # the last step
        (setting("0.cell_key", (0, 2), -1), "belongs to no completed stage"),
        (setting("0.cell_key", (0, 2), 10**6), "belongs to no completed stage"),
        (setting("0.cell_key", (0, 0), 4), "belongs to no step and state"),
        (setting("0.cell_key", (0, 0), -1), "belongs to no step and state"),
        (setting("0.cell_key", (0, 1), 2), "belongs to no step and state"),  # there at step 3 only
        (setting("0.cell_key", (0, 0), 3), "not sorted"),
        (setting("0.stage_key", (0, 0), 3), "not sorted"),
        (setting("0.stage_key", (0, 2), 0), "ends outside the run"),
        (setting("0.stage_key", (0, 2), 201), "ends outside the run"),
        (setting("0.stage_key", (0, 2), 200), "do not ascend"),
        (a_stage_too_few, "cell"),
        (replacing("0.cell_law", lambda law: law * 1.0001), "does not add up to the visits"),
        (setting("0.cell_law", (0, 0, 0, 0), -1), "mass on actions or sums that are impossible"),
        (mass_on_a_missing_action, "mass on actions or sums that are impossible"),
        (setting("0.cell_law", (0, 0, 0, 0), np.nan), "not finite"),
        (setting("0.stage_v_bar", 0, np.inf), "not finite"),
        (replacing("0.stage_v_bar", lambda v: v[:, :2]), "expected"),
        (replacing("0.cell_law", lambda law: law.astype("U")), "expected"),
        (replacing("0.returns", lambda r: r[1:]), "expected"),
        (replacing("0.returns_edge", lambda e: e[1:]), "does not run from 0 to 200"),
        (replacing("0.returns_edge", lambda e: e[:0]), "does not run from 0 to 200"),
        (setting("0.returns_edge", 1, 2), "does not run from 0 to 200"),
        (setting("game_reward", (0, 0, 0, 1, 0), 0.5), "do not match their digest"),
        (setting("game_initial", 0, 1), "initial: "),
        (setting("game_effort", (0, 0, 0, 0), -1), "efforts"),
        (heading("game", "name", value="a\nb"), "printable"),
        (heading("runs", 0, "algorithm", value="\x1b[2Jv"), "cannot be printed"),
        (heading("runs", 0, "parameters", "x", value=[1]), "neither numbers nor text"),
        (heading("game", "states", value=[["cool"]]), "game"),
        (heading("game", "unit", value="1/0"), "header"),
        (heading("game", value=7), "header"),
        (heading("runs", 0, "episodes", value=100), "does not run from 0 to 100"),
        (heading("runs", 0, "episodes", value="many"), "header"),
        (heading("runs", 0, "episodes", value=float("inf")), "header"),
        (heading("runs", 0, "parameters", value=7), "header"),
        (heading("version", value=VERSION + 1), "update the package"),
        (heading("kind", value="amg-checkpoint"), "name a 'amg-runs' file"),
    ],
)
def test_inconsistent_runs_are_refused(saved: Path, change: Change, why: str) -> None:
    refused(altered(saved, change), why)


@pytest.mark.parametrize("name", ["game", "runs"])
def test_files_without_a_part_of_the_header_are_refused(saved: Path, name: str) -> None:
    refused(altered(saved, lambda header, arrays: header.pop(name)), f"header.*{name}")


@pytest.mark.parametrize(
    "name", ["algorithm", "parameters", "episodes", "seed", "package", "source"]
)
def test_runs_without_a_part_of_the_header_are_refused(saved: Path, name: str) -> None:
    refused(altered(saved, lambda header, arrays: header["runs"][0].pop(name)), f"header.*{name}")


@pytest.mark.parametrize(
    "name",
    [
        *("game_effort", "game_reward", "game_transition", "game_initial"),
        *("0.returns_edge", "0.returns", "0.cell_visits", "0.cell_law", "0.stage_key"),
        *("0.stage_coefficient", "0.stage_v_bar", "0.stage_v_low", "0.trace_action"),
    ],
)
def test_runs_without_an_array_are_refused(saved: Path, name: str) -> None:
    refused(altered(saved, lambda header, arrays: arrays.pop(name)), name.removeprefix("0."))


def test_a_run_without_any_policy_is_refused(saved: Path) -> None:
    refused(altered(saved, lambda header, arrays: arrays.pop("0.cell_key")), "lacks .* 'policy'")


@pytest.mark.parametrize(
    "change",
    [
        setting("0.policy", (0, 0, 0, 0), 0.25),  # adds up to 3/4
        setting("0.policy", (0, 0, 0), [-0.5, 1.5, 0]),  # type: ignore[arg-type]
        setting("0.policy", (0, 0, 0), [0.5, 0, 0.5]),  # type: ignore[arg-type] # a missing action
        setting("0.policy", (0, 2, 0), [1, 0, 0]),  # type: ignore[arg-type] # a missing state
    ],
)
def test_what_is_no_policy_is_refused(tmp_path: Path, change: Change) -> None:
    save_runs(tmp_path / "greedy.npz", [greedy_run()])
    refused(altered(tmp_path / "greedy.npz", change), "array 'policy' is not a policy")


def an_empty_run(header: dict[str, Any], arrays: dict[str, Any]) -> None:
    header["runs"][0]["episodes"] = 0
    for name in arrays:
        if name.startswith(("0.cell", "0.stage", "0.trace")) or name == "0.returns":
            arrays[name] = arrays[name][:0]
    arrays["0.returns_edge"] = arrays["0.returns_edge"][:1]


@pytest.mark.parametrize(
    "change",
    [
        an_empty_run,
        replacing("0.cell_law", lambda law: law.astype(np.longdouble)),  # numba cannot evaluate it
        replacing("0.trace_state", lambda state: state[:7]),
        replacing("0.returns", lambda r: r + 1e6),
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
