"""Our gaps, against OpenSpiel's: its NashConv and its distance to a CCE.

NashConv is the sum of ε_i over agents, the distance to a CCE that of max(ε_i, 0), where ε_i is the
mean over the law of the first state.
"""

from __future__ import annotations

from itertools import product

import brute_force as plain
import numpy as np
import pytest
from hypothesis import given, settings
from random_cases import Case, cases

import amg
from amg.base.errors import AmgError
from amg.evaluation.evaluation import Evaluation
from amg.game.model import Game
from amg.learning.parameters import VLearning
from amg.learning.train import train_traced

WHY = "open_spiel is not installed: pip install '.[bridges]'"
pyspiel = pytest.importorskip("pyspiel", reason=WHY)

# ruff: noqa: E402
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms.exploitability import nash_conv

from amg.bridges.gambit import write_efg
from amg.bridges.openspiel import MarkovPolicy, SpielGame, policy_array

GAMES = ["fishermen", "inspection", "market", "reservoir"]


def distance_to_cce(case: Case) -> object:
    """OpenSpiel's C++ code, on the game made turn-based."""
    spiel = SpielGame(case.game)
    turns = pyspiel.convert_to_turn_based(spiel)
    device = []
    for weight, policy in zip(case.weights, case.policies, strict=True):
        rule = MarkovPolicy(spiel, policy).action_probabilities
        table = spiel_policy.tabular_policy_from_callable(turns, rule)
        device.append((float(weight), spiel_policy.python_policy_to_pyspiel_policy(table)))
    return pyspiel.cce_dist(turns, device)


def check(ours: Evaluation, theirs: object) -> None:
    assert ours.value == pytest.approx(theirs.on_policy_values, abs=1e-10)
    assert ours.best_response == pytest.approx(theirs.best_response_values, abs=1e-10)
    assert np.maximum(ours.mean_gap, 0).sum() == pytest.approx(theirs.dist_value, abs=1e-10)


@settings(max_examples=20, deadline=None)
@given(
    cases(N=3, T=2, S=2, A=2, J=3) | cases(N=2, T=3, S=2, A=2, J=3) | cases(N=3, T=2, S=2, A=3, J=1)
)
def test_distance_to_a_cce_of_mixtures(case: Case) -> None:
    check(amg.evaluate(case.game, case.policies, case.weights), distance_to_cce(case))


@settings(max_examples=20, deadline=None)
@given(cases(N=3, T=2, S=2, A=3, J=1) | cases(N=2, T=3, S=2, A=2, J=1))
def test_nash_conv_of_product_policies(case: Case) -> None:
    spiel = SpielGame(case.game)
    theirs = nash_conv(spiel, MarkovPolicy(spiel, case.policies[0]), return_only_nash_conv=False)
    ours = amg.evaluate(case.game, case.policies[0])
    assert ours.mean_gap == pytest.approx(theirs.player_improvements, abs=1e-9)
    assert ours.mean_gap.sum() == pytest.approx(theirs.nash_conv, abs=1e-9)


@pytest.mark.parametrize("name", GAMES)
def test_nash_conv_of_library_games(name: str) -> None:
    game = amg.build_game(name)
    spiel = SpielGame(game)
    policy = MarkovPolicy(spiel, game.uniform_policy())
    gap = amg.evaluate(game, game.uniform_policy()).mean_gap
    assert gap.sum() == pytest.approx(nash_conv(spiel, policy), abs=1e-9)
    assert amg.evaluate(game, policy_array(spiel, policy)).mean_gap == pytest.approx(gap, abs=1e-12)


@pytest.mark.parametrize("name", ["fishermen", "inspection"])
def test_certified_policies(name: str) -> None:
    """With two steps a certified policy is a mixture of Markov policies, one for each k, l, l'."""
    game = amg.build_game(name)
    run = train_traced(game, VLearning(bonus=0.1), 8, seed=1)
    assert run.trace is not None
    device, policies, weights = plain.Algorithm5(game, run.trace), [], []
    for w, k in device.start():
        for v, first, l in device.act(0, 0, k):
            for later in product(*(device.act(1, s, l) for s in range(2))):
                weights.append(w * v * later[0][0] * later[1][0])
                policies.append([[first, first], [policy for _, policy, _ in later]])
    check(run.evaluate(), distance_to_cce(Case(game, np.array(policies), np.array(weights))))


@pytest.mark.parametrize("name", GAMES)
def test_openspiel_can_play_the_games_at_random(name: str) -> None:
    """Its generic test of a game: clones, legal actions, chance, texts."""
    pyspiel.random_sim_test(
        SpielGame(amg.build_game(name)), num_sims=3, serialize=False, verbose=False
    )


@pytest.mark.parametrize("name", GAMES)
def test_both_trees_are_the_same_game(name: str) -> None:
    """The tree that we write for Gambit, read by OpenSpiel, has the same gaps."""
    game = amg.build_game(name)
    tree = pyspiel.load_efg_game(write_efg(game))
    theirs = nash_conv(tree, spiel_policy.UniformRandomPolicy(tree), return_only_nash_conv=False)
    ours = amg.evaluate(game, game.uniform_policy())
    assert ours.mean_gap == pytest.approx(theirs.player_improvements, abs=1e-9)


def by_memory(game: Game) -> spiel_policy.Policy:
    """A policy that is not Markov: at the second step it depends on the first actions."""
    spiel = SpielGame(game)
    policy = spiel_policy.TabularPolicy(spiel)
    for key, row in policy.state_lookup.items():
        if len(key.split()) > 1:
            policy.action_probability_array[row] = np.eye(game.A_max)[int(key.split()[1])]
    return policy


def test_a_policy_of_openspiel_is_evaluated_if_it_is_markov() -> None:
    game = amg.build_game("fishermen")
    spiel = SpielGame(game)
    first = spiel_policy.FirstActionPolicy(spiel)
    assert amg.evaluate(game, policy_array(spiel, first)).value == pytest.approx([19.2, 19.2])
    with pytest.raises(
        AmgError, match=r"^step 2, state '\w+', agent 'fisher \d': the policy depends"
    ):
        policy_array(spiel, by_memory(game))
