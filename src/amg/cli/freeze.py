"""Freeze thresholds, rules, universes and analysis: write their digests to config/frozen.json.

Do this, and commit the file, before the confirmatory study runs. Its verdicts count as confirmatory
as long as all digests stay the same.
"""

import argparse
from pathlib import Path

from amg.claims.frozen import freeze, read_frozen, total


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no arguments."""


def run(options: argparse.Namespace) -> int:
    """Write the file; return 0."""
    path = freeze(Path())
    print(f"{path}: written, {total(read_frozen(Path()))[:12]}; commit it before `make confirm`")
    return 0
