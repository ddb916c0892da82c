"""The minimax value of a game of two agents whose interests are strictly opposed.

By backward induction: the stage game at (t, s) is the matrix

    Q_1(a_1, a_2) = r_1^t(s, a_1, e(a_2)) + Σ_{s'} p^t(s' | s, e(a_1) + e(a_2)) V_1^{t+1}(s'),

and its minimax value, from a linear program, is V_1^t(s).

Every CCE pays exactly this. An agent that always plays its minimax strategy gets at least V_i, so a
CCE must pay it at least V_i. This holds for both agents, and together they always get V_1 + V_2, so
neither can get more.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from amg.exact.stage import STRICT, backward, stage_game
from amg.game.model import Game
from amg.kernels.sums import times


def minimax(game: Game) -> NDArray[np.float64] | None:
    """Return the minimax value of each agent [2], or None without two strictly opposed agents.

    Opposed means that Q_1 + Q_2 is constant over the actions at every (t, s), up to STRICT times
    the reward scale. That is so if r_1 + r_2 is constant. The sum may also depend on the step, and
    on the state if nobody can influence the transitions.
    """
    if game.N != 2:
        return None
    value = np.zeros((game.T + 1, game.S, 2))
    for t, s in backward(game):
        n1, n2 = game.n_actions[t, s].tolist()
        e1, e2 = game.effort[t, s, 0, :n1], game.effort[t, s, 1, :n2]
        Q = stage_game(game, t, s, value[t + 1])
        Q1, Q2 = Q[0, :n1, e2].T, Q[1, :n2, e1]  # [a_1, a_2] both
        if np.ptp(Q1 + Q2) > STRICT * game.scale:
            return None
        x, y = matrix_game(Q1)
        secured, conceded = times(x, Q1).min(), times(Q1, y).max()
        value[t, s, 0] = (secured + conceded) / 2
        value[t, s, 1] = (Q1 + Q2).mean() - value[t, s, 0]
    return times(game.initial, value[0])


def matrix_game(payoff: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return optimal mixed strategies of the row player, who gets `payoff`, and the column player.

    The program is max v subject to Σ_a x_a payoff(a, b) ≥ v for every column b. The multipliers of
    the columns are the column player's strategy.
    """
    n_rows, n_columns = payoff.shape
    scaled = (payoff - payoff.min()) / (np.ptp(payoff) or 1.0)  # so that tolerances mean the same
    program = linprog(
        c=np.append(np.zeros(n_rows), -1.0),
        A_ub=np.column_stack([-scaled.T, np.ones(n_columns)]),
        b_ub=np.zeros(n_columns),
        A_eq=np.append(np.ones(n_rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n_rows + [(None, None)],
    )
    if not program.success:
        raise ArithmeticError(f"matrix game not solved: {program.message}")
    x, y = (np.maximum(w, 0.0) for w in (program.x[:n_rows], -program.ineqlin.marginals))
    return x / x.sum(), y / y.sum()  # without the solver's rounding
