"""Aggregative Markov games as dense tables (the paper's Section II), and constants of its analysis.

N agents, horizon T. At step t in state s agent i picks an action a_i with an *effort*; it is paid
r_i^t(s, a_i, σ(a_-i)), which depends on the others only through the sum of their efforts, and the
next state is drawn from p^t(· | s, Σ_j effort(a_j)).

Efforts lie on one grid, effort = origin + unit · e with integer e ≥ 0, so that every sum of efforts
is an exact table index: Σ_{j≠i} e_j for the others, Σ_j e_j for the total. Sizes are padded to

    S = max_t |S^t|,  A = max |A_i^t(s)|,  D = max total index + 1,

and entries that cannot happen (a padded state, an unreachable sum) hold 0.
"""

import functools
import hashlib
import json
import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amg.game.checks import Place, check


class Tables(NamedTuple):
    """A game as the compiled kernels need it: normalised rewards, cumulated probabilities."""

    n_states: NDArray[np.int64]  # [T]
    n_actions: NDArray[np.int64]  # [T, S, N]
    effort: NDArray[np.int64]  # [T, S, N, A] grid index
    reward: NDArray[np.float64]  # [T, S, N, A, D] in [0, 1]
    raw_reward: NDArray[np.float64]  # [T, S, N, A, D] in the game's own units
    initial_cdf: NDArray[np.float64]  # [S]
    transition_cdf: NDArray[np.float64]  # [T, S, D, S]
    aggregate: NDArray[np.float64]  # [D] the aggregate quantity d of a total index


@dataclass(frozen=True, eq=False, repr=False)
class Game:
    """One aggregative Markov game; construction checks everything, the tables are read-only.

    Attributes
    ----------
    name : str
        Its name in messages and results.
    agents : tuple of str
        Names of the N agents.
    states : tuple
        ``states[t][s]`` is the name of a state.
    actions : tuple
        ``actions[t][s][i][a]`` is the name of an action of agent i.
    effort : array [T, S, N, A]
        Grid index of each action's effort, −1 where there is no action.
    reward : array [T, S, N, A, D]
        Pay by own action and the index of the others' sum, in the game's own units.
    transition : array [T, S, D, S]
        Law of the next state by the index of the total; at the last step all 0.
    initial : array [S]
        Law of the first state.
    reward_range : tuple of two floats
        An interval that holds every pay of a step.
    origin, unit : Fraction
        An effort is origin + unit · index.
    aggregator, aggregate_scale : str, Fraction
        What the public aggregate d is called; it is the total times the scale.
    parameters : mapping
        Parameters of the builder, if there is one.
    """

    name: str
    agents: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    actions: tuple[tuple[tuple[tuple[str, ...], ...], ...], ...]
    effort: NDArray[np.int64]
    reward: NDArray[np.float64]
    transition: NDArray[np.float64]
    initial: NDArray[np.float64]
    reward_range: tuple[float, float]
    origin: Fraction = Fraction(0)
    unit: Fraction = Fraction(1)
    aggregator: str = "sum"
    aggregate_scale: Fraction = Fraction(1)
    parameters: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for array in (self.effort, self.reward, self.transition, self.initial):
            array.flags.writeable = False
        check(self)

    def __repr__(self) -> str:
        return f"Game({self.name}: {self.N} agents, {self.T} steps, digest {self.digest[:8]})"

    @property
    def N(self) -> int:
        """Number of agents."""
        return len(self.agents)

    @property
    def T(self) -> int:
        """Horizon."""
        return len(self.states)

    @property
    def S(self) -> int:
        """max_t |S^t|."""
        return max(len(states) for states in self.states)

    @functools.cached_property
    def exists(self) -> NDArray[np.bool_]:
        """Which (t, s) are states of the game, not padding, as [T, S]."""
        sizes = np.array([len(states) for states in self.states])
        return np.arange(self.S) < sizes[:, None]

    @functools.cached_property
    def n_actions(self) -> NDArray[np.int64]:
        """|A_i^t(s)| as [T, S, N]; 0 in padded states."""
        return (self.effort >= 0).sum(axis=3)

    @functools.cached_property
    def A(self) -> NDArray[np.int64]:
        """A_i = max_{t,s} |A_i^t(s)| as [N]."""
        return self.n_actions.max(axis=(0, 1))

    @property
    def A_max(self) -> int:
        """max_i A_i."""
        return int(self.A.max())

    @property
    def D(self) -> int:
        """Number of points a sum of efforts can take: table width."""
        return self.reward.shape[4]

    @property
    def scale(self) -> float:
        """Raw reward units per normalised unit."""
        return self.reward_range[1] - self.reward_range[0]

    def effort_value(self, index: int, terms: int = 1) -> Fraction:
        """Return the sum of `terms` efforts whose grid indices add up to `index`."""
        return self.origin * terms + self.unit * index

    def aggregate_value(self, total: int) -> Fraction:
        """Return the public aggregate quantity d of a total index."""
        return self.aggregate_scale * self.effort_value(total, self.N)

    def where(
        self, t: int, s: int | None = None, i: int | None = None, a: int | None = None
    ) -> Place:
        """Return a place that reads "step 1, state 'high', agent 'fisher 1', action 'mild'"."""
        state = None if s is None else self.states[t][s]
        agent = None if i is None else self.agents[i]
        action = None if s is None or i is None or a is None else self.actions[t][s][i][a]
        return Place("actions", t, state, agent, action)

    @functools.cached_property
    def reachable(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which sums can happen: of the others [T, S, N, D], of all [T, S, D]."""
        others = np.zeros((self.T, self.S, self.N, self.D), dtype=bool)
        total = np.zeros((self.T, self.S, self.D), dtype=bool)
        for t, states in enumerate(self.states):
            for s in range(len(states)):
                others[t, s], total[t, s] = reachable_sums(self.effort[t, s], self.D)
        return others, total

    @functools.cached_property
    def tables(self) -> Tables:
        """The arrays the kernels run on."""
        return self.tables_in(self.units("range"))

    def units(self, rewards: str) -> tuple[float, float]:
        """Return (low, unit) of a reading of rewards: agents learn from (r − low) / unit."""
        if rewards == "range":
            return self.reward_range[0], self.scale
        return 0.0, float(abs(self.reward).max()) or 1.0 if rewards == "largest" else 1.0

    def tables_in(self, units: tuple[float, float]) -> Tables:
        """Return the arrays the kernels run on, with rewards in these units."""
        low, unit = units
        real = self.reachable[0][:, :, :, None] & (self.effort >= 0)[..., None]
        return Tables(
            n_states=np.array([len(states) for states in self.states], dtype=np.int64),
            n_actions=np.ascontiguousarray(self.n_actions, dtype=np.int64),
            effort=np.maximum(self.effort, 0),
            reward=np.where(real, (self.reward - low) / unit, 0.0),
            raw_reward=self.reward,
            initial_cdf=_cumulate(self.initial),
            transition_cdf=_cumulate(self.transition),
            aggregate=np.array([float(self.aggregate_value(d)) for d in range(self.D)]),
        )

    def uniform_policy(self) -> NDArray[np.float64]:
        """Return 1 / |A_i^t(s)| as [T, S, N, A], 0 where there is no action."""
        n = np.maximum(self.n_actions, 1)[..., None]
        return np.where(self.effort >= 0, 1.0 / n, 0.0)

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of what the game is: its tables, not its names."""
        head = {
            "shape": self.reward.shape,
            "n_states": [len(states) for states in self.states],
            "reward_range": [float(bound).hex() for bound in self.reward_range],
            "grid": [str(self.origin), str(self.unit), str(self.aggregate_scale)],
        }
        digest = hashlib.sha256(json.dumps(head, sort_keys=True).encode())
        for table in (self.effort, self.reward, self.transition, self.initial):
            digest.update((np.ascontiguousarray(table) + 0).tobytes())  # −0 is 0
        return digest.hexdigest()


def reachable_sums(
    effort: NDArray[np.int64], D: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which sums of efforts can happen, of all but agent i [N, D] and of all [D].

    A set of sums is a bit mask. Adding an agent ors the mask shifted by each of its efforts.
    """
    menus = [tuple(sorted(menu[menu >= 0].tolist())) for menu in effort]

    def add(mask: int, menu: tuple[int, ...]) -> int:
        return functools.reduce(operator.or_, (mask << e for e in menu), 0)

    def sums(menus: list[tuple[int, ...]]) -> NDArray[np.bool_]:
        mask = functools.reduce(add, menus, 1)
        data = np.frombuffer(mask.to_bytes(-(-D // 8), "little"), dtype=np.uint8)
        return np.unpackbits(data, count=D, bitorder="little").astype(bool)

    @functools.cache  # agents with equal efforts have the same others
    def sums_without(menu: tuple[int, ...]) -> NDArray[np.bool_]:
        i = menus.index(menu)
        return sums(menus[:i] + menus[i + 1 :])

    return np.array([sums_without(menu) for menu in menus]), sums(menus)


def _cumulate(law: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cumulated probabilities that reach exactly 1 at the last possible state.

    A draw u in [0, 1) takes the first entry above u. So a state of probability 0 is never drawn,
    even if the sum is rounded.
    """
    cdf = np.cumsum(law, axis=-1)
    remaining = np.cumsum(law[..., ::-1], axis=-1)[..., ::-1] - law
    cdf[remaining <= 0] = 1.0
    return cdf


def iota(game: Game, episodes: int, p: float, where: str = "theorem") -> float:
    """ι = log(2 N S A_max K T / p) in the theorem; the lemma has 4 in place of 2."""
    factor = {"theorem": 2, "lemma": 4}[where]
    return math.log(factor * game.N * game.S * game.A_max * episodes * game.T) - math.log(p)


def bonus(T: int, A_i: int, iota: float, multiplier: float) -> float:
    """b_c̃ · √c̃ = multiplier · √(T² A_i ι) (Algorithm 1, line 14, with multiplier 4)."""
    return multiplier * math.sqrt(T**2 * A_i * iota)


def rate(game: Game, episodes: int, p: float) -> float:
    """√(S A_max T⁵ ι / K): the theorem's bound on ε up to its unstated constant, normalised."""
    S, A, T = game.S, game.A_max, game.T
    return math.sqrt(S * A * T**5 * iota(game, episodes, p) / episodes)
