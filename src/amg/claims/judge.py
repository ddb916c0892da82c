"""Judge claims by their rules, and write the results as data, as pages and as findings."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from pydantic import TypeAdapter, ValidationError

from amg.base.errors import FileError
from amg.base.files import printable, read_text, write_text
from amg.base.text import capitalise, markdown_table
from amg.claims.entries import RULES, Claim, Statement, read_claims
from amg.claims.evidence import THRESHOLDS, VERDICTS, Evidence, NotTestable, Tables, Verdict
from amg.claims.findings import findings
from amg.tables import TABLES
from amg.tables.tidy import read_table

LARGEST = 4 << 20  # bytes of a claims.json


class JudgedClaim(Verdict, Statement):
    """A claim of the paper and its verdict; the fields are the keys of claims.json."""


def write_claims(
    claims: Path,
    tables: Mapping[str, Path],
    roles: Mapping[str, Any],
    output: Mapping[str, Path],
    log: TextIO,
) -> None:
    """Judge the claims of a file from table files and write what came out.

    `roles` names the learners that the findings compare. `output` says where to write `json`,
    `page`, `compact` and `findings`. The log gets the number of claims with each verdict.
    """
    frames = {name: read_table(path, TABLES[name].columns) for name, path in tables.items()}
    judged = judge_all(read_claims(claims), frames)
    write_text(output["json"], to_json(judged))
    write_text(output["page"], page(judged))
    write_text(output["compact"], compact(judged, str(output["compact"].parent)))
    write_text(output["findings"], findings(frames, **roles))
    print(tally(judged), file=log)


def judge_all(claims: Sequence[Claim], tables: Tables) -> list[JudgedClaim]:
    """Return every claim with its verdict."""
    return [judge(claim, tables) for claim in claims]


def judge(claim: Claim, tables: Tables) -> JudgedClaim:
    """Return the claim with the verdict of its rule; missing rows make it not testable."""
    try:
        verdict = RULES[claim.rule](Evidence(tables), **claim.thresholds)
    except NotTestable as reason:
        verdict = Verdict(why=f"{capitalise(str(reason))}.")
    except (ValueError, TypeError, ArithmeticError, LookupError) as error:
        problem = " ".join(str(error).split())
        raise FileError(
            f"claim {claim.id}: the table {claim.table}, or another that its rule reads, holds "
            f"an impossible value ({problem}); make the tables again"
        ) from None
    statement = claim.model_dump(include=set(Statement.model_fields))
    return JudgedClaim(**statement, **verdict.model_dump())


def to_json(judged: Sequence[JudgedClaim]) -> str:
    """Return the text of claims.json."""
    entries = [claim.model_dump() for claim in judged]
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def read_judged(path: Path) -> list[JudgedClaim]:
    """Return the claims of a claims.json file."""
    text = read_text(path, LARGEST)
    try:
        return TypeAdapter(list[JudgedClaim]).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        keys = [*first["loc"], first.get("ctx", {}).get("key", "")]
        problem = " ".join(f"{'.'.join(map(str, keys))} {first['msg']}".split())
        raise FileError(f"{printable(path)}: {problem}; make it again with `make claims`") from None


def tally(judged: Sequence[JudgedClaim]) -> str:
    """Return how many claims have which verdict."""
    counts = Counter(claim.verdict for claim in judged)
    parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    return f"{len(judged)} claims: {parts}."


def page(judged: Sequence[JudgedClaim]) -> str:
    """Return a page in Markdown with a section for each claim."""
    head = f"# The paper's claims, checked\n\n{tally(judged)} {THRESHOLDS}\n"
    return "\n".join([head, *map(_section, judged)])


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
