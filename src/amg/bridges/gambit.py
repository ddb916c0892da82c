"""A game as a tree in Gambit's format .efg, as text. It needs no library.

Within a step agent 1 moves first, but nobody sees a move before all have moved. Then each agent
sees the next state and the sum of the others' efforts, as the deviator of `amg.evaluate` does. For
two agents whose actions differ in effort, the joint actions are public. All pay comes at the end.

Every number is a fraction: the simplest one that rounds to the float in the game's tables, so that
1/3 is 1/3. Each law is divided by its sum, because Gambit wants it to be exactly 1.
"""

from collections import Counter
from fractions import Fraction
from functools import cache

from amg.base.errors import ParameterError
from amg.bridges.play import Law, Memory, first_law, next_law, remember, step
from amg.game.model import Game

LEAVES = 100_000  # a file of about ten megabytes


def write_efg(game: Game, leaves: int = LEAVES) -> str:
    """Return the game as a tree; refuse one with more than `leaves` ends."""
    count = count_leaves(game)
    if count > leaves:
        raise ParameterError(
            f"{game.name}: its tree has {count} leaves, more than {leaves}; shorten the horizon, "
            f"or give write_efg a larger limit, leaves={count}"
        )
    return "\n".join(_Tree(game).lines) + "\n"


def count_leaves(game: Game) -> int:
    """Return how many plays of the game there are."""

    @cache
    def below(t: int, s: int) -> int:
        if t == game.T:
            return 1
        sums = Counter({0: 1})  # joint actions by the sum of their efforts
        for efforts in game.effort[t, s]:
            after: Counter[int] = Counter()
            for e in efforts[efforts >= 0].tolist():
                after.update({total + e: n for total, n in sums.items()})
            sums = after
        last = [(0, 1.0)] if t + 1 == game.T else None
        return sum(
            n * sum(below(t + 1, k) for k, _ in last or next_law(game, t, s, total))
            for total, n in sums.items()
        )

    return sum(below(0, s) for s, _ in first_law(game))


def rational(x: float) -> Fraction:
    """Return a fraction that rounds to x: one of few digits, or else x itself."""
    digits = 1
    while digits < 10**9:
        digits *= 10
        simple = Fraction(x).limit_denominator(digits)
        if float(simple) == x:
            return simple
    return Fraction(x)


class _Tree:
    """The lines of the file, written in the order of play."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.sets: list[dict[Memory, int]] = [{} for _ in game.agents]  # numbers of memories
        names = " ".join(map(_quoted, game.agents))
        self.lines = [f"EFG 2 R {_quoted(game.name)} {{ {names} }}"]
        self.pay = cache(rational)
        self.chance(0, first_law(game), [()] * game.N, [Fraction(0)] * game.N)

    def chance(self, t: int, law: Law, memories: list[Memory], earned: list[Fraction]) -> None:
        """Write what follows a step: a draw of the next state, or the end."""
        number = len(self.lines)  # of a new information set or outcome
        if t == self.game.T:
            self.lines.append(f't "" {number} "" {{ {", ".join(map(str, earned))} }}')
            return
        if len(law) > 1:
            shares = [rational(p) for _, p in law]
            named = zip(law, shares, strict=True)
            draws = " ".join(
                f"{_quoted(self.game.states[t][s])} {p / sum(shares)}" for (s, _), p in named
            )
            self.lines.append(f'c "" {number} "" {{ {draws} }} 0')
        for s, _ in law:
            self.agents(t, s, [(*past, s) for past in memories], earned, ())

    def agents(
        self, t: int, s: int, memories: list[Memory], earned: list[Fraction], joint: Memory
    ) -> None:
        """Write the move of the next agent of a step, and all that follows it."""
        game, i = self.game, len(joint)
        if i == game.N:
            pay, others, total = step(game, t, s, joint)
            after = [sum_ + self.pay(r) for sum_, r in zip(earned, pay, strict=True)]
            law = next_law(game, t, s, total)
            self.chance(t + 1, law, remember(memories, joint, others), after)
            return
        number = self.sets[i].setdefault(memories[i], len(self.sets[i]) + 1)
        menu = game.actions[t][s][i]
        label = f"step {t + 1}, {game.states[t][s]}, {number}"
        self.lines.append(
            f'p "" {i + 1} {number} {_quoted(label)} {{ {" ".join(map(_quoted, menu))} }} 0'
        )
        for a in range(len(menu)):
            self.agents(t, s, memories, earned, (*joint, a))


def _quoted(name: str) -> str:
    """Return a name as text of the file; in it a backslash only ever hides a quote."""
    return '"' + name.replace("\\", "/").replace('"', '\\"') + '"'
