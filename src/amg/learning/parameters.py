"""The parameters of the algorithms, and the only list of algorithms.

To add an algorithm, write a learner (a subclass of `Learner`), its parameters (a subclass of
`Parameters`), and add the latter to `ALGORITHMS`. Importing this module loads no kernel: the class
of a learner is loaded when a run begins.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from amg.base.errors import ParameterError
from amg.base.rational import exact
from amg.base.text import choices, quote
from amg.game.model import Game

Only = tuple[str, tuple[str, ...]]  # another parameter, and its values for which this one is read
INTERVALS: dict[str, Callable[[float], bool]] = {
    "[0, 1]": lambda x: 0 <= x <= 1,
    "(0, 1]": lambda x: 0 < x <= 1,
    "[0, inf)": lambda x: 0 <= x < math.inf,
    "(0, inf)": lambda x: 0 < x < math.inf,
}


def choice(*words: str, doc: str, only: Only | None = None, reading: bool = False) -> Any:
    """Declare a parameter that is one of these words; the first is the default.

    A *reading* says how a line of the paper is understood. At its default it is no part of what a
    run is, so that a reading may be added without changing any run.
    """
    metadata = {"doc": doc, "choices": words, "only": only, "reading": reading}
    return field(default=words[0], metadata=metadata)


def number(default: float, interval: str, doc: str, only: Only | None = None) -> Any:
    """Declare a parameter that is a finite number in this interval."""
    return field(default=default, metadata={"doc": doc, "interval": interval, "only": only})


@dataclass(frozen=True)
class Parameters:
    """Base class of the parameters of an algorithm. The constructor checks all values."""

    algorithm: ClassVar[str]  # its name in configs, files and tables
    learner: ClassVar[str]  # the class that does the learning, as module.Class

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):
            value = self._checked(f.name, getattr(self, f.name), f.metadata)
            object.__setattr__(self, f.name, value)

    def _checked(self, name: str, value: Any, metadata: Mapping[str, Any]) -> float | str:
        """Return the value of a parameter, a number as a float."""
        place = f"{self.algorithm}: {name} ="
        if "choices" in metadata:
            if value not in metadata["choices"]:
                words = choices(metadata["choices"])
                raise ParameterError(f"{place} {quote(value)} is not one of {words}")
            return str(value)
        try:
            x = float(value if isinstance(value, float) else exact(value))
        except (ValueError, OverflowError):
            remedy = "write it like 0.25 or 1e-3"
            raise ParameterError(f"{place} {quote(value)} is not a number; {remedy}") from None
        if not INTERVALS[metadata["interval"]](x):
            raise ParameterError(f"{place} {value} must lie in {metadata['interval']}")
        return x

    def check(self, game: Game) -> None:
        """Raise a ParameterError if the parameters do not fit this game."""

    def unread(self) -> set[str]:
        """Return the parameters that have no effect, given the values of the others."""
        only = {f.name: f.metadata["only"] for f in dataclasses.fields(self) if f.metadata["only"]}
        return {name for name, (key, values) in only.items() if getattr(self, key) not in values}

    def canonical(self) -> Self:
        """Return the parameters with those that have no effect at their defaults."""
        defaults = {f.name: f.default for f in dataclasses.fields(self)}
        return dataclasses.replace(self, **{name: defaults[name] for name in self.unread()})

    def as_dict(self) -> dict[str, float | str]:
        """Return names and values, without readings at their defaults."""
        return {
            f.name: getattr(self, f.name)
            for f in dataclasses.fields(self)
            if not (f.metadata.get("reading") and getattr(self, f.name) == f.default)
        }


CV: Only = ("fluctuation", ("cv",))
MAD: Only = ("fluctuation", ("mad",))
ADAPTIVE: Only = ("fluctuation", ("cv", "mad"))
VARYING: Only = ("schedule", ("linear", "geometric"))
CONSTANT: Only = ("rate_rule", ("constant",))


@dataclass(frozen=True)
class VLearning(Parameters):
    """Adaptive stage-based V-learning (Algorithm 1)."""

    algorithm: ClassVar[str] = "v_learning"
    learner: ClassVar[str] = "amg.learning.v_learner.VLearner"

    fluctuation: str = choice(
        "cv", "mad", "fixed", doc="fluctuation coefficient: Algorithm 2, Algorithm 3, or λ = 1"
    )
    lambda_min: float = number(
        0.9, "(0, 1]", "λ_min, in (T/(T+1), 1]; the paper gives no value", ADAPTIVE
    )
    cv_max: float = number(0.2, "(0, inf)", "CV_max of Algorithm 2; the paper gives no value", CV)
    mad_max: float = number(
        1.0, "(0, inf)", "MAD_max of Algorithm 3, in units of the aggregate", MAD
    )
    stage_rule: str = choice(
        "floor", "real", doc="stage length: ⌊ ⌋ at each update as printed, or kept real"
    )
    direction: str = choice(
        "formula", "comment", doc="calm means λ_min as in the formula, or 1 as in the comment",
        only=ADAPTIVE,
    )  # fmt: skip
    bonus: float = number(4.0, "[0, inf)", "multiplier of √(T² A_i ι / c̃); 4 as printed")
    p: float = number(0.05, "(0, 1]", "failure probability in ι")
    solver: str = choice("closed", "newton", doc="two actions: closed form or Newton's method")
    signal: str = choice(
        "sequence", "set", doc="D of line 7: every aggregate, or each distinct one once",
        only=ADAPTIVE, reading=True,
    )  # fmt: skip
    eta: str = choice(
        "printed", "next", doc="η of line 9: 2/√c̃, or 2/√(c̃+1) as Tsallis-INF has for visit c̃+1",
        reading=True,
    )  # fmt: skip
    iota: str = choice("theorem", "lemma", doc="ι: log(2NSAKT/p) or log(4NSAKT/p)", reading=True)
    actions: str = choice(
        "largest", "state", doc="A_i in the bonus: the agent's largest action set, or the one "
        "at hand", reading=True,
    )  # fmt: skip
    bandit: str = choice(
        "tsallis", "exponential", doc="lines 9 to 11: Tsallis-INF as printed, or exponential "
        "weights with implicit exploration", reading=True,
    )  # fmt: skip
    rewards: str = choice(
        "range", "largest", "raw", doc="rewards that agents learn from: the game's range mapped "
        "to [0, 1], divided by the largest, or as they are", reading=True,
    )  # fmt: skip

    def check(self, game: Game) -> None:
        limit = game.T / (game.T + 1)
        if self.fluctuation != "fixed" and not self.lambda_min > limit:
            raise ParameterError(
                f"{self.algorithm}: lambda_min = {self.lambda_min} must lie in (T/(T+1), 1] = "
                f"({limit:.6g}, 1] for the horizon T = {game.T} of game {game.name!r}"
            )
        if self.fluctuation == "cv" and game.aggregate_value(0) < 0:
            raise ParameterError(
                f"{self.algorithm}: fluctuation = cv needs aggregates ≥ 0 and game "
                f"{game.name!r} has negative ones; use mad or fixed"
            )


@dataclass(frozen=True)
class StageVLearning(VLearning):
    """Stage-based V-learning (Mao et al. 2022): Algorithm 1 with λ = 1."""

    algorithm: ClassVar[str] = "v_learning_stage"

    fluctuation: str = choice("fixed", doc="fluctuation coefficient: always λ = 1")


@dataclass(frozen=True)
class IncrementalVLearning(Parameters):
    """Incremental V-learning (Jin et al. 2021; Song et al. 2021)."""

    algorithm: ClassVar[str] = "v_learning_incremental"
    learner: ClassVar[str] = "amg.learning.incremental_learner.IncrementalLearner"

    bandit: str = choice(
        "exponential", "tsallis", doc="bandit at each step and state: exponential weights with "
        "implicit exploration as in the papers, or Tsallis-INF",
    )  # fmt: skip
    bonus: float = number(1.0, "[0, inf)", "multiplier c of √(T³ A_i ι / n); not given in them")
    rate: float = number(1.0, "(0, inf)", "multiplier of the bandit's learning rate η")
    p: float = number(0.05, "(0, 1]", "failure probability in ι")


@dataclass(frozen=True)
class OptimisticFTRL(Parameters):
    """Optimistic follow-the-regularised-leader with a known model (Zhang et al. 2022)."""

    algorithm: ClassVar[str] = "optimistic_ftrl"
    learner: ClassVar[str] = "amg.learning.optimistic_ftrl.OptimisticFTRLLearner"

    rate: float = number(1.0, "(0, inf)", "multiplier of the learning rate 1 / (4 T (N − 1))")


@dataclass(frozen=True)
class QLearning(Parameters):
    """What both baselines share: tabular Q-learning with a rate and an exploration rule."""

    learner: ClassVar[str] = "amg.learning.q_learner.QLearner"
    joint: ClassVar[bool]  # one learner for all agents, instead of one for each
    LEAST: ClassVar[float] = 1e-300  # of ε in a geometric schedule, which divides by it

    rate_rule: str = choice(
        "decaying", "constant", "harmonic",
        doc="learning rate at the n-th visit: (T+1)/(T+n), `rate`, or 1/n",
    )  # fmt: skip
    rate: float = number(0.1, "(0, 1]", "the constant learning rate", CONSTANT)
    start: str = choice("zero", "optimistic", doc="first Q: 0, or the most that can be earned")
    epsilon: float = number(0.1, "[0, 1]", "chance of a random action in the first episode")
    epsilon_end: float = number(
        0.01, "[0, 1]", "the same in the last episode, unless the schedule is constant", VARYING
    )
    schedule: str = choice(
        "constant", "linear", "geometric", doc="ε between the first and the last episode"
    )

    def check(self, game: Game) -> None:
        ends = self.epsilon, self.epsilon_end
        if self.schedule == "geometric" and min(ends) < self.LEAST:
            raise ParameterError(
                f"{self.algorithm}: schedule = geometric needs epsilon and epsilon_end of at least "
                f"{self.LEAST:g}, not {ends[0]} and {ends[1]}"
            )


@dataclass(frozen=True)
class CentralizedQ(QLearning):
    """Q-learning on the joint action for the sum of rewards: the paper's centralized oracle."""

    algorithm: ClassVar[str] = "centralized_q"
    joint: ClassVar[bool] = True
    LARGEST: ClassVar[int] = 1 << 22  # entries of the joint table

    def check(self, game: Game) -> None:
        super().check(game)
        joint = max(math.prod(menus) for state in game.n_actions.tolist() for menus in state)
        if joint * game.T * game.S > self.LARGEST:
            raise ParameterError(
                f"centralized_q: game {game.name!r} has up to 10^{math.log10(joint):.1f} joint "
                f"actions in each of {game.T} × {game.S} steps and states, too many for a table "
                f"of {self.LARGEST} entries; use fewer agents"
            )


@dataclass(frozen=True)
class IndependentQ(QLearning):
    """Each agent runs Q-learning on its own action and reward, as if alone."""

    algorithm: ClassVar[str] = "independent_q"
    joint: ClassVar[bool] = False


ALGORITHMS: dict[str, type[Parameters]] = {
    kind.algorithm: kind
    for kind in (
        VLearning,
        StageVLearning,
        IncrementalVLearning,
        OptimisticFTRL,
        CentralizedQ,
        IndependentQ,
    )
}


def make_parameters(algorithm: str, settings: Mapping[str, object]) -> Parameters:
    """Return the parameters of a named algorithm, with defaults for what is not set."""
    if algorithm not in tuple(ALGORITHMS):  # a tuple, for values that cannot be hashed
        raise ParameterError(
            f"algorithm = {quote(algorithm)} is not known; there are {choices(ALGORITHMS)}"
        )
    kind = ALGORITHMS[algorithm]
    known = [f.name for f in dataclasses.fields(kind)]
    for name in settings:
        if name not in known:
            problem = f"unknown parameter {name!r}; there are {choices(known)}"
            raise ParameterError(f"{algorithm}: {problem}")
    return kind(**dict(settings))
