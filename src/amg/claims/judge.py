"""Judge claims by their rules. A judged claim is one typed object, written to claims.json.

---
Judge claims and write the results: claims.json, a page, a table for the README, findings.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from amg.base.errors import FileError
from amg.base.files import printable, read_text, write_text
from amg.base.text import markdown_table, sentence
from amg.claims.entries import RULES, Claim, read_claims
from amg.claims.evidence import (
    CAVEAT,
    NOT_TESTABLE,
    SIGNS,
    THRESHOLDS,
    VERDICTS,
    Evidence,
    NotTestable,
    Tables,
    Verdict,
    Word,
)
from amg.claims.findings import Roles, findings
from amg.tables import TABLES
from amg.tables.tidy import read_table

LARGEST = 4 << 20  # bytes of a claims.json


@dataclass(frozen=True, config=ConfigDict(strict=True, extra="forbid"))
class JudgedClaim:
    """A claim of the paper and its verdict; the fields are the keys of claims.json."""

    id: str
    title: str
    where: str  # in the paper
    statement: str
    measured: str
    criterion: str
    command: str
    table: str
    figure: str | None
    verdict: Word
    caveat: str | None  # if and only if the verdict has one
    why: str
    number: str
    interval: str | None
    seeds: int | None

    def __post_init__(self) -> None:
        if (self.caveat is not None) != (self.verdict == CAVEAT):
            raise ValueError(f"the verdict {self.verdict!r} and the caveat do not fit together")

    @property
    def sign(self) -> str:
        """Return the sign of the verdict: ✓, ≈, ✗ or ?."""
        return SIGNS[self.verdict]

    @property
    def kind(self) -> str:
        """Return the verdict as a CSS class."""
        return self.verdict.replace(" ", "-")

    @property
    def result(self) -> str:
        """Return the number and its interval."""
        return f"{self.number} {self.interval or ''}".rstrip()


def judge(claim: Claim, tables: Tables) -> Verdict:
    """Return the verdict of the claim's rule; missing tables or rows make it not testable."""
    try:
        return RULES[claim.rule](Evidence(tables), **claim.thresholds)
    except NotTestable as reason:
        return Verdict(NOT_TESTABLE, sentence([str(reason)]) or "")
    except KeyError as error:
        return Verdict(NOT_TESTABLE, f"A table of this study lacks the column {error}.")
    except (ValueError, TypeError, ArithmeticError, IndexError) as error:
        problem = " ".join(str(error).split())
        raise FileError(
            f"claim {claim.id}: the table {claim.table}, or another that its rule reads, holds "
            f"an impossible value ({problem}); make the tables again"
        ) from None


def judge_all(claims: Sequence[Claim], tables: Tables) -> list[JudgedClaim]:
    """Return every claim with its verdict.

    Parameters
    ----------
    claims : sequence of Claim
        The entries of config/claims.yaml.
    tables : mapping of str to DataFrame
        The tables of the study.
    """
    judged = []
    for claim in claims:
        values = dataclasses.asdict(judge(claim, tables))
        own = (name for name in JudgedClaim.__dataclass_fields__ if name not in values)
        judged.append(JudgedClaim(**{name: getattr(claim, name) for name in own}, **values))
    return judged


def to_json(judged: Sequence[JudgedClaim]) -> str:
    """Return the text of claims.json."""
    entries = [dataclasses.asdict(claim) for claim in judged]
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def from_json(text: str, name: str) -> list[JudgedClaim]:
    """Return the claims of a claims.json; `name` is the file's name in messages."""
    try:
        return TypeAdapter(list[JudgedClaim]).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        problem = " ".join(f"{key} {first['msg']}".split())
        raise FileError(f"{name}: {problem}; make it again with `make claims`") from None


def read_judged(path: Path) -> list[JudgedClaim]:
    """Return the claims of a claims.json file."""
    return from_json(read_text(path, LARGEST), printable(path))


# ===== claims/report


def write_claims(
    claims: Path,
    tables: Mapping[str, Path],
    roles: Mapping[str, Any],
    output: Mapping[str, Path],
    log: TextIO,
) -> None:
    """Judge the claims of a file from table files and write what came out.

    Parameters
    ----------
    claims : Path
        The file config/claims.yaml.
    tables : mapping of str to Path
        The tables of the study by name.
    roles : mapping
        The fields of `amg.claims.findings.Roles`.
    output : mapping of str to Path
        Where to write `json`, `page`, `compact` and `findings`.
    log : file
        Gets the number of claims with each verdict.
    """
    frames = {name: read_table(path, TABLES[name].columns) for name, path in tables.items()}
    judged = judge_all(read_claims(claims), frames)
    write_text(output["json"], to_json(judged))
    write_text(output["page"], page(judged))
    write_text(output["compact"], compact(judged, str(output["compact"].parent)))
    write_text(output["findings"], findings(frames, Roles(**roles)))
    print(tally(judged), file=log)


def tally(judged: Sequence[JudgedClaim]) -> str:
    """Return how many claims have which verdict."""
    counts = Counter(claim.verdict for claim in judged)
    parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    return f"{len(judged)} claims: {parts}."


def page(judged: Sequence[JudgedClaim]) -> str:
    """Return all that is known of every claim."""
    sections = (_section(claim) for claim in judged)
    return "\n".join(
        ["# The paper's claims, checked\n", f"{tally(judged)} {THRESHOLDS}\n", *sections]
    )


def _section(claim: JudgedClaim) -> str:
    seeds = f" ({claim.seeds} seeds)" if claim.seeds else ""
    figure = f", figure `{claim.figure}`" if claim.figure else ""
    caveat = f"- Caveat: {claim.caveat}\n" if claim.caveat else ""
    return (
        f"## {claim.title}: {claim.verdict}\n\n"
        f"> {claim.statement}\n> ({claim.where})\n\n"
        f"- Measured: {claim.measured}\n"
        f"- Would count as reproduced: {claim.criterion}\n"
        f"- Found: {claim.result}{seeds}\n"
        f"- Why: {claim.why}\n{caveat}"
        f"- From: `{claim.command}`, table `{claim.table}`{figure}\n"
    )


def compact(judged: Sequence[JudgedClaim], figures: str = "figures") -> str:
    """Return a table with a row for each claim; `figures` is the directory of the pictures."""
    cells = []
    for claim in judged:
        link = f"[{claim.figure}]({figures}/{claim.figure}.png)" if claim.figure else "—"
        row = (f"{claim.title} ({claim.where})", f"**{claim.verdict}**", claim.result, link)
        cells.append([cell.replace("|", "\\|") for cell in row])
    table = markdown_table(("claim", "verdict", "number", "figure"), cells)
    return f"{table}\n\n{tally(judged)} {THRESHOLDS}\n"
