"""Cells and stages, against sums over the visits of a recorded run."""

from __future__ import annotations

from collections import defaultdict

import brute_force as plain
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from random_cases import Case, cases

from amg.evaluation.sampler import Trace
from amg.game.library import BUILDERS, build
from amg.game.library.fishermen import fishermen
from amg.game.model import Game
from amg.learning.parameters import VLearning
from amg.learning.train import train_traced
from amg.results.run import Run

VARIANTS = {
    "as printed": {},
    "mad": {"fluctuation": "mad", "stage_rule": "real"},
    "fixed": {"fluctuation": "fixed", "bonus": 0},
    "comment": {"direction": "comment", "bonus": 0.1},
    "newton": {"solver": "newton", "bonus": 0.1},  # not the kernel for two agents, two actions
    "stalling": {"cv_max": 50},  # λ < 1 always: stages never outgrow T
}
Key = tuple[int, ...]  # t, s, m and the m' of each next state


def cells(game: Game, trace: Trace) -> dict[Key, tuple[int, NDArray[np.float64]]]:
    """Visits l and Σ_l π_i(a_i) P_-i(σ) of each (t, s, m, m'), over the stages that were completed.

    A product of policies at a time: joint action a adds Π_j π_j(a_j) to (i, a_i, Σ_{j≠i} e_j).
    """
    T, S, N, A, D = game.reward.shape
    visits: dict[Key, int] = defaultdict(int)
    law: dict[Key, NDArray[np.float64]] = defaultdict(lambda: np.zeros((N, A, D)))
    length: dict[Key, int] = {}
    for k, t in np.ndindex(trace.state.shape):
        s = int(trace.state[k, t])
        m = int(trace.stage[k, t, s])
        later = [int(trace.stage[k, t + 1, s2]) if t + 1 < T else 0 for s2 in range(S)]
        key = (t, s, m, *later)
        visits[key] += 1
        length[t, s, m] = int(trace.stage_length[k, t, s])
        for joint in plain.joint_actions(game, t, s):
            others, _ = plain.step(game, t, s, joint)
            p = plain.probability(trace.policy[k, t], joint)
            for i, a in enumerate(joint):
                law[key][i, a, others[i]] += p
    done: dict[Key, int] = defaultdict(int)
    for key, n in visits.items():
        done[key[:3]] += n
    return {key: (n, law[key]) for key, n in visits.items() if done[key[:3]] == length[key[:3]]}


def check_cells(run: Run) -> None:
    """The certificate has the cells of the trace, each once, and no others."""
    certificate = run.certificate
    assert certificate is not None
    assert run.trace is not None
    expected = cells(run.game, run.trace)
    keys = [tuple(key) for key in certificate.cell_key.tolist()]
    assert len(keys) == len(set(keys))
    assert set(keys) == set(expected)
    for key, visits, law in zip(keys, certificate.cell_visits, certificate.cell_law, strict=True):
        assert visits == expected[key][0]
        assert law == pytest.approx(expected[key][1], rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", BUILDERS)
def test_cells_are_sums_over_visits(name: str, variant: str) -> None:
    check_cells(traced(build(name), 150, **VARIANTS[variant]))


@pytest.mark.parametrize("agents", [3, 4, 5])
def test_cells_of_more_agents_are_sums_over_visits(agents: int) -> None:
    check_cells(traced(fishermen(agents=agents), 60, bonus=0))


@settings(max_examples=25, deadline=None)
@given(cases(N=4, T=3, S=3, A=3, J=1), st.integers(1, 40))
def test_cells_of_random_games_are_sums_over_visits(case: Case, episodes: int) -> None:
    check_cells(traced(case.game, episodes, fluctuation="mad"))


@pytest.mark.parametrize("name", BUILDERS)
def test_stages_are_those_of_the_trace(name: str) -> None:
    """How many were completed, when, how long they were, and V̄ from then on."""
    run = traced(build(name), 200, bonus=0.1)
    certificate, trace, game = run.certificate, run.trace, run.game
    assert certificate is not None
    assert trace is not None
    for t, s in np.argwhere(game.exists).tolist():
        rows = certificate.history(t, s)
        before, after = trace.stage[:-1, t, s], trace.stage[1:, t, s]
        boundary = np.flatnonzero(after > before) + 1  # episodes count from 1
        ends = certificate.stage_key[rows]
        assert (ends[:, :2] == [t, s]).all()
        assert ends[: len(boundary), 2].tolist() == boundary.tolist()
        assert ends[len(boundary) :, 2].tolist() in ([], [run.episodes])  # in the last episode
        assert ends[:, 3].tolist() == trace.stage_length[ends[:, 2] - 1, t, s].tolist()
        v_bar = certificate.stage_v_bar[rows][: len(boundary)]
        assert v_bar.tolist() == trace.vbar[boundary, t, s].tolist()
    assert certificate.completed.tolist() == [
        [len(certificate.stage_key[certificate.history(t, s)]) for s in range(game.S)]
        for t in range(game.T)
    ]


@pytest.mark.parametrize("episodes", [1, 2, 3, 101])
@pytest.mark.parametrize("name", BUILDERS)
def test_shares_of_episodes_are_those_of_the_trace(name: str, episodes: int) -> None:
    run = traced(build(name), episodes)
    assert run.certificate is not None
    assert run.trace is not None
    for s in range(len(run.game.states[0])):
        counts = np.bincount(run.trace.stage[:, 0, s])
        share = run.certificate.episodes_in_stage(s)
        assert share[: len(counts)].tolist() == counts.tolist()
        assert not share[len(counts) :].any()


def test_own_bound_is_the_mean_width_of_the_confidence_interval() -> None:
    """Against V̄ from the trace; with a bonus this large V̲ stays 0."""
    run = traced(build("demand_response"), 300)
    assert run.certificate is not None
    assert run.trace is not None
    assert not run.certificate.stage_v_low.any()
    width = run.trace.vbar[:, 0].mean(axis=0)  # [S, N]
    expected = run.game.scale * (run.game.initial @ width)
    assert run.certificate.own_bound() == pytest.approx(expected, rel=1e-12)


def traced(game: Game, episodes: int, **settings: object) -> Run:
    tight = {"lambda_min": max(0.9, 1 - 0.5 / (game.T + 1))}
    return train_traced(game, VLearning(**tight | settings), episodes, seed=7)  # type: ignore[arg-type]
