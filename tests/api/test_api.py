"""The public API from the outside: `import amg` and nothing else of the package."""

from __future__ import annotations

import doctest
import inspect
import math
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import amg

INTENSIVE, MILD = 0, 1
Policy = NDArray[np.float64]


def pure(game: amg.Game, *actions: int) -> Policy:
    """Each agent always takes one action."""
    policy = np.zeros((game.T, game.S, game.N, game.A_max))
    for i, a in enumerate(actions):
        policy[:, :, i, a] = 1
    return policy


@pytest.fixture(scope="module")
def game() -> amg.Game:
    return amg.build_game("fishermen")


@pytest.fixture(scope="module")
def run(game: amg.Game) -> amg.Run:
    return amg.train(game, episodes=1e3, seed=3, lambda_min=0.95)


# --- the package ------------------------------------------------------------------------------


def test_importing_is_light() -> None:
    heavy = {"numba", "numpy", "pandas", "matplotlib", "yaml", "scipy", "pydantic", "snakemake"}
    script = f"import amg, sys; sys.exit(' '.join({heavy} & sys.modules.keys()) or 0)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_public_name_is_there_typed_and_documented() -> None:
    assert dir(amg) == amg.__all__
    for name in set(amg.__all__) - {"__version__"}:
        assert (getattr(amg, name).__doc__ or "").strip()
    for name in ("build_game", "load_game", "train", "load_run", "load_runs", "evaluate"):
        function = getattr(amg, name)
        assert "Parameters\n    ----------" in function.__doc__
        signature = inspect.signature(function)
        assert signature.return_annotation is not inspect.Signature.empty
        assert all(p.annotation is not p.empty for p in signature.parameters.values())
    assert (Path(amg.__file__).parent / "py.typed").exists()
    assert issubclass(amg.AmgError, ValueError)


def test_other_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="module 'amg' has no attribute 'learn'"):
        amg.learn  # noqa: B018


@pytest.mark.parametrize("name", ["build_game", "train", "evaluate"])
def test_examples_in_docstrings_hold(name: str) -> None:
    (example,) = doctest.DocTestFinder().find(getattr(amg, name), name, globs={})
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


# --- evaluating arrays --------------------------------------------------------------------------


def test_everyone_intensive_is_the_equilibrium(game: amg.Game) -> None:
    found = amg.evaluate(game, pure(game, INTENSIVE, INTENSIVE))
    assert found.value == pytest.approx([19.2, 19.2], abs=1e-12)
    assert found.best_response == pytest.approx([19.2, 19.2], abs=1e-12)
    assert found.gap == pytest.approx([0, 0], abs=1e-12)
    assert found.informed_gap == pytest.approx([0, 0], abs=1e-12)
    assert found.exact.all()


def test_uniform_play_has_a_gap_of_7_8(game: amg.Game) -> None:
    found = amg.evaluate(game, np.full((2, 2, 2, 2), 0.5))
    assert found.value == pytest.approx([19 + 19 / 30] * 2, abs=1e-12)
    assert found.gap == pytest.approx([7.8, 7.8], abs=1e-12)


@pytest.mark.parametrize("weights", [None, [0.5, 0.5], np.array([0.5, 0.5], dtype=np.float32)])
def test_taking_turns_has_a_gap_of_6_77(game: amg.Game, weights: Any) -> None:
    stack = np.stack([pure(game, MILD, INTENSIVE), pure(game, INTENSIVE, MILD)])
    found = amg.evaluate(game, stack, weights)
    assert found.gap == pytest.approx([6 + 23 / 30] * 2, abs=1e-12)


def test_weights_count(game: amg.Game) -> None:
    parts = [pure(game, MILD, INTENSIVE), pure(game, INTENSIVE, MILD)]
    each = [amg.evaluate(game, part).value for part in parts]
    found = amg.evaluate(game, parts, [0.25, 0.75])
    assert found.value == pytest.approx(0.25 * each[0] + 0.75 * each[1], abs=1e-12)
    alone = amg.evaluate(game, np.stack(parts), [1, 0])
    assert alone.value == pytest.approx(each[0], abs=1e-12)


def test_whole_numbers_and_lists_will_do(game: amg.Game) -> None:
    policy = pure(game, INTENSIVE, INTENSIVE)
    expected = amg.evaluate(game, policy).gap.tolist()
    assert amg.evaluate(game, policy.astype(int)).gap.tolist() == expected
    assert amg.evaluate(game, policy.tolist()).gap.tolist() == expected
    assert amg.evaluate(game, np.asfortranarray(policy)).gap.tolist() == expected


def test_a_small_budget_gives_bounds(game: amg.Game) -> None:
    stack = np.stack([pure(game, MILD, INTENSIVE), pure(game, INTENSIVE, MILD)])
    whole, cut = amg.evaluate(game, stack), amg.evaluate(game, stack, budget=1)
    assert not cut.exact.any()
    assert (cut.gap_low <= whole.gap + 1e-12).all()
    assert (whole.gap <= cut.gap + 1e-12).all()
    for budget in (-1, 1.5, True, "many"):
        with pytest.raises(amg.AmgError, match=r"budget = .* is not a whole number"):
            amg.evaluate(game, stack, budget=budget)  # type: ignore[arg-type]


def test_padded_states_are_ignored_and_padded_actions_are_not() -> None:
    """Demand response has steps with fewer states, and states with fewer actions."""
    game = amg.build_game("demand_response")
    policy = game.uniform_policy()
    expected = amg.evaluate(game, policy).gap.tolist()
    t, s = np.argwhere(~game.exists)[0]
    policy[t, s] = 17
    assert amg.evaluate(game, policy).gap.tolist() == expected
    policy[t, s, 0, 0] = np.nan
    with pytest.raises(amg.AmgError, match=rf"t={t}, s={s}, .*padded state.*nan is not a number"):
        amg.evaluate(game, policy)
    policy = game.uniform_policy()
    t, s, i, a = np.argwhere((game.effort < 0) & game.exists[:, :, None, None])[0]
    policy[t, s, i] = 0
    policy[t, s, i, a] = 1
    with pytest.raises(amg.AmgError, match=f"t={t}, s={s}, agent={i}, action={a} .*does not exist"):
        amg.evaluate(game, policy)


# --- arrays that are no policies ----------------------------------------------------------------


def change(game: amg.Game, index: tuple[int, ...], value: float) -> Policy:
    policy = game.uniform_policy()
    policy[index] = value
    return policy


PLACE = (
    r"t=1, s=0, agent=1, action=0 \(step 2, state 'high', agent 'fisher 2', action 'intensive'\)"
)
SHAPE = r"needs \[T, S, N, A\] = \[2, 2, 2, 2\], or \[J, T, S, N, A\]"
WRONG: list[tuple[Any, str]] = [
    (np.full((2, 2, 2, 2), np.nan), "probability nan is not a number"),
    ((1, 0, 1, 0, np.nan), f"{PLACE}: probability nan is not a number"),
    ((1, 0, 1, 0, np.inf), f"{PLACE}: probability inf is not finite"),
    ((1, 0, 1, 0, -np.inf), f"{PLACE}: probability -inf is not finite"),
    ((1, 0, 1, 0, -0.5), f"{PLACE}: probability -0.5 is negative"),
    ((1, 0, 1, 0, 0.7), r"t=1, s=0, agent=1 \(step 2, state 'high', agent 'fisher 2'\): .* 1\.2,"),
    ((1, 0, 1, 0, 0.5 + 1e-8), "probabilities sum to 1.00000001, not to 1; divide them"),
    (np.zeros((2, 2, 2, 2)), "t=0, s=0, agent=0 .*: probabilities sum to 0, not to 1"),
    (np.full((2, 2, 2), 0.5), rf"the shape \[2, 2, 2\]; game 'fishermen' {SHAPE}"),
    (np.full((2, 2, 3, 2), 0.5), rf"the shape \[2, 2, 3, 2\]; game 'fishermen' {SHAPE}"),
    (np.full((1, 2, 2, 2, 3), 1 / 3), rf"the shape \[1, 2, 2, 2, 3\]; game 'fishermen' {SHAPE}"),
    (np.full((1, 1, 2, 2, 2, 2), 0.5), "the shape"),
    (np.zeros((0, 2, 2, 2, 2)), r"the shape \[0, 2, 2, 2, 2\]"),
    (np.float64(0.5), r"the shape \[\]"),
    (
        np.full((2, 2, 2, 2), 0.5, dtype=complex),
        "not an array of real numbers but array of complex",
    ),
    (np.full((2, 2, 2, 2), True), "not an array of real numbers but array of bool"),
    (np.full((2, 2, 2, 2), "0.5"), "not an array of real numbers but array of <U3"),
    (np.full((2, 2, 2, 2), None), "not an array of real numbers but ndarray"),
    ("uniform", "not an array of real numbers"),
    (None, "not an array of real numbers but NoneType; give an array"),
    ({"policy": 1}, "not an array of real numbers but dict; give an array"),
    ([[0.5], [0.5, 0.5]], "policy is not an array of numbers; give an array"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_what_is_wrong_with_an_array_is_one_clear_line(
    game: amg.Game, wrong: Any, message: str
) -> None:
    policy = change(game, wrong[:-1], wrong[-1]) if isinstance(wrong, tuple) else wrong
    with pytest.raises(amg.AmgError, match=message) as caught:
        amg.evaluate(game, policy)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


def test_the_wrong_one_of_a_stack_is_named(game: amg.Game) -> None:
    stack = np.stack([game.uniform_policy(), change(game, (0, 1, 0, 1), -1)])
    with pytest.raises(amg.AmgError, match=r"policy\[1\] at t=0, s=1, agent=0, action=1 "):
        amg.evaluate(game, stack)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"weights has the shape \[1\], not \[2\]; give 2 numbers that sum to 1"),
        ([0.5, 0.3, 0.2], r"the shape \[3\], not \[2\]"),
        ([[0.5, 0.5]], r"the shape \[1, 2\], not \[2\]"),
        (1.0, r"the shape \[\], not \[2\]"),
        ([-0.5, 1.5], r"weights\[0\] = -0.5 is negative"),
        ([0.5, math.nan], r"weights\[1\] = nan is not finite"),
        ([math.inf, 0.5], r"weights\[0\] = inf is not finite"),
        ([0.5, 0.6], "weights sum to 1.1, not to 1"),
        ([0, 0], "weights sum to 0, not to 1"),
        (["a", "b"], "weights is not an array of real numbers"),
        ([1j, 0], "weights is not an array of real numbers"),
        ([None, 1], "weights is not an array of real numbers"),
    ],
)
def test_what_is_wrong_with_weights_is_one_clear_line(
    game: amg.Game, weights: Any, message: str
) -> None:
    with pytest.raises(amg.AmgError, match=message):
        amg.evaluate(game, np.stack([game.uniform_policy()] * 2), weights)


@cache
def uniform_value(name: str) -> tuple[amg.Game, Policy]:
    game = amg.build_game(name)
    return game, amg.evaluate(game, game.uniform_policy(), budget=10).value


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["fishermen", "congestion", "demand_response"]),
    st.integers(0, 2**32 - 1),
    st.floats(width=64),
)
def test_an_array_with_one_other_number_is_right_or_refused(
    name: str, seed: int, number: float
) -> None:
    """A padded state may hold any number; a real entry may change by rounding only."""
    game, value = uniform_value(name)
    policy = game.uniform_policy()
    rng = np.random.default_rng(seed)
    index = tuple(int(rng.integers(n)) for n in policy.shape)
    before, policy[index] = policy[index], number
    if not game.exists[index[:2]]:
        right = math.isfinite(number)
    elif game.effort[index] < 0:
        right = number == 0
    elif 1e-10 < abs(number - before) < 1e-8:
        return  # about the tolerance
    else:
        right = abs(number - before) <= 1e-10
    if right:
        found = amg.evaluate(game, policy, budget=10)
        assert found.value == pytest.approx(value, abs=1e-8)
    else:
        with pytest.raises(amg.AmgError, match="probabilit"):
            amg.evaluate(game, policy)


# --- runs ---------------------------------------------------------------------------------------


def test_a_run_is_evaluated_as_it_evaluates_itself(game: amg.Game, run: amg.Run) -> None:
    own, found = run.evaluate(), amg.evaluate(game, run)
    assert isinstance(own, amg.Evaluation)
    assert own.gap.tolist() == found.gap.tolist()
    assert own.value.tolist() == found.value.tolist()
    assert (own.gap > 0).all()
    again = amg.train(amg.build_game("fishermen"), "v_learning", episodes=1000, seed=3,
                      lambda_min="0.95")  # fmt: skip
    assert again.evaluate().gap.tolist() == own.gap.tolist()
    assert amg.train(game, episodes=1000, seed=4).evaluate().gap.tolist() != own.gap.tolist()


def test_the_greedy_policy_of_q_learning_is_an_array_like_any_other(game: amg.Game) -> None:
    run = amg.train(game, "independent_q", episodes=200)
    assert run.policy is not None
    assert run.evaluate().gap.tolist() == amg.evaluate(game, run.policy).gap.tolist()


def test_a_run_of_another_game_is_refused(run: amg.Run) -> None:
    for other in (amg.build_game("inspection"), amg.build_game("fishermen", horizon=3)):
        with pytest.raises(amg.AmgError, match="the run is of another game") as caught:
            amg.evaluate(other, run)
        assert "'fishermen'" in str(caught.value)
    with pytest.raises(amg.AmgError, match="weights and joint go with arrays"):
        amg.evaluate(run.game, run, [1.0])


def test_runs_are_read_back(tmp_path: Path, run: amg.Run) -> None:
    path = tmp_path / "run.npz"
    command = ["train", "fishermen", "--episodes", "1e3", "--seed", "3"]
    subprocess.run(
        [sys.executable, "-m", "amg", *command, "--set", "lambda_min=0.95", "-o", path],
        check=True,
        capture_output=True,
    )
    for read in (amg.load_run(path), amg.load_run(str(path), seed=3), *amg.load_runs(path)):
        assert read.evaluate().gap.tolist() == run.evaluate().gap.tolist()
        assert (read.seed, read.episodes) == (3, 1000)
    with pytest.raises(amg.AmgError, match="holds 0 runs with seed 4 of 1"):
        amg.load_run(path, seed=4)
    with pytest.raises(amg.AmgError, match=r"none\.npz.*No such file"):
        amg.load_runs(tmp_path / "none.npz")


def test_a_game_is_read_from_a_file(tmp_path: Path, game: amg.Game) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "amg", "games", "fishermen", "--yaml"],
        check=True,
        capture_output=True,
    )
    path = tmp_path / "mine.yaml"
    path.write_bytes(done.stdout)
    for read in (amg.load_game(path), amg.load_game(str(path))):
        assert read.digest == game.digest
    with pytest.raises(amg.AmgError, match=r"none\.yaml.*No such file"):
        amg.load_game(tmp_path / "none.yaml")


# --- arguments ----------------------------------------------------------------------------------


@pytest.mark.parametrize("episodes", [300, 3e2, np.int32(300), np.float64(300)])
def test_episodes_however_written(game: amg.Game, episodes: Any) -> None:
    assert amg.train(game, episodes=episodes).episodes == 300


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"episodes": True}, "episodes = True is not a number"),
        ({"episodes": "100"}, "episodes = '100' is not a number"),
        ({"episodes": None}, "episodes = None is not a number"),
        ({"episodes": math.nan}, "episodes = nan is not a number"),
        ({"episodes": math.inf}, "episodes = inf is not a number"),
        ({"episodes": 1.5}, "episodes = 1.5 is not a whole number"),
        ({"episodes": 0}, r"episodes = 0 must lie in \[1, "),
        ({"episodes": -3}, r"episodes = -3 must lie in \[1, "),
        ({"episodes": 1e30}, r"episodes = 10{30} must lie in \[1, "),
        ({"episodes": [100]}, r"episodes = \[100\] is not a number"),
        ({"episodes": 9, "seed": -1}, r"seed = -1 must lie in \[0, "),
        ({"episodes": 9, "seed": 0.5}, "seed = 0.5 is not a whole number"),
        ({"episodes": 9, "algorithm": "sarsa"}, "'sarsa' is not known; there are v_learning, "),
        ({"episodes": 9, "algorithm": ["q"]}, "is not known; there are v_learning, "),
        ({"episodes": 9, "colour": "red"}, "v_learning: unknown parameter 'colour'; there are"),
        ({"episodes": 9, "bonus": "much"}, "v_learning: bonus = 'much' is not a number"),
        ({"episodes": 9, "bonus": math.nan}, "bonus = nan must lie in"),
    ],
)
def test_wrong_arguments_of_train_are_one_clear_line(
    game: amg.Game, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(amg.AmgError, match=message) as caught:
        amg.train(game, **arguments)
    assert "\n" not in str(caught.value)


def test_a_game_is_needed_where_a_game_is_needed(game: amg.Game) -> None:
    for call in (
        lambda: amg.train("fishermen", episodes=9),  # type: ignore[arg-type]
        lambda: amg.evaluate("fishermen", game.uniform_policy()),  # type: ignore[arg-type]
    ):
        with pytest.raises(amg.AmgError, match="game must be a Game, from build_game"):
            call()


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("chess", {}, "unknown game 'chess'; there are fishermen, "),
        (["fishermen"], {}, "unknown game"),
        ("fishermen", {"boats": 2}, "unknown parameter 'boats'; there are agents, "),
        ("fishermen", {"agents": 0}, "agents must be an integer from 2"),
        ("fishermen", {"agents": 2.5}, "agents must be an integer from 2"),
        ("fishermen", {"agents": True}, "agents must be an integer from 2"),
    ],
)
def test_wrong_games_are_one_clear_line(
    name: Any, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(amg.AmgError, match=message):
        amg.build_game(name, **parameters)


def test_numbers_of_numpy_build_games(game: amg.Game) -> None:
    assert amg.build_game("fishermen", agents=np.int64(2)).digest == game.digest
