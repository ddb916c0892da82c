"""When an equilibrium by dominance is the only coarse correlated equilibrium.

*One step.* If a*_i is strictly dominant for every i, the only CCE is a*: ignoring the
recommendation and playing a*_i gains Q_i(a*_i, σ) − Q_i(a_i, σ) > 0 wherever a_i ≠ a*_i is
recommended and loses nowhere. The argument needs a *dominant* action: an action that only falls in
a later round of elimination may well carry weight in a CCE, because the actions it is good against,
though dominated themselves, may be recommended along with it.

*Several steps.* Dominance in every stage game is then not enough, because it weighs actions by
equilibrium continuations, while a CCE may promise and threaten. In the prisoner's dilemma played
twice (4, 3, 1, 0), let a coin decide between "cooperate, and punish whoever does not" and "defect".
Defecting at once forfeits the second reward, and cooperating once before defecting pays only if
the coin fell that way, which a deviator, bound to ignore the coin, cannot know: this is a CCE,
though defection dominates in every stage. So bound what promises and threats can do. Let agent i
deviate to "a*_i always", which earns from (t, s) on, whatever the others do, at least

    L_i^t(s) = min_σ r_i(s, a*_i, σ) + E[L_i^{t+1} | σ + e(a*_i)].

Until i is first recommended something else than a*_i, at some (t, s) and in a joint action a, the
deviation coincides with obedience: nobody can react to it. There is no other CCE if

(alone)     for every i and every a_i ≠ a*_i, also in the best case, where i earns
            U_i = max_{a_i, σ} r_i + E[U_i'] from the next step on, and for every σ,
                r_i(a*_i, σ) + E[L_i' | σ + e(a*_i)] > r_i(a_i, σ) + E[U_i' | σ + e(a_i)];
            each agent then gains by deviating if it is ever recommended another action;

(together)  or for every joint action a ≠ a*, W being the team optimum,
                Σ_i r_i(a*_i, σ_i) + E[L_i' | σ_i + e(a*_i)] > Σ_i r_i(a_i, σ_i) + E[W' | d];
            from where anyone is first recommended something else the agents' gains then add
            up to more than 0, so one of them is positive.

The first suits many agents with little influence each, the second a few; for a fixed d its two
sides separate over agents, so that the same knapsack finds its worst case. At the last step (alone)
says that a* is strictly dominant, and (together) follows from that. Neither is necessary for there
to be no other CCE: a False here means "not proved".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amg.game import Game
from amg.references.stage import STRICT, backward, by_total, stage_game
from amg.references.team import best_joint_action, team_optimum


def only_coarse_equilibrium(game: Game, actions: NDArray[np.int64]) -> bool:
    """Whether it is proved that every CCE plays the pure Markov policy actions [T, S, N]."""
    secured, hoped = _secured(game, actions), _hoped(game)
    return _alone(game, actions, secured, hoped) or _together(game, actions, secured)


def _secured(game: Game, actions: NDArray[np.int64]) -> NDArray[np.float64]:
    """L_i^t(s) as [T+1, S, N]."""
    value = np.zeros((game.T + 1, game.S, game.N))
    for t, s in backward(game):
        steadfast = _of_policy(stage_game(game, t, s, value[t + 1]), actions[t, s])
        value[t, s] = np.where(game.reachable[0][t, s], steadfast, np.inf).min(axis=1)
    return value


def _hoped(game: Game) -> NDArray[np.float64]:
    """U_i^t(s) as [T+1, S, N]."""
    value = np.zeros((game.T + 1, game.S, game.N))
    for t, s in backward(game):
        best = np.where(_real(game, t, s), stage_game(game, t, s, value[t + 1]), -np.inf)
        value[t, s] = best.max(axis=(1, 2))
    return value


def _alone(
    game: Game,
    actions: NDArray[np.int64],
    secured: NDArray[np.float64],
    hoped: NDArray[np.float64],
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
    """Q_i(a*_i, σ) as [N, D]."""
    return Q[np.arange(len(Q)), actions]


def _is(actions: NDArray[np.int64], A: int) -> NDArray[np.bool_]:
    """a = a*_i as [N, A]."""
    return actions[:, None] == np.arange(A)


def _real(game: Game, t: int, s: int) -> NDArray[np.bool_]:
    """Real actions against sums that can happen, as [N, A, D]."""
    return (game.effort[t, s] >= 0)[:, :, None] & game.reachable[0][t, s][:, None, :]
