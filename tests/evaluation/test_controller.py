"""Policies as arrays: what is given back, and what is refused before any kernel runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from random_cases import Case, cases

from amg.base.errors import PolicyError
from amg.evaluation.controller import TOLERANCE, check_policies, from_policies
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
