"""Equilibrium by dominance: backward induction, with iterated elimination in each stage game.

In the stage game Q at (t, s), action a of agent i is eliminated if one of its remaining actions, b,
is better against every sum that the others' remaining actions can add up to:

    Q_i(b, σ) > Q_i(a, σ)  for all such σ.

Aggregation makes this cheap: there are few sums, where there are many joint actions. If one action
per agent is left, it is the stage's only Nash and only correlated equilibrium, and pays V_i^t(s).

It need not be the only *coarse* correlated equilibrium, see `uniqueness`.

---
Sufficient conditions for an equilibrium by dominance to be the only CCE.

*One step.* If a*_i is strictly dominant for every i, the only CCE is a*: an agent that ignores the
recommendation and plays a*_i gains Q_i(a*_i, σ) − Q_i(a_i, σ) > 0 where a_i ≠ a*_i is recommended,
and loses nowhere. The argument needs a *dominant* action. An action that is eliminated only in a
later round may have weight in a CCE: the actions that it is good against are dominated themselves,
but they may be recommended together with it.

*Several steps.* Dominance in every stage game is not enough, because it judges actions by
equilibrium continuations, while a CCE may promise and threaten. Take the prisoner's dilemma played
twice (4, 3, 1, 0), and let a coin decide between "cooperate, and punish whoever does not" and
"defect". Whoever defects at once loses the second reward. Cooperating once and then defecting pays
only if the coin fell that way, and a deviator ignores the coin, so cannot know. This is a CCE,
though defection dominates in every stage. So we bound what promises and threats can do. Let agent i
deviate to "a*_i always". From (t, s) on, whatever the others do, this earns at least

    L_i^t(s) = min_σ r_i(s, a*_i, σ) + E[L_i^{t+1} | σ + e(a*_i)].

Until i is first recommended another action than a*_i, at some (t, s) and in a joint action a, the
deviation looks like obedience, so nobody can react to it. There is no other CCE if

(alone)     for every i, every a_i ≠ a*_i and every σ, even in the best case, where i earns
            U_i = max_{a_i, σ} r_i + E[U_i'] from the next step on,
                r_i(a*_i, σ) + E[L_i' | σ + e(a*_i)] > r_i(a_i, σ) + E[U_i' | σ + e(a_i)];
            then each agent gains by deviating if it is ever recommended another action;

(together)  or for every joint action a ≠ a*, W being the team optimum,
                Σ_i r_i(a*_i, σ_i) + E[L_i' | σ_i + e(a*_i)] > Σ_i r_i(a_i, σ_i) + E[W' | d];
            then, from where anyone is first recommended another action, the agents' gains add up
            to more than 0, so one of them is positive.

The first condition suits many agents with little influence each, the second suits a few agents. For
a fixed d its two sides separate over agents, so the knapsack of `team` finds its worst case. At the
last step (alone) says that a* is strictly dominant, and (together) follows from that. Neither is a
necessary condition: False means "not proved".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amg.exact.stage import STRICT, backward, by_total, stage_game, sums_of_others
from amg.exact.team import best_joint_action, team_optimum
from amg.game.model import Game


@dataclass(frozen=True)
class DominanceEquilibrium:
    """The pure Markov perfect equilibrium that iterated strict dominance leaves."""

    per_agent: NDArray[np.float64]  # [N] expected total reward from the start
    actions: NDArray[np.int64]  # [T, S, N], −1 in padded states
    rounds: NDArray[np.int64]  # [T, S] rounds of elimination
    unique_cce: bool  # proved: every CCE plays this, so every CCE pays this

    @property
    def average(self) -> float:
        """The mean over agents."""
        return float(self.per_agent.mean())

    @property
    def dominant(self) -> bool:
        """Whether one round always suffices: everyone has a strictly dominant action."""
        return bool(self.rounds.max() <= 1)


def dominance_equilibrium(game: Game) -> DominanceEquilibrium | None:
    """Return the equilibrium, or None if iterated strict dominance leaves a stage unsolved.

    Dominance is by pure actions, and strict by more than STRICT times the reward scale.
    """
    value = np.zeros((game.T + 1, game.S, game.N))
    actions = np.full((game.T, game.S, game.N), -1, dtype=np.int64)
    rounds = np.zeros((game.T, game.S), dtype=np.int64)
    agent = np.arange(game.N)
    for t, s in backward(game):
        effort = game.effort[t, s]
        Q = stage_game(game, t, s, value[t + 1])
        left, rounds[t, s] = eliminate(Q, effort, STRICT * game.scale)
        if (left.sum(axis=1) > 1).any():
            return None
        actions[t, s] = left.argmax(axis=1)
        chosen = effort[agent, actions[t, s]]
        value[t, s] = Q[agent, actions[t, s], chosen.sum() - chosen]
    return DominanceEquilibrium(
        per_agent=game.initial @ value[0],
        actions=actions,
        rounds=rounds,
        unique_cce=only_coarse_equilibrium(game, actions),
    )


def eliminate(
    Q: NDArray[np.float64], effort: NDArray[np.int64], margin: float
) -> tuple[NDArray[np.bool_], int]:
    """Return the actions [N, A] that survive iterated strict dominance, and the rounds.

    Each round eliminates all it can: with strict dominance the order does not matter.
    """
    left = effort >= 0
    rounds = 0
    while True:
        possible = sums_of_others(effort, left, Q.shape[2])
        dominated = np.zeros_like(left)
        for i, b in np.argwhere(left):
            lead = Q[i, b, possible[i]] - Q[i][:, possible[i]]  # [a, σ] of b over a
            dominated[i] |= left[i] & (lead.min(axis=1) > margin)
        if not dominated.any():
            return left, rounds
        left = left & ~dominated
        rounds += 1


# ===== exact/uniqueness


def only_coarse_equilibrium(game: Game, actions: NDArray[np.int64]) -> bool:
    """Return whether every CCE provably plays the pure Markov policy actions [T, S, N]."""
    secured, hoped = _secured(game, actions), _hoped(game)
    return _alone(game, actions, secured, hoped) or _together(game, actions, secured)


def _secured(game: Game, actions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return L_i^t(s) as [T+1, S, N]."""
    value = np.zeros((game.T + 1, game.S, game.N))
    for t, s in backward(game):
        steadfast = _of_policy(stage_game(game, t, s, value[t + 1]), actions[t, s])
        value[t, s] = np.where(game.reachable[0][t, s], steadfast, np.inf).min(axis=1)
    return value


def _hoped(game: Game) -> NDArray[np.float64]:
    """Return U_i^t(s) as [T+1, S, N]."""
    value = np.zeros((game.T + 1, game.S, game.N))
    for t, s in backward(game):
        best = np.where(_real(game, t, s), stage_game(game, t, s, value[t + 1]), -np.inf)
        value[t, s] = best.max(axis=(1, 2))
    return value


def _alone(
    game: Game, actions: NDArray[np.int64], secured: NDArray[np.float64], hoped: NDArray[np.float64]
) -> bool:
    for t, s in backward(game):
        deviant = _of_policy(stage_game(game, t, s, secured[t + 1]), actions[t, s])
        obedient = stage_game(game, t, s, hoped[t + 1])
        other = _real(game, t, s) & ~_is(actions[t, s], game.effort.shape[3])[:, :, None]
        if (other & (deviant[:, None, :] - obedient <= STRICT * game.scale)).any():
            return False
    return True


def _together(game: Game, actions: NDArray[np.int64], secured: NDArray[np.float64]) -> bool:
    team = team_optimum(game).total
    for t, s in backward(game):
        effort = game.effort[t, s]
        deviant = _of_policy(stage_game(game, t, s, secured[t + 1]), actions[t, s])
        temptation = by_total(effort, game.reward[t, s] - deviant[:, None, :])
        promised = game.transition[t, s] @ team[t + 1]
        for i in range(game.N):  # a ≠ a* means that some agent i differs
            score = temptation.copy()
            score[i, actions[t, s, i]] = -np.inf
            if best_joint_action(effort, score, promised)[0] >= -STRICT * game.scale:
                return False
    return True


def _of_policy(Q: NDArray[np.float64], actions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return Q_i(a*_i, σ) as [N, D]."""
    return Q[np.arange(len(Q)), actions]


def _is(actions: NDArray[np.int64], A: int) -> NDArray[np.bool_]:
    """Return whether a = a*_i, as [N, A]."""
    return actions[:, None] == np.arange(A)


def _real(game: Game, t: int, s: int) -> NDArray[np.bool_]:
    """Return the mask of real actions and possible sums, [N, A, D]."""
    return (game.effort[t, s] >= 0)[:, :, None] & game.reachable[0][t, s][:, None, :]
