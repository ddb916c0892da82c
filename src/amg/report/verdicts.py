"""Claims with their verdicts, as the study's claims.json has them, and how a page shows them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amg.errors import FileError

# Told apart by word and sign; colour is a third.
SIGNS = {
    "reproduced": "✓",
    "reproduced with a caveat": "≈",
    "not reproduced": "✗",
    "not testable": "?",
}


@dataclass(frozen=True)
class Claim:
    """One claim of the paper, and what became of it. Empty text where there is nothing to say."""

    id: str
    title: str
    where: str
    statement: str
    measured: str
    criterion: str
    command: str
    table: str
    figure: str
    verdict: str
    caveat: str
    why: str
    number: str
    interval: str
    seeds: str

    @property
    def sign(self) -> str:
        return SIGNS[self.verdict]

    @property
    def kind(self) -> str:
        """The verdict as the name of a class."""
        return self.verdict.replace(" ", "-")


FIELDS = tuple(Claim.__dataclass_fields__)


def read_claims(path: Path) -> list[Claim]:
    """All claims, in the order of the file."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        said = " ".join(str(error).split())
        raise FileError(f"{path}: cannot be read as claims: {said}") from None
    if isinstance(entries, dict):  # beside them stands what they were made from
        entries = entries.get("claims")
    if not isinstance(entries, list):
        raise FileError(f"{path}: is no list of claims; make it again with `make claims`")
    return [claim(entry, f"{path}: claim {j}") for j, entry in enumerate(entries, 1)]


def claim(entry: Any, where: str = "claim") -> Claim:
    """One claim, checked."""
    if not isinstance(entry, Mapping) or not {"id", "title", "verdict"} <= entry.keys():
        raise FileError(f"{where}: lacks id, title or verdict; make it again with `make claims`")
    if entry["verdict"] not in SIGNS:
        raise FileError(
            f"{where}: verdict {entry['verdict']!r} is none of {', '.join(map(repr, SIGNS))}"
        )
    return Claim(**{name: _text(name, entry.get(name)) for name in FIELDS})


def _text(name: str, value: Any) -> str:
    """A value as a reader wants it: numbers short, an interval in brackets."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and name != "seeds":
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        inner = ", ".join(_text(name, item) for item in value)
        return f"[{inner}]" if name == "interval" else inner
    return str(value)
