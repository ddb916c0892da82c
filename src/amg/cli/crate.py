"""Pack a finished study into one file to publish: an RO-Crate, RESULTS/crate.zip.

It holds the project, the results, the SHA-256 of each file, which job made which file from which,
and the verdict on each claim (docs/crate.md). `amg verify RESULTS/crate.zip` checks it.
"""

import argparse
from pathlib import Path, PurePath

from amg.report.crate import write_crate


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the study."""
    text = "the directory of a study's results, default results"
    parser.add_argument("results", nargs="?", type=PurePath, default="results", help=text)


def run(options: argparse.Namespace) -> int:
    """Write the crate; return 0."""
    path = write_crate(Path(), options.results.as_posix())
    print(f"{path}: written, {path.stat().st_size / 1e6:.0f} MB; check it with: amg verify {path}")
    return 0
