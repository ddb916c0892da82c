"""Print the theorem's rate for a game, and the bound on the gap with the constants of its proof.

docs/proof.md says what each step of the proof needs. Where the bound is larger than the range of
returns it is vacuous: every policy satisfies it.
"""

import argparse
import math

from amg.base.errors import ParameterError
from amg.base.text import number, percent, text_table
from amg.cli import add_game, find_game, whole_number
from amg.game.model import Game, iota, rate
from amg.game.proof import Growth, constant, gap_bound, growth
from amg.learning.parameters import VLearning, make_parameters

MOST = 10**12  # episodes, as in `amg train`


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the game, K and what the bound depends on."""
    add_game(parser)
    parser.add_argument("--episodes", type=whole_number, required=True, help="K, as 1000 or 1e3")
    for option, name in (("--p", "p"), ("--lambda-min", "lambda_min")):
        default = getattr(VLearning, name)
        text = f"as in `amg train --set {name}=…`, default {default}"
        parser.add_argument(option, default=str(default), metavar="NUMBER", help=text)


def run(options: argparse.Namespace) -> int:
    """Print rate and bounds; return 0."""
    game, K = find_game(options.game, options.with_), options.episodes
    if not 1 <= K <= MOST:
        raise ParameterError(f"episodes = {K} must lie in [1, {MOST}]")
    # CV is refused in games with negative aggregates; the bound depends on λ_min alone
    settings = {"p": options.p, "lambda_min": options.lambda_min, "fluctuation": "mad"}
    parameters = make_parameters(VLearning.algorithm, settings)
    parameters.check(game)
    assert isinstance(parameters, VLearning)
    print("\n".join([*_rate(game, K, parameters.p), "", *_bounds(game, K, parameters)]))
    return 0


def _rate(game: Game, K: int, p: float) -> list[str]:
    """Return sizes, both ι, and the rate for each."""
    theorem = iota(game, K, p)
    values = {"theorem and algorithm": theorem, "lemma": theorem + math.log(2)}
    rows = [
        [name, number(value, 4), *_amounts(game, rate(game, K, p) * math.sqrt(value / theorem))]
        for name, value in values.items()
    ]
    return [
        f"{game.name}: {game.N} agents, T = {game.T}, S = {game.S}, A_max = {game.A_max}, "
        f"K = {K:,}, p = {p:g}; range of returns {number(game.T * game.scale)}",
        "",
        *text_table(["√(S A_max T⁵ ι/K) with the ι of", "ι", "raw units", "of the range"], rows),
    ]


def _bounds(game: Game, K: int, parameters: VLearning) -> list[str]:
    """Return the bound for each stage rule, and what it rests on."""
    lambda_min = parameters.lambda_min
    rules = {
        f"real, λ_min = {lambda_min:g}": growth(game.T, lambda_min, "real"),
        "λ = 1, floor": growth(game.T, 1, "floor"),
        f"floor as printed, λ_min = {lambda_min:g}": growth(game.T, lambda_min, "floor"),
    }
    rows = [[name, *_bound(game, K, parameters.p, rule)] for name, rule in rules.items()]
    header = [
        "bound with the proof's constants",
        "c",
        "constant C",
        "raw units",
        "of the range",
        "",
    ]
    notes = [
        "C multiplies the rate; the bound also has a term of order 1/K. A bound larger than",
        "the range of returns says nothing. The bound holds where the confidence lemma does,",
        "and the proof does not show that this is likely (docs/proof.md).",
    ]
    if game.initial.max() < 1:
        notes.append("The start is drawn: the bound is on the mean gap over starts, at 1 − 2p.")
    return [*text_table(header, rows), "", *notes]


def _bound(game: Game, K: int, p: float, rule: Growth | None) -> list[str]:
    if rule is None:
        return ["–"] * 4 + ["no bound: stages need not grow"]
    total = gap_bound(game, K, p, rule).total
    verdict = "vacuous" if total >= game.T else ""
    return [number(rule.c), number(constant(game.T, rule)), *_amounts(game, total), verdict]


def _amounts(game: Game, normalised: float) -> list[str]:
    """Return a number in raw units and as a share of the range of returns."""
    return [number(normalised * game.scale), percent(normalised / game.T, 1)]
