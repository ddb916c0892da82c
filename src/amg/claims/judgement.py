"""Judged claims as data: claims.json."""

import json
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from amg.base.errors import FileError
from amg.base.files import printable, read_text
from amg.claims.entries import Statement
from amg.claims.evidence import Verdict
from amg.claims.frozen import Digests, total
from amg.claims.robustness import Robustness
from amg.inputs.models import Model

LARGEST = 4 << 20  # bytes of a claims.json


class JudgedClaim(Verdict, Statement):
    """A claim of the paper and its verdict, in this study and, if known, beyond it."""

    confirmation: Verdict | None = None  # on new seeds and games
    robustness: Robustness | None = None  # in all readings


class Judgement(Model, strict=True):
    """All claims with what they were judged by; the fields are the keys of claims.json."""

    judged_by: Digests  # of amg.claims.frozen
    status: str  # of the confirmation: confirmatory, or exploratory and why
    claims: list[JudgedClaim]

    @property
    def caution(self) -> str:
        """What a reader should know wherever verdicts are printed."""
        text = (
            "The paper states no thresholds. Ours stand in config/claims.yaml; they were chosen "
            "after a first look at the study's tables. "
        )
        if any(claim.confirmation for claim in self.claims):
            text += (
                "So they were frozen, and the claims judged again on new seeds and games "
                "(docs/confirmation.md); where the verdicts differ, the confirmatory one counts. "
                f"Status of the confirmation: {self.status}. "
            )
        else:
            text += "So a verdict that hangs on one of them is no preregistered test. "
        return f"{text}Judged by {total(self.judged_by)[:12]}."


def to_json(judgement: Judgement) -> str:
    """Return the text of claims.json."""
    return json.dumps(judgement.model_dump(), indent=2, ensure_ascii=False) + "\n"


def read_judged(path: Path) -> Judgement:
    """Return what a claims.json file holds."""
    text = read_text(path, LARGEST)
    try:
        return TypeAdapter(Judgement).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        keys = [*first["loc"], first.get("ctx", {}).get("key", "")]
        problem = " ".join(f"{'.'.join(map(str, keys))} {first['msg']}".split())
        raise FileError(f"{printable(path)}: {problem}; make it again with `make claims`") from None
