"""Evaluate a policy, a mixture of policies or a run exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amg.base.errors import ParameterError, PolicyError
from amg.evaluation.best_response import BUDGET
from amg.evaluation.controller import Controller, from_certificate, from_policies
from amg.evaluation.evaluation import Evaluation, evaluate_controller
from amg.game.model import Game
from amg.results.run import Run

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def evaluate(
    game: Game, policy: ArrayLike | Run, weights: ArrayLike | None = None, *, budget: int = BUDGET
) -> Evaluation:
    """Return what a policy earns, and what each agent could gain by deviating from it.

    Parameters
    ----------
    game : Game
    policy : array [T, S, N, A], array [J, T, S, N, A] or Run
        ``policy[t, s, i, a]`` is the probability that agent i takes action a at step t in state s.
        Of a stack of J such policies one is drawn before the first step and then followed by all
        agents. A run stands for the policy that it learned; its game must be this one. Entries of
        states that a step does not have are ignored, but must be finite.
    weights : array [J], optional
        Probability of each policy of a stack; without it all are equally likely.
    budget : int
        Histories that the search for one agent's best response may visit. If they do not suffice,
        `best_response` and `gap` are upper bounds and ``exact`` is False.

    Returns
    -------
    Evaluation
        Value, best response, gap and informed gap of each agent.

    Raises
    ------
    PolicyError
        If the array is not a policy of this game, the weights do not fit, or the run is of another
        game. The message says what is wrong and where.

    Examples
    --------
    >>> import amg, numpy as np
    >>> game = amg.build_game("fishermen")
    >>> policy = np.zeros((game.T, game.S, game.N, game.A_max))
    >>> policy[..., 0] = 1  # everyone fishes intensively
    >>> amg.evaluate(game, policy).value.round(6).tolist()
    [19.2, 19.2]
    """
    if not isinstance(game, Game):
        raise ParameterError(
            f"game must be a Game, from build_game or load_game, not {type(game).__name__}"
        )
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise ParameterError(f"budget = {budget!r} is not a whole number of at least 0")
    if not isinstance(policy, Run):
        return evaluate_controller(game, from_policies(game, policy, weights), budget)
    if weights is not None:
        raise PolicyError("weights go with a stack of policies; a run has none, leave them out")
    if policy.game.digest != game.digest:
        raise PolicyError(
            f"the run is of another game ({policy.game.name!r}) than the one to evaluate it on "
            f"({game.name!r}); use run.game, or run.evaluate()"
        )
    return evaluate_controller(game, controller_of(policy), budget)


def controller_of(run: Run) -> Controller:
    """Return the policy of a run: the certified one of V-learning, the greedy one of Q-learning."""
    if run.certificate is not None:
        return from_certificate(run.certificate)
    assert run.policy is not None
    return from_policies(run.game, run.policy)
