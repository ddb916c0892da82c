"""Policies as arrays: what is given back, and what is refused before any kernel runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from random_cases import Case, cases

from amg.base.errors import PolicyError
from amg.evaluation.controller import from_policies
from amg.evaluation.policies import TOLERANCE, check_joint, check_policies
from amg.game.library import build


@settings(max_examples=30, deadline=None)
@given(cases(N=3, T=3, S=3, A=3, J=3))
def test_policies_are_given_back_as_they_are(case: Case) -> None:
    stack, weights = check_policies(case.game, case.policies, case.weights)
    assert stack.tolist() == case.policies.tolist()
    assert weights.tolist() == case.weights.tolist()
    first, alone = check_policies(case.game, case.policies[0])
    assert first.tolist() == case.policies[:1].tolist()
    assert alone.tolist() == [1.0]


@settings(max_examples=30, deadline=None)
@given(cases(N=2, T=3, S=3, A=3, J=2))
def test_padded_states_are_set_to_0(case: Case) -> None:
    policies = case.policies.copy()
    policies[:, ~case.game.exists] = 5.0
    stack, _ = check_policies(case.game, policies, case.weights)
    assert stack.tolist() == case.policies.tolist()


def test_sums_may_be_off_by_rounding_only() -> None:
    game = build("fishermen")
    policy = game.uniform_policy()
    policy[0, 0, 0, 0] += 0.9 * TOLERANCE
    check_policies(game, policy)
    policy[0, 0, 0, 0] += 0.2 * TOLERANCE
    with pytest.raises(PolicyError, match="not to 1"):
        check_policies(game, policy)


def test_a_mixture_without_weights_is_even() -> None:
    game = build("fishermen")
    stack = np.stack([game.uniform_policy()] * 4)
    assert check_policies(game, stack)[1].tolist() == [0.25] * 4


def test_no_controller_is_made_of_nans() -> None:
    """Kernels skip what is not above 0: a policy of NaNs would have no gap at all."""
    game = build("fishermen")
    with pytest.raises(PolicyError, match="not a number"):
        from_policies(game, np.full(game.effort.shape, np.nan))


@settings(max_examples=30, deadline=None)
@given(cases(N=3, T=3, S=3, A=3, J=1))
def test_a_function_is_asked_for_each_state_and_agent_once(case: Case) -> None:
    """With an entry for each action, or for as many as any agent has."""
    asked = []

    def short(t: int, s: int, i: int) -> list[float]:
        asked.append((t, s, i))
        return case.policies[0, t, s, i, : len(case.game.actions[t][s][i])].tolist()

    stack, _ = check_policies(case.game, short)
    assert stack.tolist() == case.policies.tolist()
    places = [(t, s, i) for t, s in np.argwhere(case.game.exists) for i in range(case.game.N)]
    assert asked == places
    padded, weights = check_policies(case.game, lambda t, s, i: case.policies[0, t, s, i])
    assert (padded.tolist(), weights.tolist()) == (case.policies.tolist(), [1.0])


def test_a_function_may_return_the_same_array_again_and_again() -> None:
    game, law = build("fishermen"), np.zeros(2)

    def policy(t: int, s: int, i: int) -> np.ndarray:
        law[:] = [0, 1] if i else [1, 0]
        return law

    assert check_policies(game, policy)[0][0, :, :, 1].tolist() == [[[0, 1]] * 2] * 2


def test_padded_states_of_a_joint_law_are_set_to_0() -> None:
    game = build("demand_response")
    law = np.full((game.T, game.S, *[game.A_max] * game.N), 5.0)
    for t, s in np.argwhere(game.exists):
        law[t, s] = 0
        law[t, s, 0, 0, 0] = 1
    checked = check_joint(game, law)
    assert checked.sum() == game.exists.sum() < game.exists.size
    assert (checked[game.exists] == law[game.exists]).all()


def test_too_many_policies_are_refused_before_anything_is_copied() -> None:
    game = build("fishermen")
    many = np.broadcast_to(np.int8(1), (1 << 40, *game.effort.shape))
    with pytest.raises(
        PolicyError, match=r"a mixture of 1099511627776 policies; .* at most \d+ fit"
    ):
        check_policies(game, many)
