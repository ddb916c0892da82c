"""How robust verdicts are: in which share of the multiverse's universes a claim holds.

`make multiverse` writes the shares. The study shows them beside its verdicts, as long as both were
judged by the same thresholds, rules and analysis (`frozen`).
"""

from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from amg.base.errors import FileError
from amg.base.files import read_text, write_text
from amg.base.text import join_words, number, percent
from amg.inputs.models import Model

LARGEST = 4 << 20  # bytes of the file


def _known(value: Any) -> Any:
    """Return a number, or None in place of NaN, which JSON does not have."""
    return None if value != value else value


Share = Annotated[float | None, BeforeValidator(_known)]  # None if nothing can tell


class Robustness(Model, strict=True):
    """In which share of universes a claim holds."""

    id: str  # of the claim
    universes: int  # that can tell
    untestable: int
    holding: int  # reproduced, with or without a caveat
    share: Share
    low: Share  # interval over seeds
    high: Share
    study: str  # the verdict in the universe that has the study's readings
    hangs_on: str | None  # the crossed choice that moves the share most, and each reading's share
    flipped_by: list[str]  # readings that by themselves turn the study's verdict

    @property
    def text(self) -> str:
        """The share as text: 62% of 251 [58%, 66%], without an interval that is not known."""
        share = "none" if self.share is None else _percent(self.share)
        text = f"{share} of {number(self.universes)}"
        if self.low is None or self.high is None:
            return text
        return f"{text} [{percent(self.low)}, {percent(self.high)}]"

    @property
    def reasons(self) -> str:
        """What the verdict depends on, as text; empty if on nothing."""
        parts = [f"depends most on {self.hangs_on}"] if self.hangs_on else []
        if self.flipped_by:
            which = "each of these" if len(self.flipped_by) > 1 else "one reading"
            parts.append(f"{which} alone changes the verdict: {join_words(self.flipped_by)}")
        return "; ".join(parts)


class RobustnessFile(Model, strict=True):
    """The shares of all claims, and what they were judged by."""

    judged_by: dict[str, str] = Field(description="Digests of `amg.claims.frozen`")
    shares: list[Robustness]


def _percent(share: float) -> str:
    """Return a percentage; 0% and 100% mean none and all."""
    rounded = percent(share)
    if rounded == "0%" and share > 0:
        return "<1%"
    return ">99%" if rounded == "100%" and share < 1 else rounded


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
