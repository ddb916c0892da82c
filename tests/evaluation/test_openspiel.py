"""The gap, against OpenSpiel's distance to a CCE (`pip install open_spiel`; skipped without it).

OpenSpiel reads the game as a tree in Gambit's format. Its distance is the sum of max(ε_i, 0),
where ε_i is the mean over the law of the first state.
"""

from __future__ import annotations

from itertools import product

import brute_force as plain
import numpy as np
import pytest
from hypothesis import given, settings
from random_cases import Case, cases

from amg.evaluation.controller import from_policies
from amg.evaluation.evaluation import Evaluation, evaluate_controller
from amg.game.library import build
from amg.game.model import Game
from amg.learning.parameters import VLearning
from amg.learning.train import train_traced
from amg.results.evaluate import controller_of

pyspiel = pytest.importorskip("pyspiel")


class Tree:
    """A game as text; in each information set a player knows what our deviator knows."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.sets: list[dict[plain.History, int]] = [{} for _ in game.agents]  # numbered by player
        self.lines = ['EFG 2 R "" { ' + " ".join(f'"{name}"' for name in game.agents) + " }"]
        start = [(s, float(q)) for s, q in enumerate(game.initial) if q > 0]
        self.nature(0, start, [()] * game.N, np.zeros(game.N))

    def nature(self, t: int, law: list, seen: list[plain.History], earned: np.ndarray) -> None:
        if t == self.game.T:
            pays = " ".join(map(repr, earned.tolist()))
            self.lines.append(f't "" {len(self.lines)} "" {{ {pays} }}')
            return
        outcomes = " ".join(f'"{s}" {p!r}' for s, p in law)
        self.lines.append(f'c "" {len(self.lines)} "" {{ {outcomes} }} 0')
        for s, _ in law:
            self.agents(t, s, [(*past, s) for past in seen], earned, ())

    def agents(
        self, t: int, s: int, seen: list[plain.History], earned: np.ndarray, joint: tuple[int, ...]
    ) -> None:
        game, i = self.game, len(joint)
        if i < game.N:  # agent i moves, not seeing what those before it did
            number = self.sets[i].setdefault(seen[i], len(self.sets[i]) + 1)
            actions = range(len(game.actions[t][s][i]))
            labels = " ".join(f'"{a}"' for a in actions)
            self.lines.append(f'p "" {i + 1} {number} "" {{ {labels} }} 0')
            for a in actions:
                self.agents(t, s, seen, earned, (*joint, a))
            return
        others, pay = plain.step(game, t, s, joint)
        after = [(*past, a, d) for past, a, d in zip(seen, joint, others, strict=True)]
        total = others[0] + int(game.effort[t, s, 0, joint[0]])
        self.nature(t + 1, plain.following(game, t, s, total), after, earned + np.array(pay))

    def policy(self, markov: np.ndarray) -> object:
        """A Markov policy [T, S, N, A] in every information set."""
        table = {}
        for i, sets in enumerate(self.sets):
            for seen, number in sets.items():
                law = markov[len(seen) // 3, seen[-1], i]
                menu = self.game.actions[len(seen) // 3][seen[-1]][i]
                table[f"{i}-{i}-{number}-"] = list(enumerate(law[: len(menu)].tolist()))
        return pyspiel.TabularPolicy(table)


def check(case: Case, ours: Evaluation) -> None:
    tree = Tree(case.game)
    device = [(float(w), tree.policy(p)) for w, p in zip(case.weights, case.policies, strict=True)]
    theirs = pyspiel.cce_dist(pyspiel.load_efg_game("\n".join(tree.lines)), device)
    assert ours.value == pytest.approx(theirs.on_policy_values, abs=1e-10)
    assert ours.best_response == pytest.approx(theirs.best_response_values, abs=1e-10)
    assert np.maximum(ours.mean_gap, 0).sum() == pytest.approx(theirs.dist_value, abs=1e-10)


@settings(max_examples=30, deadline=None)
@given(cases(N=3, T=2, S=2, A=3, J=3) | cases(N=2, T=3, S=2, A=2, J=3))
def test_mixtures_of_policies(case: Case) -> None:
    check(
        case, evaluate_controller(case.game, from_policies(case.game, case.policies, case.weights))
    )


@pytest.mark.parametrize("name", ["fishermen", "inspection"])
def test_certified_policies(name: str) -> None:
    """With two steps a certified policy is a mixture of Markov policies, one for each k, l, l'."""
    game = build(name)
    run = train_traced(game, VLearning(bonus=0.1), 12, seed=1)
    assert run.trace is not None
    device, policies, weights = plain.Algorithm5(game, run.trace), [], []
    for w, k in device.start():
        for v, first, l in device.act(0, 0, k):
            for later in product(*(device.act(1, s, l) for s in range(2))):
                weights.append(w * v * later[0][0] * later[1][0])
                policies.append([[first, first], [policy for _, policy, _ in later]])
    case = Case(game, np.array(policies), np.array(weights))
    check(case, evaluate_controller(game, controller_of(run)))
