"""The proof of the paper's theorem, step by step, with every constant written out.

Rewards are in [0, 1]. δ^{t,k} = V̄ − V̲ of the state that episode k visits at step t. Names are those
of the paper's appendix. The steps:

    Azuma       the mean of c̃ samples errs by at most √(2T² log(8NSKT/p)/c̃) ≤ √(T² A_i ι/c̃)
    regret      (T/c̃)(4√(A_i c̃) + 1) ≤ 3√(T² A_i ι/c̃); with Azuma the bonus b = 4√(T² A_i ι/c̃)
    recursion   δ^{t,k} ≤ T − t + 1 in a first stage; else mean of δ^{t+1} over the last stage + 2b
    Term 1      a first stage has T visits, so first stages add at most S_t T (T − t + 1)
    Term 2      each δ^{t+1,m} counts at most g times, g = longest stage / stage before
    Term 3      a visit, the x-th of its (t, s), follows a stage of at least x/α visits, so
                Σ 1/√c̃ ≤ Σ_{x ≤ M} √(α/x) ≤ 2√(αM), and over states ≤ 2√(α S_t K)

and together, since δ ≥ 0 always,

    (1/K) Σ_k δ^{1,k} ≤ (1/K) Σ_t g^{t−1} (S_t T (T − t + 1) + 16 √(α T² A ι S_t K)).

From the recursion on nothing is random: this holds in every run whose stage rule has these g and α.
It bounds the equilibrium gap if the confidence lemma holds. The lemma rests on the step `regret`,
which Tsallis-INF's own theorem gives only in expectation.

α of a rule whose lengths grow at least by 1 + c/T: the stages up to one of length L hold at most
L (1 + c/T)^0 + L (1 + c/T)^-1 + … = L (T + c)/c visits, the next at most L (T + 1)/T.
"""

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from amg.game.model import Game, iota

ALGORITHM_FACTOR, LEMMA_FACTOR = 2, 4  # ι = log(factor · NSA_max KT/p)
AZUMA_FACTOR = 8  # log(8NSKT/p): both sides at once, each with probability p/(8NSKT)
ONE_SIDED = 4  # the lemma needs one side only
BONUS = 4.0  # b = 4 √(T² A_i ι / c̃)


class Growth(NamedTuple):
    """What a stage rule guarantees of its lengths."""

    c: float  # stages grow at least by 1 + c/T, before rounding
    longest: float  # g: a stage has at most g times the visits of the one before
    alpha: float  # up to the end of a stage, (t, s) has α times the visits of the stage before


class Bound(NamedTuple):
    """The bound on the gap, in normalised units, by where its parts come from."""

    first: float  # first stages (Term 1)
    bonus: float  # the bonus (Term 3)
    start: float  # a start that is drawn, not fixed

    @property
    def total(self) -> float:
        """The bound."""
        return self.first + self.bonus + self.start


def least_actions(factor: int, tail: int = AZUMA_FACTOR) -> int:
    """Return the least A_max with log(tail · NSKT/p) ≤ ι = log(factor · NSA_max KT/p)."""
    return -(-tail // factor)


def azuma_by_range(A: int, x: float) -> float:
    """Return the share of √(T² A ι/c̃) that Azuma's inequality needs if used with care.

    A sample lies in [0, T], so a sum of c̃ errs by T√(c̃ log(1/q)/2), not T√(2c̃ log(1/q)); one side
    is enough, q = p/(4NSKT). With x = NSKT/p ≥ 1 the share is √(log(4x) / (2A log(2Ax))) ≤ 1.
    """
    return math.sqrt(math.log(ONE_SIDED * x) / (2 * A * math.log(ALGORITHM_FACTOR * A * x)))


def least_iota(A: int, visits: int) -> float:
    """Return the least ι with 4√(T² A/c̃) + T/c̃ ≤ 3√(T² A ι/c̃): ((4 + 1/√(A c̃))/3)²."""
    return ((4 + 1 / math.sqrt(A * visits)) / 3) ** 2


def tsallis_bound(A: int, visits: int, late: bool) -> float:
    """Return the bound on the expected regret of Tsallis-INF over n visits that its proof gives.

    Follow the regularised leader with −4 Σ_a √π(a) / η_j and rates that never rise. Then

        regret ≤ Σ_j η_j √A / 2 + 4 (√A − 1) / η_n,

    the first from the stability of each visit, the second from the regularisers. The cited
    algorithm has η_j = 2/√j. As printed (`late`) visit j has 2/√(j−1); visit 1 is uniform for any
    rate, so let η_1 = η_2 = 2. The sum is at most 4√(An) either way.
    """
    rates = [2 / math.sqrt(max(j - late, 1)) for j in range(1, visits + 1)]
    return math.fsum(rates) * math.sqrt(A) / 2 + 4 * (math.sqrt(A) - 1) / rates[-1]


def trivial_until(A: int, iota: float) -> int:
    """Return the most visits c̃ for which 3√(A ι c̃) ≥ c̃, so that the regret step says nothing."""
    return math.floor(9 * A * iota)


def stage_lengths(T: int, coefficients: Iterable[Fraction], rule: str) -> Iterator[int]:
    """Yield the visits of each stage, exactly, for the λ at the end of each (line 17)."""
    length = Fraction(T)
    yield T
    for coefficient in coefficients:
        length *= coefficient * Fraction(T + 1, T)
        if rule == "floor":
            length = Fraction(math.floor(length))
        yield math.floor(length)


def grows_from(T: int, coefficient: Fraction) -> int | None:
    """Return the least L with ⌊λ(1 + 1/T)L⌋ > L: ⌈T/c⌉ with c = λ(T + 1) − T; None if c ≤ 0."""
    c = coefficient * (T + 1) - T
    return math.ceil(T / c) if c > 0 else None


def growth(T: int, lambda_min: float, rule: str) -> Growth | None:
    """Return what the stage rule guarantees, or None if its lengths need not grow.

    `real`: lengths L grow by λ_min(1 + 1/T) = 1 + c/T or more; ⌊L⌋ visits are used, and T ≤ ⌊L⌋
    gives L < ⌊L⌋ (T + 1)/T. After l ≥ T visits come fewer than (l + 1)(1 + 1/T), so at most
    l + ⌈(l + 1)/T⌉ ≤ l (1 + 2/T).
    `floor` with λ = 1: L + ⌊L/T⌋ ≥ L (1 + 1/(2T − 1)), equal at L = 2T − 1, so c = T/(2T − 1).
    `floor` with λ < 1: a stage of T visits is followed by one of ⌊λ(T + 1)⌋ = T.
    """
    if rule == "real":
        c = lambda_min * (T + 1) - T
        rounding = (T + 1) / T
        return Growth(c, 1 + 2 / T, rounding * _visits(T, c)) if c > 0 else None
    if lambda_min < 1:
        return None
    c = T / (2 * T - 1)
    return Growth(c, 1 + 1 / T, _visits(T, c))


def _visits(T: int, c: float) -> float:
    """Return the visits up to the end of the next stage, in lengths of this one."""
    return (T + c) / c + (T + 1) / T


def inverse_roots(lengths: Iterable[int], visits: int) -> float:
    """Return Σ 1/√c̃ over M visits to (t, s), without those of its first stage (Term 3)."""
    total, left, last = 0.0, visits, 0
    for length in lengths:
        if last:
            total += min(length, left) / math.sqrt(last)
        left, last = left - length, length
        if left <= 0:
            break
    return total


def gap_bound(
    game: Game, episodes: int, p: float, rule: Growth, multiplier: float = BONUS
) -> Bound:
    """Return (1/K) Σ_t g^{t−1} (S_t T (T − t + 1) + 4·multiplier √(α T² A ι S_t K)), normalised.

    A start that is drawn costs T√(log(1/p)/(2K)) more (Azuma), which fails with another p; the
    bound is then on the mean gap over starts.
    """
    T, K = game.T, episodes
    inside = rule.alpha * T**2 * game.A_max * iota(game, K, p)
    first = bonus = 0.0
    for t, states in enumerate(game.states):
        weight = rule.longest**t / K
        first += weight * min(len(states) * T, K) * (T - t)
        bonus += weight * 4 * multiplier * math.sqrt(inside * len(states) * K)
    drawn = game.initial.max() < 1
    return Bound(first, bonus, T * math.sqrt(-math.log(p) / (2 * K)) if drawn else 0.0)


def constant(T: int, rule: Growth) -> float:
    """Return C of the bound's main term C √(S A T⁵ ι/K): 16 √(α/T) (1 + g + … + g^{T−1}) / T."""
    return 16 * math.sqrt(rule.alpha / T) * math.fsum(rule.longest**t for t in range(T)) / T
