"""The model of game files (docs/game-files.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, FailFast, Field, WrapValidator

from amg.base.rational import exact
from amg.inputs.models import Exact, Model, Real, Text, Whole

FORMAT = "amg-game/1"
EVERYONE = "all"  # every agent that has no entry of its own
MAX_STEPS = 10_000

Entry = TypeVar("Entry")


def _check_sums(texts: Any, read: Callable[[Any], dict[Fraction, Entry]]) -> dict[Fraction, Entry]:
    """Refuse two spellings of one sum."""
    entries = read(texts)
    if len(entries) < len(texts):
        twice, _ = Counter(map(exact, texts)).most_common(1)[0]
        raise ValueError(f"the sum {twice} is there twice; keep one")
    return entries


def _check_steps(steps: list[StepEntry]) -> list[StepEntry]:
    total = sum(step.repeat for step in steps)
    if total > MAX_STEPS:
        raise ValueError(f"makes {total} steps; at most {MAX_STEPS} can be read")
    return steps


# FailFast: a large file with a million mistakes does not make a million errors.
ByName = Annotated[dict[str, Entry], Field(min_length=1), FailFast()]
BySum = Annotated[dict[Exact, Entry], Field(min_length=1), FailFast(), WrapValidator(_check_sums)]
Law = ByName[Annotated[Real, Field(ge=0, le=1)]]


class StateEntry(Model):
    """One state of a step."""

    actions: ByName[ByName[Exact]] = Field(
        description="{agent or all: {action: effort}}, in the order of the tables"
    )
    rewards: ByName[ByName[BySum[Real]]] = Field(
        description="{agent or all: {action: {sum of the others' efforts: pay}}}"
    )
    transitions: BySum[Law] = Field(
        default={},
        description="{sum of all efforts: {state of the next step: probability}}; "
        "absent at the last step",
    )


class StepEntry(Model):
    """One step, or several equal ones in a row."""

    repeat: Whole = Field(
        default=1, ge=1, le=MAX_STEPS, description="How many times in a row the step is played"
    )
    states: ByName[StateEntry] = Field(description="States by name, in the order of the tables")


class EffortGrid(Model):
    """The grid of efforts: origin + unit · n with n = 0, 1, 2, …"""

    origin: Exact = Field(description="The least effort")
    unit: Exact = Field(gt=0, description="The distance between neighbouring efforts")


class Aggregator(Model):
    """A multiple of the sum of all efforts."""

    name: Text = Field(description="What the aggregate is called")
    scale: Exact = Field(gt=0, description="The aggregate is the sum of all efforts times this")


class GameFile(Model):
    """An aggregative Markov game (docs/game-files.md)."""

    format: Literal["amg-game/1"] = Field(description="The format of this file")
    name: Text = Field(description="Names the game in messages and results")
    description: str = Field(default="", description="Text for people")
    agents: Annotated[list[Text], FailFast()] = Field(
        min_length=1, description="Distinct names of agents"
    )
    aggregator: Literal["sum", "mean"] | Aggregator = Field(
        default="sum", description="What agents see: sum, mean or {name: text, scale: number}"
    )
    effort_grid: EffortGrid = Field(
        default=EffortGrid(origin=Fraction(0), unit=Fraction(1)),
        description="{origin: number, unit: number}; every effort is origin + unit · n, n ≥ 0",
    )
    reward_range: list[Real] = Field(
        min_length=2, max_length=2, description="[low, high]; every pay lies in it"
    )
    initial: Law = Field(description="{state of the first step: probability}")
    steps: Annotated[list[StepEntry], FailFast(), AfterValidator(_check_steps)] = Field(
        min_length=1, description="The steps, the first one first"
    )
