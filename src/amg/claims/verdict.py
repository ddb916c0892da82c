"""A verdict: one of four words, the number it rests on, and a sentence."""

from __future__ import annotations

from dataclasses import dataclass

REPRODUCED = "reproduced"
CAVEAT = "reproduced with a caveat"
NOT_REPRODUCED = "not reproduced"
NOT_TESTABLE = "not testable"
VERDICTS = (REPRODUCED, CAVEAT, NOT_REPRODUCED, NOT_TESTABLE)
THRESHOLDS = (  # how far the verdicts can be trusted, said wherever they are shown
    "The paper states no thresholds. Ours stand in config/claims.yaml; they were chosen after a "
    "first look at the study's tables, so a verdict that hangs on one of them is no preregistered "
    "test."
)


@dataclass(frozen=True)
class Verdict:
    """What came of a claim; `caveat` is there if and only if the verdict has one."""

    verdict: str
    why: str  # one sentence with the numbers behind it
    number: str = "—"  # with its unit
    interval: str | None = None
    seeds: int | None = None
    caveat: str | None = None

    def __post_init__(self) -> None:
        assert self.verdict in VERDICTS, self.verdict
        assert (self.caveat is not None) == (self.verdict == CAVEAT), self


@dataclass(frozen=True)
class Evidence:
    """The measured side of a verdict, before it is judged."""

    number: str
    interval: str | None = None
    seeds: int | None = None

    def reproduced(self, why: str, caveat: str | None = None) -> Verdict:
        """Reproduced, with a caveat if there is one."""
        verdict = REPRODUCED if caveat is None else CAVEAT
        return Verdict(verdict, why, self.number, self.interval, self.seeds, caveat)

    def not_reproduced(self, why: str) -> Verdict:
        return Verdict(NOT_REPRODUCED, why, self.number, self.interval, self.seeds)

    def not_testable(self, why: str) -> Verdict:
        return Verdict(NOT_TESTABLE, why, self.number, self.interval, self.seeds)


class NotTestable(Exception):
    """Raised by a rule that does not find what it needs; the message is the reason."""
