"""Generated parts of the documentation, so that no number in prose is typed by hand.

A page marks them as

    <!-- generated: NAME -->
    … replaced …
    <!-- end -->

`amg docs` (or `make docs`) writes them anew. A test fails when a page has drifted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from amg.base.errors import FileError
from amg.base.files import read_text, write_text
from amg.base.text import markdown_table
from amg.exact import references
from amg.game.library import BUILDERS, build
from amg.report.artifact import experiment_table
from amg.study.timing import TIMING
from amg.sweep.table import MEASURES
from amg.tables.tidy import read_table

BLOCK = re.compile(r"(<!-- generated: (?P<name>[a-z -]+) -->\n)(?P<body>.*?)(<!-- end -->)", re.S)
SWEEP_COST = {"kind": str, "episodes": int, "jobs": int, "seconds": float, "peak_mib": float}
_read = partial(read_text, largest=4 << 20)  # bytes of a page
Blocks = Mapping[str, Callable[[], str | None]]  # None leaves a block as it is


def write_pages(root: Path) -> list[Path]:
    """Write every page that has drifted, and return the paths of these pages."""
    drifted = {path: text for path, text in pages(root).items() if _read(path) != text}
    for path, text in drifted.items():
        write_text(path, text)
    return list(drifted)


def pages(root: Path) -> dict[Path, str]:
    """Return every page with generated parts, as it should be."""
    return {path: refresh(_read(path), own, path) for path, own in blocks(root).items()}


def blocks(root: Path) -> dict[Path, Blocks]:
    """Return what generates the parts of each page."""
    measures = "\n".join(f"- `{name}`: {measure.title}" for name, measure in MEASURES.items())
    timing = partial(_measured, root / "results/tables/timing.csv", TIMING)
    reach = partial(_measured, root / "results/sweeps/reach/cost.csv", SWEEP_COST)
    sweeps = sorted(file.stem for file in (root / "config/sweeps").glob("*.yaml"))
    return {
        **{
            root / f"docs/games/{name}.md": {"references": partial(reference_block, name)}
            for name in BUILDERS
        },
        root / "README.md": {
            "findings": partial(_read, root / "figures/findings.md"),
            "claims": partial(_read, root / "figures/claims.md"),
            "cost": partial(timing, cost_block),
        },
        root / "ARTIFACT.md": {
            "experiments": partial(timing, partial(experiment_table, root)),
            "cost": partial(timing, cost_block),
        },
        root / "docs/sweeps.md": {
            **{name: partial(sweep_block, root / "figures/sweeps", name) for name in sweeps},
            "measures": lambda: measures,
            "reach cost": partial(reach, sweep_cost_block),
        },
    }


def refresh(text: str, own: Blocks, page: Path) -> str:
    """Return the page with every marked part generated anew."""

    def generate(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in own:
            raise FileError(f"{page}: nothing generates {name!r}; there are {', '.join(own)}")
        body = own[name]()
        return match[0] if body is None else f"{match[1]}{body.strip()}\n{match[4]}"

    return BLOCK.sub(generate, text)


def reference_block(name: str) -> str:
    """Return the exact reference values of a game with its default parameters."""
    game = build(name)
    low, high = game.reward_range
    known = references(game)
    rows = [
        [row.label, f"{row.average:.6f}", *(f"{value:.6f}" for value in row.per_agent)]
        for row in known.rows
    ]
    sizes = (
        f"{game.N} agents, horizon {game.T}, at most {game.S} states a step and {game.A_max} "
        f"actions, rewards in [{low:g}, {high:g}]."
    )
    if known.equilibrium is not None:
        paid = ", ".join(f"{value:.6f}" for value in known.equilibrium)
        sizes += f" Every CCE pays {paid}."
    header = ["per episode", "average", *game.agents]
    return f"{sizes}\n\n{_numbers_table(header, rows)}"


def cost_block(jobs: pd.DataFrame) -> str:
    """Return what the study took when it was last run as a whole."""
    sums = jobs.groupby("kind", sort=False)["seconds"].sum()
    parts = ", ".join(f"{kind} {seconds:.0f} s" for kind, seconds in sums.items())
    return (
        f"The study took {sums.sum() / 60:.1f} minutes of one core ({parts}; of it "
        f"{jobs['startup'].sum():.0f} s start-up of {len(jobs)} jobs), so about "
        f"{sums.sum() / 120:.1f} minutes on two, and {jobs['peak_mib'].max():.0f} MiB at most."
    )


def sweep_block(figures: Path, name: str) -> str:
    """Return what a sweep found, and its figure."""
    return f"{_read(figures / f'{name}.md')}\n![{name}](../figures/sweeps/{name}.png)"


def sweep_cost_block(jobs: pd.DataFrame) -> str:
    """Return time and memory of training against K."""
    rows = [
        [f"{row.episodes:,}", str(row.jobs), f"{row.seconds:.0f}", f"{row.peak_mib:.0f}"]
        for row in jobs[jobs["kind"] == "train"].itertuples()
    ]
    return _numbers_table(["K", "training jobs", "seconds in all", "peak MiB"], rows)


def _numbers_table(header: list[str], rows: list[list[str]]) -> str:
    return markdown_table(header, rows, numbers=range(1, len(header)))


def _measured(
    path: Path, columns: Mapping[str, type], block: Callable[[pd.DataFrame], str]
) -> str | None:
    """Return the block made from a table of the last study; None if there was no study."""
    return block(read_table(path, columns)) if path.exists() else None
