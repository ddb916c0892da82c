"""Extremes through the whole pipeline: train, save, load, certify, compare (docs/numbers.md)."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from amg.base.errors import ParameterError
from amg.cli.main import main
from amg.evaluation.evaluation import Evaluation, check_confidence
from amg.exact import dominance_equilibrium, references, team_optimum, uniform_play
from amg.game.file import dump_game
from amg.game.model import Game, bonus, iota
from amg.game.tabulation import tabulate
from amg.learning import v_learner
from amg.learning.algorithm1 import new_stage, whole
from amg.learning.episode import generator
from amg.learning.parameters import CentralizedQ, IndependentQ, Parameters, VLearning
from amg.learning.train import new_learner, train_run
from amg.learning.v_learner import VLearner
from amg.results.evaluate import controller_of, summarise
from amg.results.run import Run
from amg.results.run_file import load_run, save_runs

V_LEARNERS = [
    VLearning(bonus=0.1, lambda_min=0.95),
    VLearning(bonus=0.0, lambda_min=0.95, fluctuation="mad", solver="newton", stage_rule="real"),
    VLearning(lambda_min=1.0, direction="comment"),
]
ALGORITHMS: list[Parameters] = [*V_LEARNERS, CentralizedQ(), IndependentQ(start="optimistic")]
algorithms = pytest.mark.parametrize(
    "parameters", ALGORITHMS, ids=["cv", "mad", "whole", "centralized", "independent"]
)


def some_pay(t: int, a: int, others: int) -> int:
    """Whole numbers from 0 to 8 without much order."""
    return (7 * a + 3 * others + t) % 9


def sized(
    N: int, T: int, S: int, A: int, unit: Fraction = Fraction(1), pay: Callable = some_pay
) -> Game:
    """N agents, T steps, S states, A actions of efforts 0, 1, 2 in turn; pay in some unit."""
    states = [[f"state {s}" for s in range(S)]] * T
    return tabulate(
        name="sized",
        agents=[f"agent {i}" for i in range(N)],
        states=states,
        efforts=lambda t, s, i: {f"{a}": a % 3 for a in range(A)},
        reward=lambda t, s, i, a, others: unit * pay(t, int(a), int(others)),
        transition=lambda t, s, total: {state: Fraction(1, S) for state in states[t + 1]},
        initial={"state 0": 1},
        reward_range=(0, 8 * unit),
    )


def train_checked(game: Game, parameters: Parameters, episodes: int, path: Path) -> Run:
    """A run, after a look at the learner's memory and a journey through a file."""
    learner = new_learner(game, parameters, episodes, seed=3, record=episodes // 2)
    learner.advance(episodes)
    if isinstance(learner, VLearner):
        policy = learner.memory.policy
        assert (policy[game.effort >= 0] > 0).all()
        assert np.abs(policy.sum(axis=3)[game.exists] - 1).max() < 1e-12
        assert np.isfinite(learner.memory.q_hat).all()
    save_runs(path, [learner.finish()])
    return load_run(path)


def assess(run: Run) -> Evaluation:
    """Everything that is said of a run is finite, in range, and in order."""
    game, low, high = run.game, *run.game.reward_range
    found = run.evaluate()
    for value in vars(found).values():
        assert value is found.initial_states or np.isfinite(value).all()
    slack = 1e-12 * game.T * game.scale
    for earned in (run.returns, found.value, found.best_response, found.informed):
        assert (earned >= game.T * low - slack).all()
        assert (earned <= game.T * high + slack).all()
    assert (found.best_response <= found.informed + slack).all()
    assert found.exact.all()
    if run.certificate is not None:
        certificate = run.certificate
        shares = certificate.cell_law.sum(axis=(2, 3)) / certificate.cell_visits[:, None]
        assert np.abs(shares - 1).max() < 1e-12
        confidence = check_confidence(certificate, controller_of(run), found)
        assert ((confidence.value >= 0) & (confidence.informed <= game.T + 1e-12)).all()
    return found


# --- sizes ----------------------------------------------------------------------------------------


@algorithms
@pytest.mark.parametrize(
    ("sizes", "episodes"),
    [
        ((1, 1, 1, 1), 3000),
        ((1, 1, 1, 2), 3000),
        ((2, 1, 1, 2), 3000),
        ((1, 3, 2, 2), 3000),
        ((3, 1, 1, 3), 2000),
        ((1, 1, 1, 1000), 1500),
        ((3, 1, 1, 100), 300),
    ],
    ids=str,
)
def test_small_and_large_sizes(
    sizes: tuple[int, int, int, int], episodes: int, parameters: Parameters, tmp_path: Path
) -> None:
    game = sized(*sizes)
    run = train_checked(game, parameters, episodes, tmp_path / "run.npz")
    found = assess(run)
    if game.A_max == 1:
        assert found.gap.tolist() == [0] * game.N
        assert found.value.tolist() == [game.reward.sum()] * game.N
    if game.N == game.T == 1 and run.certificate is not None:
        assert_alone(run, found)


@pytest.mark.slow
@algorithms
def test_two_agents_of_a_thousand_actions(parameters: Parameters, tmp_path: Path) -> None:
    """A million pairs of actions at each visit."""
    assess(train_checked(sized(2, 1, 1, 1000), parameters, 1000, tmp_path / "run.npz"))


def assert_alone(run: Run, found: Evaluation) -> None:
    """One agent, one step: the value by hand, and the best response is the best action."""
    certificate = run.certificate
    assert certificate is not None
    pay = run.game.reward[0, 0, 0, :, 0]
    earned = [float(pay.mean()), *(certificate.cell_law[:, 0].sum(axis=2) @ pay)]
    earned[1:] = [x / n for x, n in zip(earned[1:], certificate.cell_visits.tolist(), strict=True)]
    episodes = certificate.episodes_in_stage(0).tolist()
    value = math.fsum(k * x for k, x in zip(episodes, earned, strict=True)) / run.episodes
    assert found.value[0] == pytest.approx(value, rel=1e-12)
    assert found.best_response[0] == pytest.approx(pay.max(), rel=1e-12)
    assert found.gap[0] == pytest.approx(pay.max() - value, rel=1e-11)


def test_dominance_of_a_thousand_actions() -> None:
    """Half a million pairs of them, compared without a table of all."""
    game = sized(2, 1, 1, 1000, pay=lambda t, a, others: Fraction(8 * a, 999))
    equilibrium = dominance_equilibrium(game)
    assert equilibrium is not None
    assert equilibrium.actions.tolist() == [[[999, 999]]]
    assert equilibrium.unique_cce
    assert uniform_play(game) == pytest.approx([4, 4], rel=1e-12)
    assert team_optimum(game).average == pytest.approx(8, rel=1e-12)


# --- units of pay ---------------------------------------------------------------------------------


@algorithms
@pytest.mark.parametrize("power", [-996, 40])  # 1.5e-300 and 1.1e12
def test_a_unit_that_is_a_power_of_two_changes_nothing(
    power: int, parameters: Parameters, tmp_path: Path
) -> None:
    """With the same random numbers, the run is the same to the bit, and pay is in that unit."""
    unit = 2.0**power
    plain, scaled = (sized(2, 2, 2, 3, Fraction(u)) for u in (1, unit))
    runs = []
    for game in (plain, scaled):
        learner = new_learner(game, parameters, 2000, seed=5, record=100)
        learner.rng = generator(plain, parameters, 2000, seed=5)
        learner.advance(2000)
        save_runs(tmp_path / "run.npz", [learner.finish()])
        runs.append(load_run(tmp_path / "run.npz"))
    one, other = runs
    assert (other.returns == unit * one.returns).all()
    if one.certificate is not None and other.certificate is not None:
        for name in ("cell_key", "cell_law", "stage_key", "stage_v_bar", "stage_v_low"):
            same = getattr(one.certificate, name) == getattr(other.certificate, name)
            assert same.all(), name
    found = [assess(run) for run in runs]
    for name in ("value", "best_response", "informed", "gap", "informed_gap"):
        assert (getattr(found[1], name) == unit * getattr(found[0], name)).all(), name


@algorithms
@pytest.mark.parametrize("unit", ["1e-300", "1e12", "1e199"])
def test_pay_in_units_of(unit: str, parameters: Parameters, tmp_path: Path) -> None:
    """A decimal unit rounds every pay; the policy learnt in it has the gap of ordinary units."""
    times = float(unit)
    plain, scaled = (sized(2, 2, 2, 2, Fraction(u)) for u in ("1", unit))
    run = train_checked(scaled, parameters, 2000, tmp_path / "run.npz")
    found = assess(run)
    certificate = run.certificate and dataclasses.replace(run.certificate, game=plain)
    usual = dataclasses.replace(run, game=plain, certificate=certificate).evaluate()
    for name in ("value", "best_response", "informed", "gap", "informed_gap"):
        got, want = (getattr(e, name) for e in (found, usual))
        np.testing.assert_allclose(got / times, want, rtol=1e-9, atol=1e-12, err_msg=name)
    if run.certificate is not None and certificate is not None:
        np.testing.assert_allclose(
            run.certificate.own_bound() / times, certificate.own_bound(), rtol=1e-12
        )


@pytest.mark.parametrize("unit", ["1e-300", "1e12", "1e199"])
def test_reference_values_in_units_of(unit: str) -> None:
    plain, scaled = (references(sized(2, 2, 1, 2, Fraction(u))).rows for u in ("1", unit))
    assert len(plain) >= 4
    for row, same in zip(scaled, plain, strict=True):
        assert row.label == same.label
        scale = float(unit)
        np.testing.assert_allclose(row.per_agent / scale, same.per_agent, rtol=1e-9, atol=1e-9)


@algorithms
@pytest.mark.parametrize("low", [0, 10**6, -(10**6)])
@pytest.mark.parametrize("level", [0.1, 1 / 3, 8.0])
def test_pay_that_is_always_the_same(
    low: int, level: float, parameters: Parameters, tmp_path: Path
) -> None:
    """Nothing to gain, whatever was learnt; V̄ and V̲ enclose the only value."""
    plain = sized(2, 3, 2, 2, pay=lambda t, a, others: Fraction(level))
    pay = np.where(plain.reward > 0, plain.reward + low, 0.0)
    game = dataclasses.replace(plain, reward=pay, reward_range=(float(low), low + 8.0))
    run = train_checked(game, parameters, 1000, tmp_path / "run.npz")
    found = assess(run)
    worth = 3 * (low + level)
    assert np.abs(found.gap).max() < 1e-13 * game.scale
    assert found.value == pytest.approx([worth] * 2, rel=1e-15, abs=1e-14)
    np.testing.assert_allclose(run.returns, worth, rtol=1e-15)
    if run.certificate is not None:
        confidence = check_confidence(run.certificate, controller_of(run), found)
        assert confidence.holds


def test_a_game_file_in_tiny_units(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From YAML to the page for the terminal, which then shows digits, not decimals."""
    dump_game(sized(2, 1, 1, 2, Fraction("1e-300")), tmp_path / "tiny.yaml")
    run = tmp_path / "run.npz"
    options = ["--episodes", "1000", "-o", str(run)]
    assert main(["train", str(tmp_path / "tiny.yaml"), *options]) == 0
    assert main(["certify", str(run)]) == 0
    gap = summarise(load_run(run))["max_gap"]
    assert 1e-303 < gap < 8e-300
    text = " ".join(capsys.readouterr().out.split())
    assert f"maximum over agents: {gap:.6g}, " in text
    assert main(["games", str(tmp_path / "tiny.yaml")]) == 0
    assert "e-300" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("bounds", "why"),
    [
        ("[0, 1e-301]", "narrower than 1e-300; state rewards in a smaller unit"),
        ("[0, 1e201]", "goes beyond 1e+200; state rewards in a larger unit"),
        ("[1e12, 1000000000001]", "narrower than 1e-06 of what it is around"),
        ("[1, 1]", "is not an interval; give low < high, both finite"),
        ("[0, 1e999]", "'1e999' must be a number below 1e308"),
    ],
)
def test_a_range_that_doubles_cannot_bear_is_refused_in_one_line(
    bounds: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.yaml"
    dump_game(sized(1, 1, 1, 1), path)
    text = path.read_text().replace("reward_range: [0, 8]", f"reward_range: {bounds}")
    path.write_text(text)
    assert bounds in text
    assert main(["games", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"amg: error: {path}:")
    assert "reward_range" in line
    assert why in line


# --- λ_min at its limits --------------------------------------------------------------------------


@pytest.mark.parametrize("T", [1, 2, 3, 10, 47])
@pytest.mark.parametrize("stage_rule", ["floor", "real"])
def test_lambda_min_just_above_its_limit(T: int, stage_rule: str) -> None:
    """Calm stages then do not grow at all, which is what the rule says: no end, no crash."""
    game, K = sized(1, T, 1, 1), 1000
    least = math.nextafter(T / (T + 1), 1)
    run = train_run(game, VLearning(lambda_min=least, stage_rule=stage_rule), K, seed=1)
    certificate = run.certificate
    assert certificate is not None
    length = 2 if T == 1 else T  # of one visit no fluctuation is known: λ = 1 after the first
    assert certificate.stage_key[1:, 3].tolist() == [length] * (len(certificate.stage_key) - 1)
    assert len(certificate.cell_key) >= T * (K // length)
    assert abs(assess(run).gap[0]) < 1e-13 * game.scale


@pytest.mark.parametrize("T", [1, 2, 3, 10, 47])
def test_lambda_min_at_its_limit_is_refused(
    T: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.yaml"
    dump_game(sized(1, T, 1, 1), path)
    options = ["--episodes", "9", "--set", f"lambda_min={T / (T + 1)!r}", "-o", "no.npz"]
    assert main(["train", str(path), *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"lambda_min = {T / (T + 1)!r} must lie in (T/(T+1), 1]" in line


def test_lambda_min_of_one() -> None:
    """Stages grow by exactly 1 + 1/T, rounded down as printed or kept real."""
    K = 20_000
    for T, stage_rule in itertools.product((1, 2, 3, 10), ("floor", "real")):
        game = sized(2, T, 1, 2)
        run = train_run(game, VLearning(lambda_min=1.0, stage_rule=stage_rule), K, seed=1)
        assert run.certificate is not None
        assert (run.certificate.stage_coefficient == 1).all()
        length, lengths = Fraction(T), []
        while sum(lengths) + math.floor(length) <= K:
            lengths.append(math.floor(length))
            length = (lengths[-1] if stage_rule == "floor" else length) * Fraction(T + 1, T)
        for t in range(T):
            rows = run.certificate.history(t, 0)
            assert run.certificate.stage_key[rows, 3].tolist() == lengths


@pytest.mark.parametrize("T", [1, 2, 3, 10, 47])
@pytest.mark.parametrize("stage_rule", ["floor", "real"])
def test_lengths_of_long_stages(T: int, stage_rule: str) -> None:
    """Up to 10^10 visits: the printed ⌊(1 + 1/T) L̃⌋ in whole numbers, the real one to a visit."""
    learner = VLearner(
        sized(1, T, 1, 1),
        VLearning(lambda_min=1.0, stage_rule=stage_rule),
        10**12,
        seed=1,
        record=0,
    )
    memory, length = learner.memory, Fraction(T)
    while length < 10**10:
        memory.visits[0, 0] = memory.histogram[0, 0, 0] = memory.length[0, 0]
        learner.stages.used[0] = 0
        new_stage(learner.game.tables, learner.rules, memory, learner.stages, 0, 0, 1)
        length *= Fraction(T + 1, T)
        if stage_rule == "floor":
            length = Fraction(math.floor(length))
        assert abs(int(memory.length[0, 0]) - math.floor(length)) <= (stage_rule == "real")


def test_a_whole_length_is_not_lost_to_rounding() -> None:
    """⌊λ (1 + 1/T) L̃⌋ for decimal λ: where doubles fall just short of a whole number, too."""
    short = 0
    for text, T in itertools.product(("0.7", "0.8", "0.9", "0.95", "0.96"), range(1, 20)):
        for length in range(T, 400):
            exact = Fraction(text) * (T + 1) * length / T
            grown = float(text) * ((T + 1) * float(length)) / T  # line 17 in the kernel
            assert whole(grown) == math.floor(exact)
            short += math.floor(grown) < math.floor(exact)
    assert short > 0


def test_a_hundred_thousand_stages() -> None:
    """A run that stalls at two visits a stage is evaluated with all digits, too."""
    parameters = VLearning(lambda_min=math.nextafter(0.5, 1), cv_max=1e308, bonus=0.1)
    run = train_run(sized(1, 1, 1, 2), parameters, 200_000, seed=1)
    certificate = run.certificate
    assert certificate is not None
    assert len(certificate.stage_key) == 100_000
    found = assess(run)
    assert_alone(run, found)
    width = [1.0, *(certificate.stage_v_bar - certificate.stage_v_low)[:, 0].tolist()]
    episodes = certificate.episodes_in_stage(0).tolist()
    expected = math.fsum(k * w for k, w in zip(episodes, width, strict=True)) / run.episodes
    assert certificate.own_bound()[0] == pytest.approx(run.game.scale * expected, rel=1e-12)


@pytest.mark.parametrize("stage_rule", ["floor", "real"])
def test_stages_that_never_grow_end_in_one_line(
    stage_rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in all the memory there is."""
    monkeypatch.setattr(v_learner, "LARGEST_CELLS", 1 << 16)
    parameters = VLearning(lambda_min=math.nextafter(2 / 3, 1), stage_rule=stage_rule)
    with pytest.raises(ParameterError, match="a larger lambda_min") as refusal:
        train_run(sized(2, 2, 1, 1), parameters, 10**9, seed=1)
    message = str(refusal.value)
    assert "\n" not in message
    assert f"stage_rule = {stage_rule} with lambda_min = 0.666666666666666" in message


# --- other parameters -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "extreme",
    [
        {"bonus": 1e308}, {"bonus": 0.0}, {"p": 5e-324}, {"p": 5e-324, "bonus": 0.0}, {"p": 1.0},
        {"cv_max": 5e-324}, {"cv_max": 1e308},
        {"mad_max": 5e-324, "fluctuation": "mad"}, {"mad_max": 1e308, "fluctuation": "mad"},
    ],
    ids=str,
)  # fmt: skip
def test_extreme_parameters(extreme: dict[str, float | str], tmp_path: Path) -> None:
    assess(train_checked(sized(2, 2, 2, 2), VLearning(**extreme), 500, tmp_path / "run.npz"))


@pytest.mark.parametrize("p", [1.0, 0.05, 1e-300, 5e-324])
@pytest.mark.parametrize("K", [1, 10**12])
def test_iota_and_bonus(K: int, p: float) -> None:
    """ι = log(2 N S A K T / p), of which p alone may be too small to divide by."""
    game = sized(2, 3, 2, 5)
    expected = float((Decimal(2 * 2 * 2 * 5 * K * 3) / Decimal(p)).ln())
    assert iota(game, K, p) == pytest.approx(expected, rel=1e-15)
    lemma = expected + math.log(2)
    assert iota(game, K, p, "lemma") == pytest.approx(lemma, rel=1e-15)
    assert bonus(3, 5, expected, 4.0) == pytest.approx(4 * math.sqrt(9 * 5 * expected), rel=1e-15)
