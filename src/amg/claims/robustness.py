"""How robust verdicts are: in which share of the multiverse's universes a claim holds.

`make multiverse` writes the shares. The study shows them beside its verdicts, as long as both were
judged by the same thresholds, rules and analysis (`frozen`).
"""

from pathlib import Path

from pydantic import Field, TypeAdapter, ValidationError

from amg.base.errors import FileError
from amg.base.files import read_text, write_text
from amg.base.text import number, percent
from amg.inputs.models import Model

LARGEST = 4 << 20  # bytes of the file


class Robustness(Model, strict=True):
    """In which share of universes a claim holds."""

    id: str  # of the claim
    universes: int  # that can tell
    untestable: int
    holding: int  # reproduced, with or without a caveat
    share: float
    low: float  # interval over seeds
    high: float
    study: str  # the verdict in the universe that has the study's readings
    hangs_on: str | None  # the choice that moves the share most, with the share of each reading

    @property
    def text(self) -> str:
        """The share as text: 62% of 251 [58%, 66%]."""
        bounds = f"[{percent(self.low)}, {percent(self.high)}]"
        return f"{percent(self.share)} of {number(self.universes)} {bounds}"


class RobustnessFile(Model, strict=True):
    """The shares of all claims, and what they were judged by."""

    judged_by: dict[str, str] = Field(description="Digests of `amg.claims.frozen`")
    shares: list[Robustness]


def write_robustness(path: Path, judged_by: dict[str, str], shares: list[Robustness]) -> None:
    """Write the shares, with the digests of what they were judged by."""
    file = RobustnessFile(judged_by=judged_by, shares=shares)
    write_text(path, file.model_dump_json(indent=2) + "\n")


def read_robustness(path: Path) -> RobustnessFile:
    """Return the shares that a multiverse has left."""
    try:
        return TypeAdapter(RobustnessFile).validate_json(read_text(path, LARGEST))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise FileError(
            f"{path}: {place} {first['msg']}; make it again with `make multiverse`"
        ) from None
