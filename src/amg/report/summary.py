"""What a command ends with on the terminal: verdicts, key numbers, and where to find the rest."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from amg.base.text import duration, episodes, estimate, intervals_over, text_table
from amg.claims.judge import tally
from amg.claims.judgement import read_judged
from amg.claims.robustness import read_robustness
from amg.multiverse.file import Multiverse
from amg.study.account import changed_files
from amg.study.study import Study
from amg.sweep.grid import Sweep
from amg.tables import TABLES
from amg.tables.tidy import read_table

WIDTH = 80  # characters of a line
MOST_LINES, MOST_OF_ONE = 12, 4  # of findings, and of one of them
MOST_NAMES = 3  # of files that differ


def study_summary(study: Study, report: str, targets: Sequence[str], seconds: float | None) -> str:
    """Return what was found by a study, or of the claims or the report if only they were asked.

    `report` is the command that makes the report.
    """
    results, figures = Path(study.config.results), Path(study.config.figures)
    claims, page = figures / "claims.json", results / "report" / "claims.html"
    if str(claims) in targets:
        return verdicts(claims)
    if "report" in targets:
        return f"Open in a browser: {page}"
    if not wants_all(targets):
        return ""
    places = {
        "figures": f"{figures}/",
        "claims": f"{results / 'claims.md'}",
        "report": f"{page}" if _newer(page, claims) else f"not made yet: {report}",
    }
    return _lines(
        tally(read_judged(claims).claims),
        "",
        *_gaps(study, results / "tables" / "gaps.csv"),
        "",
        *_places(figures, places, seconds),
    )


def verdicts(path: Path) -> str:
    """Return a table of the claims with their verdicts."""
    claims = read_judged(path).claims
    width = WIDTH - 2 - max(len(claim.verdict) for claim in claims)
    rows = [
        [textwrap.shorten(claim.title, width, placeholder=" …"), claim.verdict] for claim in claims
    ]
    return _lines(*text_table(["claim", "verdict"], rows), "", tally(claims))


def sweep_summary(sweep: Sweep, figures: str, targets: Sequence[str], seconds: float | None) -> str:
    """Return what was found by a sweep."""
    if not wants_all(targets):
        return ""
    page = Path(figures) / f"{sweep.name}.md"
    plain = page.read_text(encoding="utf-8").replace("**", "").replace("`", "")
    findings = [line for line in plain.splitlines() if line.startswith("- ")]
    lines = [line for finding in findings for line in _shortened(finding)]
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"  … more in {page}"]
    places = {
        "figure": f"{page.with_suffix('.png')}",
        "findings": f"{page}",
        "table": f"{page.with_suffix('.csv')}",
    }
    names = {page.with_suffix(suffix).name for suffix in (".csv", ".pdf", ".png", ".md")}
    return _lines(sweep.title, *lines, "", *_places(Path(figures), places, seconds, names))


def multiverse_summary(
    multiverse: Multiverse, figures: str, targets: Sequence[str], seconds: float | None
) -> str:
    """Return in which share of universes each claim holds."""
    if not wants_all(targets):
        return ""
    titles = {claim.id: claim.title for claim in multiverse.claims}
    shares = read_robustness(Path(figures) / "shares.json").shares
    width = WIDTH - 2 - max(len(one.text) for one in shares)
    rows = [[textwrap.shorten(titles[one.id], width, placeholder=" …"), one.text] for one in shares]
    table = text_table(["claim", "holds in universes"], rows)
    places = {"figures": f"{figures}/", "page": f"{figures}/page.md"}
    return _lines(*table, "", *_places(Path(figures), places, seconds))


def wants_all(targets: Sequence[str]) -> bool:
    """Return whether everything was asked for, not single files."""
    return not targets or bool({"all", "default"} & {*targets})


def _gaps(study: Study, path: Path) -> Iterator[str]:
    """Yield the gap of the first V-learner at the largest K of each game."""
    learner = study.learned.learner_label
    table = read_table(path, TABLES["gaps"].columns)
    own = table[(table["learner"] == learner) & (table["measure"] == "max_gap")]
    last = own.sort_values("episodes", kind="stable").groupby("game", sort=False).tail(1)
    yield f"equilibrium gap of {learner}, exact; {intervals_over(last['level'], last['seeds'])}"
    rows = [
        [f"  {row.game}", f"K = {episodes(row.episodes)}", estimate(row.mean, row.low, row.high)]
        for row in last.itertuples()
    ]
    width = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(size) for cell, size in zip(row, width, strict=True)).rstrip()


def _places(
    figures: Path, places: Mapping[str, str], seconds: float | None, names: set[str] | None = None
) -> Iterator[str]:
    """Yield the time taken, the places of what was made, and after the first what has changed."""
    if seconds is not None:
        yield f"time      {duration(seconds)}"
    changed = changed_files(figures)
    for j, (name, place) in enumerate(places.items()):
        yield f"{name:8}  {place}"
        if j == 0 and changed is not None:
            yield f"          {_difference([n for n in changed if names is None or n in names])}"


def _difference(changed: Sequence[str]) -> str:
    if not changed:
        return "all are as committed"
    more = f" and {len(changed) - MOST_NAMES} more" if len(changed) > MOST_NAMES else ""
    return f"not as committed: {', '.join(changed[:MOST_NAMES])}{more}"


def _newer(page: Path, than: Path) -> bool:
    """Return whether a page is there and was made after a file."""
    return page.exists() and page.stat().st_mtime >= than.stat().st_mtime


def _shortened(text: str) -> list[str]:
    """Return the first lines of a long sentence."""
    return textwrap.wrap(
        text, WIDTH, max_lines=MOST_OF_ONE, placeholder=" …", subsequent_indent="  "
    )


def _lines(*parts: str) -> str:
    """Return lines, none wider than a terminal of 80 columns."""
    return "\n".join(
        line for part in parts for line in (textwrap.wrap(part, WIDTH) if part else [""])
    )
