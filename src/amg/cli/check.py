"""`amg check`: check files that people write before they are used.

Configs are laid over config/config.yaml in the order given, as `snakemake --configfile` does it.
Snakemake opens such a file before this package can. It answers some mistakes with a traceback, and
runs the code in a file with the key `__use_yte__`: check first a file that you did not write.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from amg.base.errors import AmgError, FileError
from amg.base.files import printable
from amg.cli import Commands, add_command


def add(commands: Commands) -> None:
    """Declare the command."""
    command = add_command(commands, "check", run)
    command.add_argument("files", nargs="+", type=Path, metavar="FILE")


def run(options: argparse.Namespace) -> int:
    """Check game files, claims, sweeps and configs; print one line for each."""
    configs: list[Path] = []
    codes = [_attempt(partial(_check, path, configs)) for path in options.files]
    if configs:
        codes.append(_attempt(partial(_check_configs, configs)))
    return max(codes)


def _attempt(check: Callable[[], str]) -> int:
    """Print what a check returns, or the error, and return the exit code."""
    try:
        line = check()
    except AmgError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if line:
        print(line)
    return 0


def _check(path: Path, configs: list[Path]) -> str:
    """Check one file by its kind; configs are collected, to be checked together."""
    from amg.inputs import document

    keys = document.load(path, "write at least one 'key: value'").value
    for key, check in KINDS.items():
        if isinstance(keys, dict) and key in keys:
            return f"{printable(path)}: {check(path)}"
    configs.append(path)
    return ""


def _check_game(path: Path) -> str:
    from amg.game.file import load_game

    game = load_game(path)
    return f"a game, {game.name}, of {game.N} agents and {game.T} steps"


def _check_claims(path: Path) -> str:
    from amg.claims.entries import read_claims

    return f"{len(read_claims(path))} claims"


def _check_sweep(path: Path) -> str:
    from amg.sweep.file import read_sweep

    return f"a {read_sweep(path).outlook()}"


# A file's kind is known by a key that no other kind has. A file with none of them is a config.
KINDS: dict[str, Callable[[Path], str]] = {
    "format": _check_game,
    "claims": _check_claims,
    "axes": _check_sweep,
}


def _check_configs(paths: Sequence[Path]) -> str:
    """Check a whole study: the shipped config with these laid over it."""
    from amg.study.config import CONFIG, read_config
    from amg.study.study import Study

    first = [] if any(path.resolve() == CONFIG.resolve() for path in paths) else [CONFIG]
    if not CONFIG.exists():
        raise FileError(f"{CONFIG}: is not here; run this at the top of the repository")
    study = Study(*read_config([*first, *paths]))
    runs = sum(job.runs for job in study.jobs())
    names = ", ".join(map(printable, paths))
    return f"{names}: a config, {runs} runs in {len(study.series)} series"
