"""The model of game files (docs/game-files.md)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import fsum
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, FailFast, Field, ValidationInfo, WrapValidator, field_validator

from amg.base.rational import exact
from amg.base.text import choices, quote
from amg.game.checks import PROBABILITY_TOLERANCE, range_problem
from amg.inputs.models import Exact, Model, Real, Text, Whole, mistake

FORMAT = "amg-game/1"
EVERYONE = "all"  # every agent that has no entry of its own
MAX_STEPS = 10_000

Entry = TypeVar("Entry")


def _said(info: ValidationInfo, key: str, otherwise: Any) -> Any:
    """Return what the file says under a key above `steps`; `GameFile` leaves it in the context."""
    return (info.context or {}).get(key, otherwise)


def _check_by_agent(entries: dict[str, Entry], info: ValidationInfo) -> dict[str, Entry]:
    agents = _said(info, "agents", entries)
    for key in entries:
        if key not in agents and key != EVERYONE:
            raise mistake(f"unknown agent; there are {choices(agents)} and '{EVERYONE}'", key)
    if EVERYONE in entries and len(entries) > len(agents):
        raise mistake("stands for no agent, as each has an entry of its own; remove it", EVERYONE)
    return entries


def _check_effort(effort: Fraction, info: ValidationInfo) -> Fraction:
    grid = _said(info, "effort_grid", UNIT_GRID)
    index = (effort - grid.origin) / grid.unit
    if index.denominator != 1 or index < 0:
        raise mistake(
            f"effort {effort} is off the grid {grid.origin} + {grid.unit}·n, n ≥ 0; "
            "change it or effort_grid"
        )
    return effort


def _check_pay(pay: float, info: ValidationInfo) -> float:
    low, high = _said(info, "reward_range", (pay, pay))
    if not low <= pay <= high:
        raise mistake(
            f"pay {pay} is outside reward_range [{low}, {high}]; correct it or widen the range"
        )
    return pay


def _check_law(law: dict[str, float]) -> dict[str, float]:
    total = fsum(law.values())
    if abs(total - 1) > PROBABILITY_TOLERANCE:
        raise mistake(f"probabilities sum to {total}, not 1; write thirds as 1/3")
    return law


def _check_sums(texts: Any, read: Callable[[Any], dict[Fraction, Entry]]) -> dict[Fraction, Entry]:
    entries = read(texts)
    if len(entries) < len(texts):
        sums = [exact(key) for key in texts]
        j = next(j for j, total in enumerate(sums) if total in sums[:j])
        raise mistake(f"the sum {sums[j]} is there twice; keep one", list(texts)[j])
    return entries


# FailFast: a large file with a million mistakes does not make a million errors.
ByName = Annotated[dict[str, Entry], Field(min_length=1), FailFast()]
ByAgent = Annotated[ByName[ByName[Entry]], AfterValidator(_check_by_agent)]
BySum = Annotated[dict[Exact, Entry], Field(min_length=1), FailFast(), WrapValidator(_check_sums)]
Law = Annotated[ByName[Annotated[Real, Field(ge=0, le=1)]], AfterValidator(_check_law)]
Effort = Annotated[Exact, AfterValidator(_check_effort)]
Pay = Annotated[Real, AfterValidator(_check_pay)]


class StateEntry(Model):
    """One state of a step."""

    actions: ByAgent[Effort] = Field(
        description="{agent or all: {action: effort}}, in the order of the tables"
    )
    rewards: ByAgent[BySum[Pay]] = Field(
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


UNIT_GRID = EffortGrid(origin=Fraction(0), unit=Fraction(1))


class GameFile(Model):
    """An aggregative Markov game (docs/game-files.md)."""

    format: Literal["amg-game/1"] = Field(description="The format of this file")
    name: Text = Field(description="Names the game in messages and results")
    description: str = Field(default="", description="Text for people")
    agents: Annotated[list[Text], FailFast()] = Field(
        min_length=1, description=f"Distinct names of agents; {EVERYONE!r} is reserved"
    )
    aggregator: Literal["sum", "mean"] | Aggregator = Field(
        default="sum", description="What agents see: sum, mean or {name: text, scale: number}"
    )
    effort_grid: EffortGrid = Field(
        default=UNIT_GRID,
        description="{origin: number, unit: number}; every effort is origin + unit · n, n ≥ 0",
    )
    reward_range: list[Real] = Field(
        min_length=2, max_length=2, description="[low, high]; every pay lies in it"
    )
    initial: Law = Field(description="{state of the first step: probability}")
    steps: Annotated[list[StepEntry], FailFast()] = Field(
        min_length=1, description="The steps, the first one first"
    )

    @field_validator("agents")
    @classmethod
    def _check_agents(cls, agents: list[str]) -> list[str]:
        taken = {EVERYONE}
        for j, name in enumerate(agents):
            if name in taken:
                raise mistake(f"agent name {quote(name)} is taken; give another", j)
            taken.add(name)
        return agents

    @field_validator("reward_range")
    @classmethod
    def _check_range(cls, bounds: list[float]) -> list[float]:
        problem = range_problem(*bounds)
        if problem:
            raise mistake(f"[{bounds[0]}, {bounds[1]}] {problem}")
        return bounds

    @field_validator("agents", "effort_grid", "reward_range")
    @classmethod
    def _keep(cls, value: Any, info: ValidationInfo) -> Any:
        """Keep what the steps, which are read last, must agree with."""
        if info.context is not None:
            kept = dict.fromkeys(value) if info.field_name == "agents" else value  # quick look-up
            info.context[info.field_name] = kept
        return value
