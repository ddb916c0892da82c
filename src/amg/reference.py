"""Reference data: small certificates to keep in a repository, and what the study recorded of them.

`python -m amg.reference [RESULTS]` (or `make reference`) copies from a finished study, for each
game and K of `sample-complexity`, the run of the first V-learner with seed 1, and takes the
recorded numbers from the study's own tables. `python -m amg.verify` checks them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from amg.analysis.tables import read_table, write_table
from amg.archive import write_bytes
from amg.config import SCHEMA, read_config
from amg.errors import AmgError, FileError
from amg.plan import Series
from amg.run import load
from amg.schema import load_schema, resolve
from amg.stopping import run_process
from amg.study import Study
from amg.terminal import take_any_text
from amg.verify import REFERENCE, VALUES, records, sha256

EXPERIMENT, SEED = "sample-complexity", 1
RESULTS = Path("results")


class Kept(NamedTuple):
    """A run to keep."""

    series: Series
    episodes: int

    @property
    def path(self) -> str:
        """Its file in the results."""
        return f"runs/{self.series.run(self.episodes, SEED)}"

    @property
    def name(self) -> str:
        """Its file in the reference data."""
        return f"{self.series.game_label}-K{self.episodes}.npz"


def kept(study: Study) -> Iterator[Kept]:
    """One run for each game and K."""
    for series in study.experiment(EXPERIMENT):
        if series.learner_label == study.learned.learner_label:
            for episodes in series.episodes:
                yield Kept(series, episodes)


def refresh(results: Path, output: Path) -> pd.DataFrame:
    """Copy the runs of a finished study, byte for byte, with a table of what it recorded."""
    try:
        document = read_config([results / "config.yaml"])
        runs = list(kept(Study(resolve(document, load_schema(SCHEMA)), Path(), document)))
        files = {run.name: (results / run.path).read_bytes() for run in runs}
    except OSError as error:
        raise FileError(f"{error.filename}: {error.strerror}; run the study first") from None
    table = pd.DataFrame([_row(run, results) for run in runs])
    for name in records(output / VALUES).keys() - files.keys():
        (output / name).unlink(missing_ok=True)
    for name, content in files.items():
        write_bytes(output / name, content)
    write_table(table, output / VALUES)
    return table


def _row(run: Kept, results: Path) -> dict[str, object]:
    """What identifies the file, and what the study recorded of it."""
    table = read_table(results / "evaluations" / f"{run.series.name}.csv", ("episodes", "seed"))
    chosen = table[(table["episodes"] == run.episodes) & (table["seed"] == SEED)]
    if len(chosen) != 1:
        raise FileError(f"{results}: has no evaluation of {run.path}; run the study first")
    file = results / run.path
    what = {"file": run.name, "sha256": sha256(file), "source": load(file).source}
    return {**what, **chosen.iloc[0].to_dict()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the reference data anew."""
    parser = argparse.ArgumentParser(
        prog="python -m amg.reference", description="Take reference data from a finished study."
    )
    parser.add_argument("results", nargs="?", type=Path, default=RESULTS, metavar="RESULTS")
    parser.add_argument("-o", "--output", type=Path, default=REFERENCE, metavar="DIRECTORY")
    options = parser.parse_args(arguments)
    take_any_text()
    try:
        table = refresh(options.results, options.output)
    except AmgError as error:
        print(f"amg.reference: error: {error}", file=sys.stderr)
        return 2
    size = sum((options.output / name).stat().st_size for name in table["file"])
    print(f"{options.output}: {len(table)} runs, {size / 1024:.0f} KiB; `make verify` checks them")
    return 0


if __name__ == "__main__":
    run_process("amg.reference", main)
