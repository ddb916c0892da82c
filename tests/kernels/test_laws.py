"""Laws of the others' sum, against enumeration of joint actions and numpy's convolution."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from amg.kernels.laws import FEW, LANES, Tree, add_laws, new_tree

NEGLIGIBLE = 1e-17  # of a probability


def random_agents(
    n: int, seed: int, most_actions: int = 4, widest: int = 5
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Policies [2, 2, n, A], efforts and menus at random; padding is filled with traps."""
    rng = np.random.default_rng(seed)
    shape = (2, 2, n, most_actions)
    n_actions = rng.integers(1, most_actions + 1, shape[:3])
    effort = rng.integers(0, widest + 1, shape)
    policy = rng.random(shape) ** 4 * (rng.random(shape) < 0.9) + 1e-3
    real = np.arange(most_actions) < n_actions[..., None]
    policy = np.where(real, policy, 0.0)
    policy /= policy.sum(axis=-1, keepdims=True)
    policy[~real], effort[~real] = np.nan, 10**6  # nobody may look there
    return policy, effort, n_actions


def laws(
    policy: NDArray[np.float64], effort: NDArray[np.int64], n_actions: NDArray[np.int64],
    t: int, s: int, width: int, tree: Tree | None = None,
) -> NDArray[np.float64]:  # fmt: skip
    """P_-i(σ) = Σ_a π_i(a) P_-i(σ), as a visit of one lane adds it."""
    _, _, n, A = policy.shape
    if tree is None:
        tree = new_tree(n, width)
        tree.memory[:] = np.nan  # nobody may rely on what was there before
    target, queue = np.zeros((n, A, width)), policy[t, s][:, :, None].copy()
    add_laws(target, queue, 1, effort[t, s], n_actions[t, s], tree)
    return target.sum(axis=1)


def width(effort: NDArray[np.int64], n_actions: NDArray[np.int64]) -> int:
    """D: one more than the largest total, over all states."""
    real = np.arange(effort.shape[3]) < n_actions[..., None]
    return int(np.where(real, effort, 0).max(axis=3).sum(axis=2).max()) + 1


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(8))
def test_laws_are_those_of_joint_actions(n: int, seed: int) -> None:
    policy, effort, n_actions = random_agents(n, seed)
    D = width(effort, n_actions)
    for t, s in product(range(2), range(2)):
        expected = np.zeros((n, D))
        for i in range(n):
            others = [j for j in range(n) if j != i]
            for joint in product(*(range(n_actions[t, s, j]) for j in others)):
                p = math.prod(policy[t, s, j, a] for j, a in zip(others, joint, strict=True))
                total = sum(effort[t, s, j, a] for j, a in zip(others, joint, strict=True))
                expected[i, total] += p
        got = laws(policy, effort, n_actions, t, s, D)
        np.testing.assert_allclose(got, expected, rtol=1e-13, atol=NEGLIGIBLE)
        np.testing.assert_allclose(got.sum(axis=1), 1.0, rtol=0, atol=1e-14)


@pytest.mark.parametrize("n", [39, 40, 64])
def test_laws_of_many_agents_are_convolutions(n: int) -> None:
    policy, effort, n_actions = random_agents(n, seed=n, most_actions=3, widest=3)
    D = width(effort, n_actions)
    got = laws(policy, effort, n_actions, 1, 0, D)
    for i in range(n):
        law = np.ones(1)
        for j in range(n):
            if j != i:
                own = np.bincount(
                    effort[1, 0, j, : n_actions[1, 0, j]],
                    weights=policy[1, 0, j, : n_actions[1, 0, j]],
                )
                law = np.convolve(law, own)
        np.testing.assert_allclose(got[i, : len(law)], law, rtol=1e-12, atol=NEGLIGIBLE)
        assert not got[i, len(law) :].any()
    np.testing.assert_allclose(got.sum(axis=1), 1.0, rtol=0, atol=1e-13)


def test_a_tree_may_be_used_again() -> None:
    """It holds the last visit's laws when the next one comes."""
    policy, effort, n_actions = random_agents(5, seed=1)
    D = width(effort, n_actions)
    tree = new_tree(5, D)
    for t, s in ((0, 0), (1, 1), (0, 1), (0, 0)):
        again = laws(policy, effort, n_actions, t, s, D, tree)
        np.testing.assert_array_equal(again, laws(policy, effort, n_actions, t, s, D))


@pytest.mark.parametrize("used", [0, 1, FEW, FEW + 1, LANES - 1, LANES])
@pytest.mark.parametrize("n", [1, 3, 6])
def test_lanes_are_visits(n: int, used: int) -> None:
    """Together they add what they add one by one; lanes that are not used do not count."""
    _, effort, n_actions = random_agents(n, seed=7)
    rng, D = np.random.default_rng(n), width(effort, n_actions)
    queue = rng.random((n, effort.shape[3], LANES)) ** 4
    queue[np.arange(effort.shape[3]) >= n_actions[0, 1][:, None]] = np.nan  # no such action
    queue /= np.nansum(queue, axis=1, keepdims=True)
    tree, together, alone = new_tree(n, D), *np.zeros((2, n, effort.shape[3], D))
    tree.memory[:] = np.nan
    for b in range(used):
        add_laws(alone, queue[:, :, [b]].copy(), 1, effort[0, 1], n_actions[0, 1], tree)
    queue[:, :, used:] = np.nan
    add_laws(together, queue, used, effort[0, 1], n_actions[0, 1], tree)
    np.testing.assert_allclose(together, alone, rtol=1e-13, atol=NEGLIGIBLE)


def test_the_ends_that_are_cut_are_negligible() -> None:
    """A hundred agents that nearly always do the same: the law is cut, its mass is not."""
    n = 100
    policy = np.broadcast_to([1 - 1e-9, 1e-9], (1, 1, n, 2)).copy()
    effort = np.broadcast_to([1, 0], (1, 1, n, 2)).copy()
    got = laws(policy, effort, np.full((1, 1, n), 2), 0, 0, n + 1)
    assert ((got > 0).sum(axis=1) <= 4).all()  # of a hundred sums
    binomial = [math.comb(n - 1, j) * 1e-9**j * (1 - 1e-9) ** (n - 1 - j) for j in range(n)]
    expected = np.array([*binomial[::-1], 0.0])
    np.testing.assert_allclose(got, np.tile(expected, (n, 1)), rtol=1e-12, atol=NEGLIGIBLE)
