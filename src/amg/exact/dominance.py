"""Equilibrium by dominance, and sufficient conditions for it to be the only CCE.

Backward induction eliminates actions in each stage game Q. Action a of agent i is eliminated if one
of its remaining actions, b, is better against every sum that the others' remaining actions can add
up to:

    Q_i(b, σ) > Q_i(a, σ)  for all such σ.

Aggregation makes this cheap: there are few sums, where there are many joint actions. If one action
per agent is left, it is the stage's only Nash and only correlated equilibrium, and pays V_i^t(s).
It need not be the only *coarse* correlated equilibrium.

*One step.* If a*_i is strictly dominant for every i, the only CCE is a*: an agent that ignores the
recommendation and plays a*_i gains Q_i(a*_i, σ) − Q_i(a_i, σ) > 0 where a_i ≠ a*_i is recommended,
and loses nowhere. The argument needs a *dominant* action. An action that is eliminated only in a
later round may have weight in a CCE: the actions that it is good against are dominated themselves,
but they may be recommended together with it.

*Several steps.* Dominance in every stage game is not enough, because it judges actions by
equilibrium continuations, while a CCE may promise and threaten. Take the prisoner's dilemma played
twice (4, 3, 1, 0), and let a coin decide between "cooperate, and punish an agent that does not" and
"defect". An agent that defects at once loses the second reward. Cooperating once and then defecting
pays only if the coin fell that way, and a deviator ignores the coin, so it cannot know. This is a
CCE, though defection dominates in every stage. So we bound what promises and threats can do. Let
agent i deviate to "a*_i always". From (t, s) on, for any play of the others, this earns at least

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

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amg.exact.stage import STRICT, backward, by_total, stage_game, sums_of_others
from amg.exact.team import best_joint_action, team_optimum
from amg.game.model import Game
from amg.kernels.sums import times


@dataclass(frozen=True)
class DominanceEquilibrium:
    """The pure Markov perfect equilibrium that iterated strict dominance leaves."""

    per_agent: NDArray[np.float64]  # [N] expected total reward from the start
    actions: NDArray[np.int64]  # [T, S, N], −1 in padded states
    unique_cce: bool  # proved: every CCE plays this, so every CCE pays this


def dominance_equilibrium(game: Game) -> DominanceEquilibrium | None:
    """Return the equilibrium, or None if iterated strict dominance leaves a stage unsolved.

    Dominance is by pure actions, and strict by more than STRICT times the reward scale.
    """
    value = np.zeros((game.T + 1, game.S, game.N))
    actions = np.full((game.T, game.S, game.N), -1, dtype=np.int64)
    agent = np.arange(game.N)
    for t, s in backward(game):
        effort, Q = game.effort[t, s], stage_game(game, t, s, value[t + 1])
        left = undominated(Q, effort, STRICT * game.scale)
        if (left.sum(axis=1) > 1).any():
            return None
        actions[t, s] = left.argmax(axis=1)
        chosen = effort[agent, actions[t, s]]
        value[t, s] = Q[agent, actions[t, s], chosen.sum() - chosen]
    per_agent = times(game.initial, value[0])
    return DominanceEquilibrium(per_agent, actions, is_only_cce(game, actions))


def undominated(
    Q: NDArray[np.float64], effort: NDArray[np.int64], margin: float
) -> NDArray[np.bool_]:
    """Return the actions [N, A] that survive iterated strict dominance.

    Each round eliminates all it can: with strict dominance the order does not matter.
    """
    left = effort >= 0
    while True:
        possible = sums_of_others(effort, left, Q.shape[2])
        dominated = np.zeros_like(left)
        for i, b in np.argwhere(left):
            lead = Q[i, b, possible[i]] - Q[i][:, possible[i]]  # [a, σ] of b over a
            dominated[i] |= left[i] & (lead.min(axis=1) > margin)
        if not dominated.any():
            return left
        left = left & ~dominated


def is_only_cce(game: Game, actions: NDArray[np.int64]) -> bool:
    """Return whether every CCE provably plays the pure Markov policy actions [T, S, N]."""
    secured, hoped = np.zeros((2, game.T + 1, game.S, game.N))  # L and U
    steadfast = np.zeros((game.T, game.S, game.N, game.D))  # r_i(a*_i, σ) + E[L_i']
    margin, alone = STRICT * game.scale, True
    for t, s in backward(game):
        sums, action = game.reachable[0][t, s], np.arange(game.effort.shape[3])
        possible = (game.effort[t, s] >= 0)[:, :, None] & sums[:, None, :]
        steadfast[t, s] = stage_game(game, t, s, secured[t + 1])[range(game.N), actions[t, s]]
        obedient = stage_game(game, t, s, hoped[t + 1])
        secured[t, s] = np.where(sums, steadfast[t, s], np.inf).min(axis=1)
        hoped[t, s] = np.where(possible, obedient, -np.inf).max(axis=(1, 2))
        other = possible & (action != actions[t, s][:, None])[:, :, None]
        alone = alone and (steadfast[t, s][:, None, :] - obedient > margin)[other].all()
    return bool(alone) or _gain_together(game, actions, steadfast)


def _gain_together(game: Game, actions: NDArray[np.int64], steadfast: NDArray[np.float64]) -> bool:
    """Return whether the condition (together) holds."""
    team = team_optimum(game).total
    for t, s in backward(game):
        effort = game.effort[t, s]
        loss = by_total(effort, game.reward[t, s] - steadfast[t, s][:, None, :])
        promised = times(game.transition[t, s], team[t + 1])
        for i in range(game.N):  # a ≠ a* means that some agent i differs
            score = loss.copy()
            score[i, actions[t, s, i]] = -np.inf
            if best_joint_action(effort, score, promised)[0] >= -STRICT * game.scale:
                return False
    return True
