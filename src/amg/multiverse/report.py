"""What the multiverse leaves behind: tables of universes and choices, shares, and a page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from amg.base.files import write_text
from amg.base.text import markdown_table, number, percent
from amg.claims.frozen import digests, total
from amg.claims.robustness import Robustness, write_robustness
from amg.multiverse.evidence import jobs_with, load_material
from amg.multiverse.file import Multiverse, read_multiverse
from amg.multiverse.judge import choices_table, judge_universes, robustness
from amg.tables.intervals import Intervals
from amg.tables.tidy import write_table


def make_report(
    files: Mapping[str, Sequence[Path]],
    params: Mapping[str, Any],
    output: Mapping[str, Path],
    log: TextIO,
) -> None:
    """Judge every claim in every universe and write what came out.

    `files` are those of the rule `universes`; `params` has the confidence and the decades of the
    study, the root of the project, and how many processes to use. `output` names `universes`,
    `choices`, `shares` and `page`.
    """
    multiverse = read_multiverse(files["multiverse"][0], files["claims"][0])
    jobs = jobs_with(multiverse, multiverse.runs_of("rewards", "restarts"))
    archives = {job.name: path for job, path in zip(jobs, files["runs"], strict=True)}
    material = load_material(multiverse, files["evaluations"], archives)
    print(f"{len(material.evaluations):,} kinds of runs loaded", file=log, flush=True)
    intervals = Intervals(params["confidence"])
    universes, left_out = judge_universes(
        multiverse, material, intervals, params["decades"], log, params["processes"]
    )
    choices = choices_table(multiverse, universes)
    shares = [
        robustness(
            multiverse,
            claim,
            universes[universes["claim"] == claim.id],
            choices[choices["claim"] == claim.id],
            left_out[claim.id],
            intervals.level,
        )
        for claim in multiverse.claims
    ]
    judged_by = digests(Path(params["root"]))
    write_table(universes, output["universes"])
    write_table(choices, output["choices"])
    write_robustness(output["shares"], judged_by, shares)
    write_text(output["page"], page(multiverse, shares, choices, total(judged_by)))


def page(
    multiverse: Multiverse, shares: Sequence[Robustness], choices: pd.DataFrame, digest: str
) -> str:
    """Return the results in Markdown: a table of claims, and a section for each claim."""
    titles = {claim.id: claim.title for claim in multiverse.claims}
    rows = [
        (f"[{titles[one.id]}](#{one.id})", one.study, one.text, one.reasons or "nothing")
        for one in shares
    ]
    parts = [
        f"{number(len(multiverse.universes))} universes of {multiverse.seeds} seeds each; judged "
        f"by `{digest[:12]}`. A claim *holds* in a universe if it is reproduced there, with or "
        f"without a caveat. Square brackets are intervals over seeds: each of {multiverse.groups} "
        f"groups of seeds is left out once (jackknife).",
        "",
        markdown_table(
            ("claim", "with the study's readings", "holds in", "what it depends on"), rows
        ),
        "",
    ]
    for one in shares:
        parts += _section(titles[one.id], one, choices[choices["claim"] == one.id])
    return "\n".join(parts) + "\n"


def _section(title: str, one: Robustness, choices: pd.DataFrame) -> list[str]:
    """Return the section of one claim: its figure, and the share by reading of each choice."""
    untestable = f" In {number(one.untestable)} more it cannot be tested." if one.untestable else ""
    rows = [
        (
            str(choice),
            "; ".join(f"{row.reading} {percent(row.share)}" for row in own.itertuples()),
            number(own["universes"].sum()),
        )
        for choice, own in choices.groupby("choice", sort=False)
    ]
    return [
        f'<a id="{one.id}"></a>',
        f"### {title}",
        "",
        f"Holds in {number(one.holding)} of {number(one.universes)} universes: {one.text}."
        f"{untestable}",
        "",
        f"![{title}](../figures/multiverse/{one.id}.png)",
        "",
        markdown_table(("choice", "share of universes in which it holds", "universes"), rows, (2,)),
        "",
    ]
