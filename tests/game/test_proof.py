"""Each inequality of the proof on its own: exact fractions, grids, and scipy's root finder."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate, islice, pairwise, product, repeat

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from amg.game import proof
from amg.game.library import BUILDERS, build
from amg.game.model import iota, rate

HORIZONS = range(1, 9)


@pytest.mark.parametrize("factor", [proof.ALGORITHM_FACTOR, proof.LEMMA_FACTOR])
def test_azumas_logarithm_is_within_iota_from_the_least_number_of_actions_on(factor: int) -> None:
    for A, size, p in product(range(1, 9), (1, 8, 10**6), (1.0, 0.05)):
        holds = math.log(8 * size / p) <= math.log(factor * A * size / p) + 1e-12
        assert holds == (proof.least_actions(factor) <= A)


def test_azuma_with_care_needs_no_more_than_the_step_allows() -> None:
    for A, x in product(range(1, 50), np.geomspace(1, 1e15, 60)):
        share = proof.azuma_by_range(A, x)
        assert share <= 1 + 1e-12
        assert A == 1 or share <= 0.5 + 1e-12


@pytest.mark.parametrize("visits", [1, 2, 10, 1000])
@pytest.mark.parametrize("q", [0.1, 1e-3, 1e-9])
def test_azuma_by_range_holds_for_coins(visits: int, q: float) -> None:
    """Coins that pay 0 or T: the sum exceeds its mean by T√(c̃ log(1/q)/2) with at most q."""
    excess = math.sqrt(visits * math.log(1 / q) / 2)
    for fair in np.linspace(0.05, 0.95, 19):
        assert binom.sf(math.ceil(visits * fair + excess) - 1, visits, fair) <= q


def test_the_bonus_holds_from_the_least_iota_on() -> None:
    for A, visits, T in product((2, 3, 10), (1, 2, 7, 1000), (1, 5)):

        def slack(x: float, A: int = A, visits: int = visits, T: int = T) -> float:
            needed = 4 * math.sqrt(T**2 * A / visits) + T / visits
            return 3 * math.sqrt(T**2 * A * x / visits) - needed

        assert proof.least_iota(A, visits) == pytest.approx(brentq(slack, 1e-6, 100))
        assert proof.least_iota(A, visits) <= proof.least_iota(2, 1)


def test_the_bonus_holds_in_every_game_unless_p_is_near_one() -> None:
    for p in (1 / 3, 0.05):
        assert math.log(proof.ALGORITHM_FACTOR * 2 / p) >= proof.least_iota(2, 1)  # N=S=K=T=1
    assert math.log(proof.ALGORITHM_FACTOR * 2) < proof.least_iota(2, 1)


@pytest.mark.parametrize("late", [False, True])
def test_the_proof_of_tsallis_inf_gives_the_printed_bound_for_both_rates(late: bool) -> None:
    for A in (1, 2, 3, 10, 100):
        for n in [*range(1, 40), 1000, 20_000]:
            assert proof.tsallis_bound(A, n, late) <= 4 * math.sqrt(A * n) + 1e-9


def test_no_printed_stage_is_longer_than_the_proof_says() -> None:
    """⌊λ(1 + 1/T)L⌋ ≤ (1 + 1/T)L: the worst is λ = 1, over every length."""
    for T in HORIZONS:
        for L in range(T, 40 * T):
            assert math.floor(L * Fraction(T + 1, T)) <= L * Fraction(T + 1, T)


def test_a_stage_of_the_real_rule_can_be_longer_than_the_proof_says() -> None:
    lengths = list(proof.stage_lengths(2, [Fraction(9, 10), Fraction(1)], "real"))
    assert lengths == [2, 2, 4]
    assert lengths[2] > Fraction(3, 2) * lengths[1]


def test_no_stage_of_the_real_rule_is_longer_than_we_say_and_some_are_as_long() -> None:
    for T in HORIZONS:
        largest = Fraction(0)
        for j in range(64 * T, 64 * 12 * T):  # every real length, in steps of 1/64
            L = Fraction(j, 64)
            largest = max(largest, Fraction(math.floor(L * Fraction(T + 1, T)), math.floor(L)))
        assert largest <= 1 + Fraction(2, T)
        assert T == 1 or largest == 1 + Fraction(2, T)


def test_the_printed_floor_stalls_for_every_coefficient_below_one() -> None:
    for T in HORIZONS:
        for below in (Fraction(1, 10), Fraction(1, 1000)):
            lengths = proof.stage_lengths(T, [1 - below] * 50, "floor")
            assert 1 - below <= T / (T + 1) or set(lengths) == {T}


def test_the_printed_floor_grows_only_from_a_length_of_T_over_c() -> None:
    for T in HORIZONS:
        for coefficient in (Fraction(9, 10), Fraction(97, 100), Fraction(1)):
            step = coefficient * Fraction(T + 1, T)
            growing = [L for L in range(1, 1000) if math.floor(step * L) > L]
            least = proof.grows_from(T, coefficient)
            assert (growing[0] if growing else None) == least
            assert least is None or growing == list(range(least, 1000))


def coefficients(T: int, lambda_min: Fraction, rng: np.random.Generator) -> list[list[Fraction]]:
    """Return sequences of λ in [λ_min, 1]: constant, alternating and random."""
    mixed = [[lambda_min, Fraction(1)][j] for j in rng.integers(2, size=60)]
    between = [
        lambda_min + (1 - lambda_min) * Fraction(int(j), 8) for j in rng.integers(9, size=60)
    ]
    return [[lambda_min] * 60, [Fraction(1)] * 60, [lambda_min, Fraction(1)] * 30, mixed, between]


@pytest.mark.parametrize("rule", ["real", "floor"])
@pytest.mark.parametrize("T", HORIZONS)
def test_what_a_rule_guarantees_holds_in_every_sequence(T: int, rule: str) -> None:
    """g and α stage by stage, and Σ 1/√c̃ ≤ 2√(αM) after every visit of some stages."""
    rng = np.random.default_rng(T)
    limit = Fraction(T, T + 1)
    for share in (Fraction(1, 10), Fraction(1, 2), Fraction(1)):
        lambda_min = limit + share * (1 - limit) if rule == "real" else Fraction(1)
        guaranteed = proof.growth(T, float(lambda_min), rule)
        assert guaranteed is not None
        if rule == "real":
            assert guaranteed.c == pytest.approx(float(share))
        for sequence in coefficients(T, lambda_min, rng):
            lengths = list(proof.stage_lengths(T, sequence, rule))
            so_far = list(accumulate(lengths))
            for (before, length), visits in zip(pairwise(lengths), so_far[1:], strict=True):
                assert length <= guaranteed.longest * before * (1 + 1e-12)
                assert visits <= guaranteed.alpha * before * (1 + 1e-12)
            for M in {*range(1, 50), *so_far[:40]}:
                total = proof.inverse_roots(lengths, M)
                assert total <= 2 * math.sqrt(guaranteed.alpha * M)


def test_inverse_roots_against_a_count_visit_by_visit() -> None:
    lengths = [2, 3, 4, 6, 9]
    before = [0] * 2 + [2] * 3 + [3] * 4 + [4] * 6 + [6] * 9
    for M in range(25):
        expected = sum(1 / math.sqrt(c) for c in before[:M] if c)
        assert proof.inverse_roots(lengths, M) == pytest.approx(expected)


def test_without_growth_the_sum_of_term_3_is_linear() -> None:
    lengths = list(islice(proof.stage_lengths(2, repeat(Fraction(9, 10)), "floor"), 5001))
    assert proof.inverse_roots(lengths, 10_000) == pytest.approx((10_000 - 2) / math.sqrt(2))
    assert proof.growth(2, 0.9, "floor") is None
    assert proof.growth(2, 2 / 3, "real") is None


def test_the_constant_hides_the_root_of_c() -> None:
    """As λ_min → T/(T+1) the bound grows as 1/√c."""
    small = [proof.growth(2, (2 + c) / 3, "real") for c in (1e-4, 1e-6)]
    first, second = (proof.constant(2, rule) for rule in small if rule)
    assert second / first == pytest.approx(10, rel=1e-3)


@pytest.mark.parametrize("name", BUILDERS)
def test_the_bound_is_the_constant_times_the_rate_and_a_small_term(name: str) -> None:
    game, K, p = build(name), 10**6, 0.05
    rule = proof.growth(game.T, 1, "floor")
    assert rule is not None
    bound = proof.gap_bound(game, K, p, rule)
    main = proof.constant(game.T, rule) * rate(game, K, p)
    if all(len(states) == game.S for states in game.states):
        assert bound.bonus == pytest.approx(main)
    assert bound.bonus <= main * (1 + 1e-12)
    assert bound.first <= math.e * game.S * game.T**3 / K
    assert (bound.start > 0) == (np.count_nonzero(game.initial) > 1)
    assert bound.total == bound.first + bound.bonus + bound.start


def test_the_bound_by_hand() -> None:
    """The Fishermen Game: T = S = A = N = 2, λ = 1, so g = 3/2, c = 2/3, α = 4 + 3/2."""
    K, p = 10**4, 0.05
    value = math.log(2 * 2 * 2 * 2 * K * 2 / p)
    assert iota(build("fishermen"), K, p) == pytest.approx(value)
    first = 2 * 2 * 2 + 1.5 * 2 * 2 * 1
    bonus = (1 + 1.5) * 16 * math.sqrt(5.5 * 4 * 2 * value * 2 * K)
    rule = proof.growth(2, 1, "floor")
    assert rule is not None
    bound = proof.gap_bound(build("fishermen"), K, p, rule)
    assert bound.total == pytest.approx((first + bonus) / K)
