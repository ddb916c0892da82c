"""Claims with their verdicts: judged from tables, as data and as pages."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from amg.claims.entries import Claim
from amg.claims.lookup import Tables
from amg.claims.rules import RULES
from amg.claims.verdict import NOT_TESTABLE, THRESHOLDS, VERDICTS, NotTestable, Verdict
from amg.claims.words import sentence
from amg.errors import FileError

Judged = dict[str, Any]
KEYS = (
    "id", "title", "where", "statement", "measured", "criterion", "command", "table", "figure",
    "verdict", "caveat", "why", "number", "interval", "seeds",
)  # fmt: skip


def judge(claim: Claim, tables: Tables) -> Verdict:
    """The verdict of the claim's rule; what is not in the study makes it not testable."""
    try:
        return RULES[claim.rule](tables, **claim.thresholds)
    except NotTestable as reason:
        return Verdict(NOT_TESTABLE, sentence([str(reason)]) or "")
    except KeyError as error:
        return Verdict(NOT_TESTABLE, f"A table of this study lacks the column {error}.")
    except (ValueError, TypeError, ArithmeticError, IndexError) as error:
        said = " ".join(str(error).split())
        raise FileError(
            f"claim {claim.id}: the table {claim.table}, or another that its rule reads, holds "
            f"what cannot be ({said}); make the tables again"
        ) from None


def judge_all(claims: Sequence[Claim], tables: Tables) -> list[Judged]:
    """Every claim as one plain mapping with `KEYS`."""
    judged = []
    for claim in claims:
        known = vars(claim) | dataclasses.asdict(judge(claim, tables))
        judged.append({key: known[key] for key in KEYS})
    return judged


def as_json(judged: Sequence[Judged]) -> str:
    return json.dumps(list(judged), indent=2, ensure_ascii=False) + "\n"


def tally(judged: Sequence[Judged]) -> str:
    """How many claims have which verdict."""
    counts = Counter(claim["verdict"] for claim in judged)
    parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    return f"{len(judged)} claims: {parts}."


def page(judged: Sequence[Judged]) -> str:
    """All that is known of every claim, to be read."""
    parts = ["# The paper's claims, checked\n", f"{tally(judged)} {THRESHOLDS}\n"]
    for claim in judged:
        measured = claim["number"] + (f" {claim['interval']}" if claim["interval"] else "")
        seeds = f" ({claim['seeds']} seeds)" if claim["seeds"] else ""
        shown = f", figure `{claim['figure']}`" if claim["figure"] else ""
        caveat = f"- Caveat: {claim['caveat']}\n" if claim["caveat"] else ""
        parts.append(
            f"## {claim['title']}: {claim['verdict']}\n\n"
            f"> {claim['statement']}\n> ({claim['where']})\n\n"
            f"- Measured: {claim['measured']}\n"
            f"- Would count as reproduced: {claim['criterion']}\n"
            f"- Found: {measured}{seeds}\n"
            f"- Why: {claim['why']}\n{caveat}"
            f"- From: `{claim['command']}`, table `{claim['table']}`{shown}\n"
        )
    return "\n".join(parts)


def compact(judged: Sequence[Judged], figures: str = "figures") -> str:
    """One row for each claim, for the README; `figures` is where the pictures are."""
    lines = ["| claim | verdict | number | figure |", "| --- | --- | --- | --- |"]
    for claim in judged:
        measured = claim["number"] + (f" {claim['interval']}" if claim["interval"] else "")
        link = f"[{claim['figure']}]({figures}/{claim['figure']}.png)" if claim["figure"] else "—"
        cells = (f"{claim['title']} ({claim['where']})", f"**{claim['verdict']}**", measured, link)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + f"\n\n{tally(judged)} {THRESHOLDS}\n"
