"""The parameters of each algorithm: one typed, documented, checked dataclass each.

---
The learners: the only list of them.

A new learner is a module with its parameters and its learner class, and its name in the tuple below.
Importing this module loads no kernel: a learner's class is loaded when a run begins.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from amg.base.errors import ParameterError
from amg.base.rational import exact
from amg.base.text import choices
from amg.game.model import Game

Only = tuple[str, tuple[str, ...]]  # another parameter, and its values for which this one is read


def choice(default: str, *others: str, doc: str, only: Only | None = None) -> Any:
    """A field that takes one of a few words."""
    metadata = {"doc": doc, "choices": (default, *others), "only": only}
    return field(default=default, metadata=metadata)


def number(
    default: float,
    low: float,
    high: float,
    *,
    doc: str,
    open_low: bool = False,
    only: Only | None = None,
) -> Any:
    """A field that takes a finite number in [low, high], or (low, high]."""
    metadata = {"doc": doc, "bounds": (low, high, open_low), "only": only}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Parameters:
    """What the algorithms' parameters have in common: names, types and ranges are checked."""

    algorithm: ClassVar[str]  # its name in configs, files and tables
    learner: ClassVar[str]  # the class that does the learning, as module.Class

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if "choices" in f.metadata:
                self._check_choice(f.name, value, f.metadata["choices"])
            else:
                object.__setattr__(self, f.name, self._number(f.name, value, *f.metadata["bounds"]))

    def _check_choice(self, name: str, value: object, choices: tuple[str, ...]) -> None:
        if value not in choices:
            raise ParameterError(
                f"{self.algorithm}: {name} = {value!r} is not one of {', '.join(choices)}"
            )

    def _number(self, name: str, value: object, low: float, high: float, open_low: bool) -> float:
        """The value as a float, within its bounds."""
        try:
            if isinstance(value, bool) or not isinstance(value, int | float | str):
                raise ValueError
            x = float(exact(value) if isinstance(value, str) else value)  # not 1_0, not １０
        except (ValueError, OverflowError):
            shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}..."
            raise ParameterError(
                f"{self.algorithm}: {name} = {shown} is not a number; write it like 0.25 or 1e-3"
            ) from None
        if not (math.isfinite(x) and low <= x <= high and not (open_low and x == low)):
            bracket = "(" if open_low else "["
            end = ")" if high == math.inf else "]"
            raise ParameterError(
                f"{self.algorithm}: {name} = {value} must lie in {bracket}{low:g}, {high:g}{end}"
            )
        return x

    def check(self, game: Game) -> None:
        """Refuse what does not fit this game."""

    def unread(self) -> set[str]:
        """Names of the parameters that make no difference, the others being what they are."""
        return {
            f.name
            for f in dataclasses.fields(self)
            if f.metadata["only"]
            and getattr(self, f.metadata["only"][0]) not in f.metadata["only"][1]
        }

    def canonical(self) -> Self:
        """The parameters with all that make no difference at their defaults."""
        defaults = {f.name: f.default for f in dataclasses.fields(self)}
        return dataclasses.replace(self, **{name: defaults[name] for name in self.unread()})

    def as_dict(self) -> dict[str, float | str]:
        return dataclasses.asdict(self)


ADAPTIVE = ("fluctuation", ("cv", "mad"))


@dataclass(frozen=True)
class VLearning(Parameters):
    """Adaptive stage-based V-learning (Algorithm 1)."""

    algorithm: ClassVar[str] = "v_learning"
    learner: ClassVar[str] = "amg.learning.v_learner.VLearner"

    fluctuation: str = choice(
        "cv", "mad", "fixed", doc="fluctuation coefficient: Algorithm 2, Algorithm 3, or λ = 1"
    )
    lambda_min: float = number(
        0.9,
        0.0,
        1.0,
        open_low=True,
        doc="λ_min, in (T/(T+1), 1]; the paper gives no value",
        only=ADAPTIVE,
    )
    cv_max: float = number(
        0.2,
        0.0,
        math.inf,
        open_low=True,
        doc="CV_max of Algorithm 2; the paper gives no value",
        only=("fluctuation", ("cv",)),
    )
    mad_max: float = number(
        1.0,
        0.0,
        math.inf,
        open_low=True,
        doc="MAD_max of Algorithm 3, in units of the aggregate",
        only=("fluctuation", ("mad",)),
    )
    stage_rule: str = choice(
        "floor", "real", doc="stage length: ⌊ ⌋ at each update as printed, or kept real"
    )
    direction: str = choice(
        "formula",
        "comment",
        doc="calm means λ_min as in the formula, or 1 as in the comment",
        only=ADAPTIVE,
    )
    bonus: float = number(4.0, 0.0, math.inf, doc="multiplier of √(T² A_i ι / c̃); 4 as printed")
    p: float = number(0.05, 0.0, 1.0, open_low=True, doc="failure probability in ι")
    solver: str = choice("closed", "newton", doc="two actions: closed form or Newton's method")

    def check(self, game: Game) -> None:
        T = game.T
        if self.fluctuation != "fixed" and not self.lambda_min > T / (T + 1):
            raise ParameterError(
                f"v_learning: lambda_min = {self.lambda_min} must lie in (T/(T+1), 1] = "
                f"({T / (T + 1):.6g}, 1] for the horizon T = {T} of game {game.name!r}"
            )
        if self.fluctuation == "cv" and game.aggregate_value(0) < 0:
            raise ParameterError(
                f"v_learning: fluctuation = cv needs aggregates ≥ 0 and game {game.name!r} has "
                f"negative ones; use mad or fixed"
            )


@dataclass(frozen=True)
class QLearning(Parameters):
    """What both baselines share: tabular Q-learning with a rate and an exploration rule."""

    LEAST: ClassVar[float] = 1e-300  # of ε in a geometric schedule, whose ends are divided

    rate_rule: str = choice(
        "decaying", "constant", doc="learning rate: (T+1)/(T+n) at the n-th visit, or `rate`"
    )
    rate: float = number(
        0.1,
        0.0,
        1.0,
        open_low=True,
        doc="the constant learning rate",
        only=("rate_rule", ("constant",)),
    )
    start: str = choice("zero", "optimistic", doc="first Q: 0, or the most that can be earned")
    epsilon: float = number(0.1, 0.0, 1.0, doc="chance of a random action in the first episode")
    epsilon_end: float = number(
        0.01,
        0.0,
        1.0,
        doc="the same in the last episode, unless the schedule is constant",
        only=("schedule", ("linear", "geometric")),
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
    learner: ClassVar[str] = "amg.learning.q_learning.CentralizedQLearner"

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
    learner: ClassVar[str] = "amg.learning.q_learning.IndependentQLearner"


# ===== learning/registry

ALGORITHMS: dict[str, type[Parameters]] = {
    kind.algorithm: kind for kind in (VLearning, CentralizedQ, IndependentQ)
}


def make_parameters(algorithm: str, settings: Mapping[str, object]) -> Parameters:
    """Return the parameters of a named algorithm, with defaults where nothing is set."""
    if algorithm not in tuple(ALGORITHMS):  # a tuple, for values that cannot be hashed
        raise ParameterError(
            f"algorithm = {algorithm!r} is not known; there are {choices(ALGORITHMS)}"
        )
    kind = ALGORITHMS[algorithm]
    known = [f.name for f in dataclasses.fields(kind)]
    for name in settings:
        if name not in known:
            raise ParameterError(
                f"{algorithm}: unknown parameter {name!r}; there are {choices(known)}"
            )
    return kind(**dict(settings))
