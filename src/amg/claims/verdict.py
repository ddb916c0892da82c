"""A verdict: one of four words, the number it rests on, and the reason in a sentence."""

from __future__ import annotations

from typing import Annotated, Literal, Self, get_args

from pydantic import Field

from amg.inputs.models import Model, Text

Names = Annotated[list[Text], Field(min_length=1)]  # of games or learners: a threshold of a rule

Word = Literal["reproduced", "reproduced with a caveat", "not reproduced", "not testable"]
VERDICTS: tuple[Word, ...] = get_args(Word)
REPRODUCED, CAVEAT, NOT_REPRODUCED, NOT_TESTABLE = VERDICTS
SIGNS = dict(zip(VERDICTS, "✓≈✗?", strict=True))  # so that no reader needs to see colours
THRESHOLDS = (  # printed wherever verdicts are printed
    "The paper states no thresholds. Ours stand in config/claims.yaml; they were chosen after a "
    "first look at the study's tables, so a verdict that hangs on one of them is no preregistered "
    "test."
)


class Verdict(Model, strict=True):
    """What a rule returns. It begins with what was measured, then calls one of the methods."""

    verdict: Word = NOT_TESTABLE
    caveat: str | None = None  # only if the verdict is `CAVEAT`
    why: str = ""  # a sentence with the numbers behind the verdict
    number: str = "—"  # with its unit
    interval: str | None = None
    seeds: int | None = None

    @property
    def result(self) -> str:
        """The number and its interval."""
        return f"{self.number} {self.interval or ''}".rstrip()

    def reproduced(self, why: str, caveat: str | None = None) -> Self:
        """Return the verdict "reproduced", with the caveat if there is one."""
        verdict = CAVEAT if caveat else REPRODUCED
        return self.model_copy(update={"verdict": verdict, "why": why, "caveat": caveat})

    def not_reproduced(self, why: str) -> Self:
        """Return the verdict "not reproduced"."""
        return self.model_copy(update={"verdict": NOT_REPRODUCED, "why": why})
