"""Write the generated parts of the documentation again."""

import argparse
from pathlib import Path

from amg.report.docs import write_pages


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no arguments."""


def run(options: argparse.Namespace) -> int:
    """Write the pages; return 0."""
    for path in write_pages(Path()):
        print(f"{path}: written")
    return 0
