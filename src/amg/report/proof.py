"""The generated parts of docs/proof.md: each step of the proof with its verdict and its number."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amg.base.text import compact, episodes, markdown_table, number, percent, significant
from amg.game import proof
from amg.game.library import build
from amg.game.model import Game, iota
from amg.kernels.sums import Floats
from amg.learning.parameters import VLearning
from amg.learning.regret import (
    StageRegrets,
    coin_losses,
    play_against,
    stage_regrets,
    turning_losses,
)
from amg.learning.train import train_run, train_traced
from amg.results.run import Run

Whole = NDArray[np.int64]
HEADER = ("step", "what it needs", "as printed", "number or counterexample", "test")
GAMES, SEEDS, TRACED = ("fishermen", "inspection"), range(1, 4), 4000
RULES = {"as printed": VLearning(), "λ = 1": VLearning(fluctuation="fixed")}
VISITS, LEARNERS, ACTIONS = 4000, 300, 2  # of Tsallis-INF on losses that are fixed ahead
EPISODES, P = 10**5, VLearning().p  # where a row needs an ι
LONG, STAGES = 10**6, 1000  # visits and stages to which sums and lengths are carried
GROWING = {"real": VLearning(stage_rule="real"), "λ = 1": VLearning(fluctuation="fixed")}


class Row(NamedTuple):
    """One step of the proof."""

    step: str
    needs: str
    verdict: str
    number: str
    test: str


def steps_block() -> str:
    """Return the table of steps."""
    cells = [[*row[:4], f"`tests/{row.test}`"] for row in (make() for make in ROWS)]
    return markdown_table(HEADER, cells)


def azuma() -> Row:
    """log(8NSKT/p) ≤ ι."""
    lemma, algorithm = (
        proof.least_actions(factor) for factor in (proof.LEMMA_FACTOR, proof.ALGORITHM_FACTOR)
    )
    one_sided = proof.least_actions(proof.ALGORITHM_FACTOR, proof.ONE_SIDED)
    scales = [10.0**k for k in range(10)]
    alone, more = (max(proof.azuma_by_range(A, x) for x in scales) for A in (1, 2))
    return Row(
        "Lemma A.1, step 1: log(8NSKT/p) ≤ ι, then √(2T²ι/c̃) ≤ √(T²A_iι/c̃)",
        f"{proof.AZUMA_FACTOR} ≤ {proof.LEMMA_FACTOR}·A_max with the lemma's ι, "
        f"{proof.AZUMA_FACTOR} ≤ {proof.ALGORITHM_FACTOR}·A_max with the algorithm's; then A_i ≥ 2",
        f"lemma's ι: from A_max = {lemma}. Algorithm's ι: only from A_max = {algorithm}. Harmless",
        f"one side of the tail is enough, and then A_max = {one_sided} will do. Samples lie in "
        f"[0, T], so that the step needs at most {percent(more)} of √(T²A_iι/c̃), and "
        f"{percent(alone)} where A_i = 1",
        "game/test_proof.py",
    )


def bonus() -> Row:
    """4 + 1/√(A c̃) ≤ 3√ι."""
    least = proof.least_iota(2, 1)
    scale = math.exp(least) / (proof.ALGORITHM_FACTOR * 2)
    return Row(
        "Lemma A.1, step 2: 4√(T²A_i/c̃) + T/c̃ ≤ 3√(T²A_iι/c̃)",
        "ι ≥ ((4 + 1/√(A_ic̃))/3)²; the worst case is A_i = 2, c̃ = 1",
        f"holds in every game with p ≤ {significant(1 / scale)}",
        f"from ι = {number(least)} on, that is NSKT/p ≥ {number(scale)} at A_max = 2",
        "game/test_proof.py",
    )


def regret() -> Row:
    """The regret of a stage is at most 4√(A c̃) + 1."""
    turning = _turning(True)
    game = build("fishermen")
    printed, value = _bound(ACTIONS, VISITS), iota(game, EPISODES, P)
    allowed = P / (4 * game.N * game.S * EPISODES * game.T)
    lemma = 3 * math.sqrt(ACTIONS * VISITS * value)
    worst = max(float(found.units.max()) for found in _stages().values())
    return Row(
        "Lemma A.1, step 2: Tsallis-INF guarantees regret 4√(A_ic̃) + 1 for all k",
        "a bound on the realised regret of a stage, except with probability p/(4NSKT)",
        "does not follow: the cited theorem bounds the *expected* (pseudo-)regret, and realised "
        "regret has a heavy tail",
        f"turning losses (below), {VISITS:,} visits, {ACTIONS} actions: in "
        f"{percent(_over(turning, printed))} of {LEARNERS} runs the regret is above 4√(Ac̃) + 1, in "
        f"{percent(_over(turning, lemma))} above 3√(Aιc̃) with ι = {number(value)} "
        f"(`fishermen` at K = {episodes(EPISODES)}, p/(4NSKT) = {compact(allowed, 2)}). The "
        f"largest is {percent(float(turning.max()) / VISITS)} of c̃. In recorded stages of games "
        f"it is at most {significant(worst)}·√(Ac̃). Up to "
        f"c̃ = {proof.trivial_until(ACTIONS, value)} the step says nothing: regret is at most c̃",
        "learning/test_regret.py",
    )


def rates() -> Row:
    """Visit n + 1 is played with η = 2/√n."""
    units = math.sqrt(ACTIONS * VISITS)
    late, cited = (proof.tsallis_bound(ACTIONS, VISITS, kind) / units for kind in (True, False))
    coin = [float(_coin(kind).mean()) / units for kind in (True, False)]
    turning = [float(_turning(kind).mean()) / units for kind in (True, False)]
    return Row(
        "line 9: η of visit n + 1 is 2/√n; the cited algorithm has 2/√(n + 1)",
        "rates that never rise, Σ η_j√A/2 + 4(√A − 1)/η_n ≤ 4√(An) + 1",
        "the standard proof survives, with the same bound",
        f"bound from the proof at A = {ACTIONS}, n = {VISITS:,}, in √(An): {number(late)} as "
        f"printed, {number(cited)} as cited. Mean regret measured: {significant(coin[0])} and "
        f"{significant(coin[1])} on coin losses, {significant(turning[0])} and "
        f"{significant(turning[1])} on turning losses",
        "learning/test_regret.py",
    )


def term_1() -> Row:
    """Σ_k I[c = 0] T ≤ S T²."""
    T = build("fishermen").T
    return Row(
        "Term 1: each pair (t, s) contributes at most 1, so Σ_k I[c = 0]·T ≤ ST²",
        "a count of the episodes that meet (t, s) in its first stage",
        "the reason is wrong, the sum is right",
        f"a first stage has T visits, so a pair contributes T (in the Fishermen Game {T}). But at "
        f"one t there are S pairs, not ST: S·T·T is the ST² printed",
        "learning/test_proof_steps.py",
    )


def term_2() -> Row:
    """A stage is at most (1 + 1/T) times longer than the one before."""
    T, coefficients = 2, [Fraction(9, 10), Fraction(1)]
    real = list(proof.stage_lengths(T, coefficients, "real"))
    assert real[-1] > (1 + 1 / T) * real[-2]
    return Row(
        "Term 2: a stage is at most (1 + 1/T) times longer than the one before",
        "⌊λ(1 + 1/T)L̃⌋ ≤ (1 + 1/T)·L̃ in visits; and δ ≥ 0, which holds always",
        "holds for the printed floor; fails for the real rule, where 1 + 2/T holds",
        f"real, T = {T}, λ = {float(coefficients[0]):g} then 1: stages of "
        f"{', '.join(map(str, real))} visits, a factor of {number(real[-1] / real[-2])}. So the "
        f"proof's (1 + 1/T)^T ≤ e becomes (1 + 2/T)^T ≤ e²",
        "game/test_proof.py",
    )


def term_3() -> Row:
    """Σ 1/√c̃ ≤ 2√(αM)."""
    T, p = 2, VLearning()
    real, fixed = proof.growth(T, p.lambda_min, "real"), proof.growth(T, 1, "floor")
    assert real is not None
    assert fixed is not None
    exact = Fraction(str(p.lambda_min))
    stuck = set(proof.stage_lengths(T, [exact] * STAGES, "floor"))
    free = proof.grows_from(T, exact)
    measured = [_worst(T, exact, "real"), _worst(T, Fraction(1), "real")]
    printed = _stages()["fishermen", "as printed"].visits
    return Row(
        "Term 3: lengths grow by ρ = 1 + c/T, so Σ 1/√c̃ ≤ O(√(MT)) over M visits to (t, s)",
        "c = λ_min(T + 1) − T > 0 and no rounding; then Σ 1/√c̃ ≤ 2√(αM), α = O(T/c)",
        "fails for the printed floor. Holds for the real rule and for λ = 1; O(·) hides 1/√c, and "
        "c → 0 as λ_min → T/(T + 1)",
        f"floor, T = {T}, λ = {p.lambda_min:g}: after {STAGES:,} stages the lengths are still "
        f"{', '.join(map(str, sorted(stuck)))} (they grow only from T/c, here {free}, on); of the "
        f"stages of recorded runs of `fishermen` {percent(float((printed == T).mean()))} have T "
        f"visits. Real: c = {number(real.c)}, 2√α = {number(2 * math.sqrt(real.alpha))}, exact "
        f"sums up to {episodes(LONG)} visits reach {number(measured[0])}·√M (λ = λ_min) and "
        f"{number(measured[1])}·√M (λ = 1). λ = 1 with the floor: c = {number(fixed.c)}, "
        f"2√α = {number(2 * math.sqrt(fixed.alpha))}. Runs of `fishermen` with K = "
        f"{episodes(LONG)}, in the starting state: {number(_root(_run('real')))}·√M (real), "
        f"{number(_root(_run('λ = 1')))}·√M (λ = 1)",
        "game/test_proof.py",
    )


def last() -> Row:
    """The gap is at most C √(S A_max T⁵ ι/K), and a term of order 1/K."""
    game, p = build("fishermen"), VLearning()
    rules = [proof.growth(game.T, p.lambda_min, "real"), proof.growth(game.T, 1, "floor")]
    constants = [number(proof.constant(game.T, rule)) for rule in rules if rule]
    useful = [episodes(least_useful(game, rule)) for rule in rules if rule]
    bounds = [number(proof.gap_bound(game, LONG, P, rule).total) for rule in rules if rule]
    widths = [number(mean_width(_run(name))) for name in GROWING]
    floor = proof.BONUS * math.sqrt(game.T * game.A_max * iota(game, EPISODES, P))
    return Row(
        "last display: gap ≤ O(√(SA_maxT⁵ι/K)) if K ≥ ST/(A_maxι)",
        "every step above",
        "does not follow for the printed rule. For the real rule and for λ = 1 it follows where "
        "the confidence lemma holds",
        f"C = 16·√(α/T)·(1 + g + … + g^(T−1))/T. At T = {game.T}: {constants[0]} for the real rule "
        f"(λ_min = {p.lambda_min:g}), {constants[1]} for λ = 1. In `fishermen` the bound falls "
        f"below the range of returns at K = {useful[0]} and {useful[1]}. At K = "
        f"{episodes(LONG)} it is {bounds[0]} and {bounds[1]}; the mean of δ in a run is "
        f"{widths[0]} and {widths[1]}. Printed rule: "
        f"where λ < 1 always, as with a constant d, stages have T visits and the bonus 4√(TAι), "
        f"{number(floor)} at K = {episodes(EPISODES)}, is above the range {game.T}: V̄ and V̲ never "
        f"leave T − t + 1 and 0, and the mean of δ stays at T",
        "learning/test_proof_steps.py",
    )


ROWS: Sequence[Callable[[], Row]] = (azuma, bonus, regret, rates, term_1, term_2, term_3, last)


def regret_block() -> str:
    """Return the distribution of realised regret over completed stages, in units of √(A_i c̃)."""
    rows = []
    for (name, rule), found in _stages().items():
        over = (found.regret > _bound(found.actions, found.visits)).mean()
        middle, high = np.quantile(found.units, [0.5, 0.95])
        numbers = [significant(float(x)) for x in (middle, high, found.units.max())]
        counts = [f"{len(found.units):,}", f"{found.visits.max():,}"]
        rows.append([f"`{name}`", rule, *counts, *numbers, percent(float(over))])
    header = [
        "game",
        "stages",
        "how many",
        "longest",
        "median",
        "95%",
        "largest",
        "above 4√(Ac̃) + 1",
    ]
    text = markdown_table(header, rows, numbers=range(2, len(header)))
    return (
        f"{text}\n\n{len(SEEDS)} seeds of K = {TRACED:,} each; a stage counts once for each agent."
    )


def least_useful(game: Game, rule: proof.Growth) -> int:
    """Return the least K, to three digits, at which the bound is below the range of returns T."""
    low, high = 1, 1
    while proof.gap_bound(game, high, P, rule).total >= game.T:
        low, high = high, 2 * high
    while high - low > high // 1000:
        middle = (low + high) // 2
        if proof.gap_bound(game, middle, P, rule).total < game.T:
            high = middle
        else:
            low = middle
    step = 10 ** max(len(str(high)) - 3, 0)
    return -(-high // step) * step


def _worst(T: int, coefficient: Fraction, rule: str) -> float:
    """Return the largest Σ 1/√c̃ / √M at the end of a stage, over stages within LONG visits."""
    total, visits, last, worst = 0.0, 0, 0, 0.0
    for length in proof.stage_lengths(T, repeat(coefficient), rule):
        total += length / math.sqrt(last) if last else 0.0
        visits, last = visits + length, length
        worst = max(worst, total / math.sqrt(visits))
        if visits > LONG:
            break
    return worst


def mean_width(run: Run) -> float:
    """Return (1/K) Σ_k (V̄ − V̲) of the starting state, normalised: the largest over agents."""
    assert run.certificate is not None
    rows = _of_start(run)
    width = (run.certificate.stage_v_bar - run.certificate.stage_v_low)[rows]
    ends = [0, *run.certificate.stage_key[rows, 2].tolist(), run.episodes]
    all_widths = np.vstack([np.full(run.game.N, float(run.game.T)), width])
    return float((np.diff(ends) @ all_widths).max() / run.episodes)


def _root(run: Run) -> float:
    """Return Σ 1/√c̃ / √M of the starting state, which every episode visits: M = K."""
    assert run.certificate is not None
    lengths = run.certificate.stage_key[_of_start(run), 3].tolist()
    unfinished = run.episodes
    return proof.inverse_roots([*lengths, unfinished], run.episodes) / math.sqrt(run.episodes)


def _of_start(run: Run) -> slice:
    assert run.certificate is not None
    return run.certificate.history(0, int(np.argmax(run.game.initial)))


@cache
def _run(rule: str) -> Run:
    """Return a run whose stages grow; its start is fixed."""
    return train_run(build("fishermen"), GROWING[rule], LONG, seed=1)


def _bound(actions: int | Whole, visits: int | Whole) -> Floats:
    return 4 * np.sqrt(np.multiply(actions, visits)) + 1


def _over(regret: Floats, bound: float | Floats) -> float:
    return float((regret > bound).mean())


@cache
def _stages() -> dict[tuple[str, str], StageRegrets]:
    """Return the regrets of stages of recorded runs, by game and stage rule."""
    return {
        (name, rule): stage_regrets(
            [train_traced(build(name), parameters, TRACED, seed) for seed in SEEDS]
        )
        for name in GAMES
        for rule, parameters in RULES.items()
    }


@cache
def _coin(late: bool) -> Floats:
    rng = np.random.default_rng(1)
    return play_against(coin_losses(VISITS, ACTIONS, rng), LEARNERS, late, rng)


@cache
def _turning(late: bool) -> Floats:
    rng = np.random.default_rng(1)
    return play_against(turning_losses(VISITS, ACTIONS), LEARNERS, late, rng)
