"""The config of a study: one pydantic model, read from files laid over each other.

The workflow does not use Snakemake's `configfile:`. Snakemake's reader takes the last of two equal
keys, follows aliases, makes `no` a truth value and `1e5` a text, and cannot tell the line of a
mistake. The files are config/config.yaml, over it the same of another working directory, each
`--configfile`, over these each `--config`. A workflow that uses this one as a module gives its
values with `config:`.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import reduce
from itertools import count, pairwise, takewhile
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from amg.base.errors import ParameterError
from amg.base.rational import exact, whole_or_text
from amg.base.text import choices
from amg.inputs import document
from amg.inputs.document import Node, lay_over
from amg.inputs.models import Model, Real, Text, Whole, validate
from amg.learning.parameters import ALGORITHMS

CONFIG = Path("config/config.yaml")
REMEDY = "write at least one 'key: value', as in config/config.yaml"
SEED = (1 << 63) - 1  # the largest
SOURCES = ("config", "docs", "profiles", "reference", "src", "tests", "workflow")


def _distinct(values: list[str]) -> list[str]:
    seen: set[Fraction | str] = set()
    for value in values:
        key: Fraction | str = value
        with suppress(ValueError):
            key = exact(value)  # 0.1 and 0.10 are the same
        if key in seen:
            raise ValueError(f"{value!r} is there twice; keep one")
        seen.add(key)
    return values


def _learner(settings: dict[str, str]) -> dict[str, str]:
    algorithm = settings.get("algorithm")
    if algorithm not in ALGORITHMS:
        what = "key 'algorithm' is missing" if algorithm is None else f"algorithm = {algorithm!r}"
        raise ValueError(f"{what}; give one of {choices(ALGORITHMS)}")
    return settings


def _no_sources(directory: str) -> str:
    if directory.split("/")[0].lower() in SOURCES:
        raise ValueError(f"{directory!r} holds the sources; give another directory")
    return directory


def _ascending(episodes: list[int]) -> list[int]:
    if not episodes or any(b <= a for a, b in pairwise(episodes)):
        raise ValueError(f"numbers of episodes must ascend, not {episodes}")
    return episodes


Short = Annotated[Text, StringConstraints(max_length=100)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
Names = Annotated[list[Short], Field(min_length=1), AfterValidator(_distinct)]
Directory = Annotated[
    str,
    StringConstraints(max_length=100, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]*(/[A-Za-z0-9_-]+)*$"),
    AfterValidator(_no_sources),
]
Setting = Annotated[int | Short, BeforeValidator(whole_or_text)]
Learner = Annotated[dict[str, Short], AfterValidator(_learner)]
Episodes = Annotated[Whole, Field(ge=1, le=10**12)]
EpisodeList = Annotated[list[Episodes], Field(min_length=1), AfterValidator(_ascending)]
Seeds = Annotated[Whole, Field(ge=1, le=100_000)]


class GameEntry(Model):
    """A game: {builder: NAME, parameters: {…}} or {file: PATH.yaml}."""

    builder: Short | None = Field(None, description="Name of a builder")
    parameters: dict[str, Setting] = Field({}, description="The builder's parameters")
    file: Annotated[Text, StringConstraints(max_length=1000)] | None = Field(
        None, description="Path of a game file, from the working directory"
    )

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.builder is None) == (self.file is None):
            raise ValueError("needs exactly one of the keys builder, file")
        if self.file is not None and self.parameters:
            raise ValueError("a game file takes no parameters; edit the file instead")
        return self

    @property
    def spec(self) -> dict[str, Any]:
        """The entry as a job needs it."""
        if self.file is not None:
            return {"file": self.file}
        return {"builder": self.builder, "parameters": dict(self.parameters)}


class EpisodeRange(Model):
    """Numbers of episodes from a least to a largest, so many a decade."""

    first: Episodes = Field(alias="from", description="The least")
    last: Episodes = Field(alias="to", description="The largest")
    per_decade: Whole = Field(ge=1, le=100, description="How many a decade")

    @model_validator(mode="after")
    def _check(self) -> Self:
        _ascending(self.values())
        return self

    def values(self) -> list[int]:
        """Return the numbers, which grow by a constant factor, rounded."""
        grid = (round(self.first * 10 ** (j / self.per_decade)) for j in count())
        return list(takewhile(lambda value: value <= self.last, grid))


class Experiment(Model):
    """Games × learners × settings × numbers of episodes × seeds."""

    games: Names = Field(description="Names of `games`")
    learners: Names = Field(description="Names of `learners`")
    episodes: EpisodeList | EpisodeRange = Field(
        description="Ascending numbers of episodes, or {from, to, per_decade}"
    )
    vary: dict[str, Names] = Field({}, description="Parameters of the learners and their values")
    seeds: Seeds | None = Field(
        None, description="How many seeds here, if not as many as elsewhere"
    )
    record: Whole = Field(
        0, ge=0, le=10**7, description="How many episodes' returns a run keeps one by one"
    )


class Mechanism(Model):
    """The run that shows the adaptive stage mechanism, recorded in full."""

    game: Short = Field(description="A name of `games`")
    learner: Short = Field(description="A name of `learners`, with algorithm v_learning")
    episodes: Whole = Field(ge=1, le=10**6, description="Number of episodes, as 1000 or 1e3")
    seed: Whole = Field(ge=0, le=SEED, description="Its seed")


class Config(Model):
    """The config of a study."""

    seeds: Seeds = Field(20, description="How many seeds each run is made with")
    first_seed: Whole = Field(
        1, ge=0, le=10**9, description="The first of them; the others follow it: 1, 2, 3, …"
    )
    batch: Seeds = Field(
        10, description="Seeds that one training job makes; no result depends on it"
    )
    results: Directory = Field(
        "results", description="Directory of runs, tables and logs, below the working one"
    )
    figures: Directory = Field(
        "figures", description="Directory of the figures, below the working one"
    )
    sweep: Text | None = Field(None, description="Path of a sweep file to run instead of the study")
    multiverse: Text | None = Field(
        None, description="Path of a multiverse file to run instead of the study"
    )
    slope_decades: Real = Field(
        2, gt=0, le=12, description="Slopes are fitted over this many upper decades of K"
    )
    confidence: Real = Field(
        0.95, gt=0, le=0.9999, description="Confidence of the intervals over seeds"
    )
    games: dict[Name, GameEntry] = Field(
        min_length=1, description="Games by the names that experiments use"
    )
    learners: dict[Name, Learner] = Field(
        min_length=1,
        description="Learners by the names that experiments use: an algorithm and its parameters",
    )
    experiments: dict[Name, Experiment] = Field(
        description="What is run; rewards, sample-complexity and exploration feed the figures"
    )
    mechanism: Mechanism = Field(description="The run that shows the stage mechanism")
    names: dict[Short, Names] = Field(
        {}, description="Names of games and learners in claims.yaml, and what they are here"
    )


def read_config(
    files: Sequence[Path], settings: Sequence[str] = (), given: Mapping[str, Any] | None = None
) -> tuple[Config, Node]:
    """Return the config and the document it was read from, which knows the places of mistakes.

    `settings` are `key=value` of the command line, and `given` are values of a workflow that uses
    this one as a module. Each file is laid over those before it, the settings over the files, and
    the given values over everything.
    """
    layers = [_layer(path) for path in files]
    if settings:
        layers.append(_command_line(settings))
    if given:
        layers.append(document.from_plain(given, "config"))
    if not layers:
        raise ParameterError(f"there is no config; name one with --configfile, like {CONFIG}")
    root = reduce(lay_over, layers)
    return validate(Config, root), root


def _layer(path: Path) -> Node:
    """Return one file, named by its path from here."""
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return document.load(path, REMEDY)


def _command_line(settings: Sequence[str]) -> Node:
    """Return `key=value` settings as a document with one line for each."""
    for setting in settings:
        if "=" not in setting or not setting.isprintable():
            raise ParameterError(f"--config: {setting!r} is not of the form key=value")
    lines = (": ".join(setting.split("=", 1)) for setting in settings)
    return document.parse("\n".join(lines), "--config", REMEDY)
