"""Generated parts of the documentation: numbers in prose come from the code, not from fingers.

A page marks them as

    <!-- generated: NAME -->
    … replaced …
    <!-- end -->

`python -m amg.pages` (or `make docs`) writes them anew; a test fails when a page has drifted.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from amg.analysis.tables import read_table
from amg.archive import write_bytes
from amg.artifact import experiment_table
from amg.errors import AmgError, FileError
from amg.games import BUILDERS, build
from amg.references import references
from amg.stopping import run_process
from amg.sweep.measures import MEASURES

BLOCK = re.compile(r"(<!-- generated: (?P<name>[a-z -]+) -->\n)(?P<body>.*?)(<!-- end -->)", re.S)


def refresh(text: str, blocks: Mapping[str, Callable[[], str]], page: str) -> str:
    """The page with every marked part generated anew."""

    def generate(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in blocks:
            raise FileError(f"{page}: nothing generates {name!r}; there are {', '.join(blocks)}")
        return f"{match[1]}{blocks[name]().strip()}\n{match[4]}"

    return BLOCK.sub(generate, text)


def markdown_table(header: list[str], rows: list[list[str]]) -> str:
    """A table whose columns after the first are numbers."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, rule, *rows])


def reference_block(name: str) -> str:
    """The exact reference values of a game with its default parameters."""
    game = build(name)
    low, high = game.reward_range
    known = references(game)
    rows = [
        [row.label, f"{row.average:.6f}", *(f"{value:.6f}" for value in row.per_agent)]
        for row in known.rows()
    ]
    sizes = (
        f"{game.N} agents, horizon {game.T}, at most {game.S} states a step and {game.A_max} "
        f"actions, rewards in [{low:g}, {high:g}]."
    )
    if known.equilibrium is not None:
        paid = ", ".join(f"{value:.6f}" for value in known.equilibrium)
        sizes += f" Every CCE pays {paid}."
    return f"{sizes}\n\n{markdown_table(['per episode', 'average', *game.agents], rows)}"


def game_pages(root: Path) -> dict[Path, str]:
    """The pages of all games as they should be."""
    pages = {}
    for name in BUILDERS:
        path = root / "docs" / "games" / f"{name}.md"
        blocks = {"references": lambda name=name: reference_block(name)}
        pages[path] = refresh(path.read_text(encoding="utf-8"), blocks, str(path))
    return pages


def readme(root: Path) -> dict[Path, str]:
    """The README as it should be: what the study wrote, and its cost if that is known."""
    path = root / "README.md"
    text = path.read_text(encoding="utf-8")
    blocks: dict[str, Callable[[], str]] = {
        name: partial(_written, root / "figures" / f"{name}.md") for name in ("findings", "claims")
    }
    timing = root / "results" / "tables" / "timing.csv"
    blocks["cost"] = lambda: cost_block(timing) if timing.exists() else _block(text, "cost")
    return {path: refresh(text, blocks, str(path))}


def _written(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def cost_block(timing: Path) -> str:
    """What the study took here, when it was last run as a whole."""
    jobs = read_table(timing)
    sums = jobs.groupby("kind", sort=False)["seconds"].sum()
    parts = ", ".join(f"{kind} {seconds:.0f} s" for kind, seconds in sums.items())
    return (
        f"The study took {sums.sum() / 60:.1f} minutes of one core ({parts}; of it "
        f"{jobs['startup'].sum():.0f} s start-up of {len(jobs)} jobs), so about "
        f"{sums.sum() / 120:.1f} minutes on two, and {jobs['peak_mib'].max():.0f} MiB at most."
    )


def artifact(root: Path) -> dict[Path, str]:
    """The evaluator's page as it should be, with the times of the last study if they are known."""
    path = root / "ARTIFACT.md"
    text = path.read_text(encoding="utf-8")
    timing = root / "results" / "tables" / "timing.csv"
    known = timing.exists()
    blocks = {
        "experiments": lambda: (
            experiment_table(root, read_table(timing)) if known else _block(text, "experiments")
        ),
        "cost": lambda: cost_block(timing) if known else _block(text, "cost"),
    }
    return {path: refresh(text, blocks, str(path))}


def sweeps(root: Path) -> dict[Path, str]:
    """The page of sweeps as it should be: what each shipped one wrote, and the cost of one."""
    path = root / "docs" / "sweeps.md"
    text = path.read_text(encoding="utf-8")
    names = sorted(file.stem for file in (root / "config" / "sweeps").glob("*.yaml"))
    blocks: dict[str, Callable[[], str]] = {
        name: partial(sweep_block, root / "figures" / "sweeps", name) for name in names
    }
    blocks["measures"] = measures_block
    cost = root / "results" / "sweeps" / "reach" / "cost.csv"
    blocks["reach cost"] = lambda: (
        sweep_cost_block(cost) if cost.exists() else _block(text, "reach cost")
    )
    return {path: refresh(text, blocks, str(path))}


def sweep_block(figures: Path, name: str) -> str:
    picture = f"![{name}](../figures/sweeps/{name}.png)"
    return f"{_written(figures / f'{name}.md')}\n{picture}"


def measures_block() -> str:
    return "\n".join(f"- `{name}`: {measure.title}" for name, measure in MEASURES.items())


COST = ("kind", "episodes", "jobs", "seconds", "peak_mib")


def sweep_cost_block(cost: Path) -> str:
    """Time and memory of training against K."""
    jobs = read_table(cost, COST)
    rows = [
        [f"{row.episodes:,}", str(row.jobs), f"{row.seconds:.0f}", f"{row.peak_mib:.0f}"]
        for row in jobs[jobs["kind"] == "train"].itertuples()
    ]
    return markdown_table(["K", "training jobs", "seconds in all", "peak MiB"], rows)


def _block(text: str, name: str) -> str:
    """What a page's block holds now."""
    return next((m["body"] for m in BLOCK.finditer(text) if m["name"] == name), "")


def pages(root: Path) -> dict[Path, str]:
    """Every page with generated parts, as it should be."""
    return {**game_pages(root), **readme(root), **artifact(root), **sweeps(root)}


def main() -> int:
    """Write every page that has drifted."""
    try:
        for path, text in pages(Path()).items():
            if path.read_text(encoding="utf-8") != text:
                write_bytes(path, text.encode())
                print(f"{path}: written anew")
    except AmgError as error:
        print(f"amg.pages: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    run_process("amg.pages", main)
