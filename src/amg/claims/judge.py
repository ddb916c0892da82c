"""Judge claims by their rules, and write the results as data, as pages and as findings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from amg.base.errors import FileError
from amg.base.files import write_text
from amg.base.text import capitalise, join_words
from amg.claims.entries import RULES, Claim, Statement, read_claims
from amg.claims.evidence import VERDICTS, Evidence, NotTestable, Tables, Verdict
from amg.claims.findings import findings
from amg.claims.frozen import changed, digests, read_frozen, status
from amg.claims.judgement import JudgedClaim, Judgement, read_judged, to_json
from amg.claims.robustness import read_robustness
from amg.tables import TABLES
from amg.tables.tidy import read_table


def write_claims(
    files: Mapping[str, Sequence[Path]], spec: Mapping[str, Any], output: Mapping[str, Path],
    log: TextIO,
) -> None:  # fmt: skip
    """Judge the claims of a file from table files and write what came out.

    Parameters
    ----------
    files
        Lists of files: `claims` and `tables`; if they exist, `shares` of the multiverse and
        `confirmation`, the claims.json of the confirmatory study.
    spec
        `root` of the project, `roles` of learners in the findings, and `names` of claims.yaml with
        what they are in this study.
    output
        Where to write `json`, `page` and `findings`.
    log
        Gets the number of claims with each verdict.
    """
    tables = {path.stem: read_table(path, TABLES[path.stem].columns) for path in files["tables"]}
    judged_by = digests(Path(spec["root"]))
    claims = judge_all(read_claims(files["claims"][0], spec["names"]), tables)
    judgement = Judgement(judged_by=judged_by, status="exploratory", claims=claims)
    judgement = _with_robustness(judgement, files.get("shares", ()), log)
    judgement = _with_confirmation(judgement, files.get("confirmation", ()), Path(spec["root"]))
    write_text(output["json"], to_json(judgement))
    write_text(output["page"], page(judgement))
    write_text(output["findings"], findings(tables, judgement.claims, **spec["roles"]))
    print(tally(claims), file=log)


def _with_robustness(judgement: Judgement, files: Sequence[Path], log: TextIO) -> Judgement:
    """Return the claims with their shares of universes, if these were judged in the same way."""
    for path in files:
        found = read_robustness(path)
        parts = [p for p in changed(found.judged_by, judgement.judged_by) if p != CONFIRMATORY]
        if parts:
            verb = f"{join_words(parts)} of the multiverse differ from those of this study"
            print(f"shares of universes left out: {verb}; run `make multiverse`", file=log)
            continue
        shares = {one.id: one for one in found.shares}
        return _updated(judgement, "robustness", shares)
    return judgement


def _with_confirmation(judgement: Judgement, files: Sequence[Path], root: Path) -> Judgement:
    """Return the claims with the verdicts of the confirmatory study, and its status."""
    for path in files:
        there = read_judged(path)
        fields = set(Verdict.model_fields)
        verdicts = {c.id: Verdict(**c.model_dump(include=fields)) for c in there.claims}
        judgement = _updated(judgement, "confirmation", verdicts)
        found = status(read_frozen(root), judgement.judged_by, there.judged_by)
        return judgement.model_copy(update={"status": found})
    return judgement


CONFIRMATORY = "confirmatory study"  # a part of what is frozen that the multiverse does not use


def _updated(judgement: Judgement, field: str, values: Mapping[str, Any]) -> Judgement:
    claims = [c.model_copy(update={field: values.get(c.id)}) for c in judgement.claims]
    return judgement.model_copy(update={"claims": claims})


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


def tally(judged: Sequence[JudgedClaim]) -> str:
    """Return how many claims have which verdict."""
    counts = Counter(claim.verdict for claim in judged)
    parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    return f"{len(judged)} claims: {parts}."


def page(judgement: Judgement) -> str:
    """Return a page in Markdown with a section for each claim."""
    head = f"# The paper's claims, checked\n\n{tally(judgement.claims)} {judgement.caution}\n"
    return "\n".join([head, *map(_section, judgement.claims)])


def _section(claim: JudgedClaim) -> str:
    seeds = f" ({claim.seeds} seeds)" if claim.seeds else ""
    figure = f", figure `{claim.figure}`" if claim.figure else ""
    caveat = f"- Caveat: {claim.caveat}\n" if claim.caveat else ""
    confirmed, robust = claim.confirmation, claim.robustness
    more = (
        f"- On new seeds and games: {confirmed.verdict}, {confirmed.result}\n" if confirmed else ""
    )
    if robust:
        hangs = f"; {robust.reasons}" if robust.reasons else ""
        more += f"- In all readings: holds in {robust.text} universes{hangs}\n"
    return (
        f"## {claim.title}: {claim.verdict}\n\n"
        f"> {claim.statement}\n> ({claim.where})\n\n"
        f"- Measured: {claim.measured}\n"
        f"- Would count as reproduced: {claim.criterion}\n"
        f"- Found: {claim.result}{seeds}\n"
        f"- Why: {claim.why}\n{caveat}{more}"
        f"- From: `{claim.command}`, table `{claim.table}`{figure}\n"
    )
