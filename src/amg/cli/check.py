"""Check configs, game files, claims, sweeps and multiverses; print a line for each.

Configs are laid over config/config.yaml in the order given, as `snakemake --configfile` does it.
Snakemake opens such a file before this package can. It answers some mistakes with a traceback, and
runs the code in a file with the key `__use_yte__`: check first a file that you did not write.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from amg.base.errors import AmgError, FileError
from amg.base.files import printable
from amg.claims.entries import CLAIMS, read_claims
from amg.game.file import load_game
from amg.inputs import document
from amg.multiverse.file import read_multiverse
from amg.study.config import CONFIG, read_config
from amg.study.study import Study
from amg.sweep.file import read_sweep


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the files."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")


def run(options: argparse.Namespace) -> int:
    """Check each file, then all configs together; return 0, or 2 if something is wrong."""
    configs: list[Path] = []
    checks = [partial(_check_file, path, configs) for path in options.files]
    code = 0
    for check in [*checks, partial(_check_configs, configs)]:
        try:
            check()
        except AmgError as error:
            print(f"error: {error}", file=sys.stderr)
            code = 2
    return code


def _check_file(path: Path, configs: list[Path]) -> None:
    """Check a file and print what it is; put a config into the list `configs` instead."""
    content = document.load(path, "write at least one 'key: value'").value
    keys = content if isinstance(content, dict) else {}
    name = printable(path)
    if "format" in keys:
        game = load_game(path)
        print(f"{name}: a game, {game.name}, of {game.N} agents and {game.T} steps")
    elif "claims" in keys:
        print(f"{name}: {len(read_claims(path))} claims")
    elif "axes" in keys:
        print(f"{name}: a {read_sweep(path).outlook()}")
    elif "choices" in keys:
        print(f"{name}: a {read_multiverse(path, CLAIMS).outlook()}")
    else:
        configs.append(path)


def _check_configs(paths: list[Path]) -> None:
    """Check a study and print what it is: the shipped config and these over it."""
    if not paths:
        return
    if not CONFIG.exists():
        raise FileError(f"{CONFIG}: is not here; run this at the top of the repository")
    first = [] if any(path.resolve() == CONFIG.resolve() for path in paths) else [CONFIG]
    study = Study(*read_config([*first, *paths]))
    runs = sum(job.runs for job in study.jobs())
    names = ", ".join(map(printable, paths))
    print(f"{names}: a config, {runs} runs in {len(study.series)} series")
