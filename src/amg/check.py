"""Check files of any kind before they are used: what is wrong with one is one line.

`python -m amg.check FILE …` (or `make check FILES=…`) takes game files, claims, sweeps and configs;
configs are laid over config/config.yaml in the order given, as `snakemake --configfile` does it.
Snakemake opens such a file before this package can, with tracebacks for some mistakes, and runs the
code in one that has the key `__use_yte__`: check here first what you did not write yourself.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from amg import documents, game_file
from amg.claims.entries import SCHEMA as CLAIMS_SCHEMA
from amg.claims.entries import read_claims
from amg.config import CONFIG, SCHEMA, read_config
from amg.errors import AmgError
from amg.schema import load_schema, resolve
from amg.stopping import run_process
from amg.study import Study
from amg.sweep.file import read_sweep
from amg.terminal import take_any_text

Check = Callable[[Path], str]


def check_game(path: Path) -> str:
    game = game_file.load(path)
    return f"a game, {game.name}, of {game.N} agents and {game.T} steps"


def check_claims(path: Path) -> str:
    return f"{len(read_claims(path, load_schema(CLAIMS_SCHEMA)))} claims"


def check_sweep(path: Path) -> str:
    return f"a {read_sweep(path, Path()).outlook()}"


# What a file is, by a key that no other kind has. Whatever has none of them is a config.
KINDS: dict[str, Check] = {"format": check_game, "claims": check_claims, "axes": check_sweep}


def check_configs(paths: Sequence[Path]) -> str:
    """Of a whole study: the shipped config and these over it."""
    first = [] if any(path.resolve() == CONFIG.resolve() for path in paths) else [CONFIG]
    document = read_config([*first, *paths])
    study = Study(resolve(document, load_schema(SCHEMA)), Path(), document)
    runs = sum(len(batch.runs) for batch in study.batches())
    return f"a config, {runs} runs in {len(study.series)} series"


def kind(path: Path) -> str | None:
    """The key that says what a file is; None for a config."""
    entries = documents.load(path, "write at least one 'key: value'").entries()
    return next((key for key in entries if key in KINDS), None)


class Mistakes:
    """A context in which a mistake of the user's is said in one line, and counted."""

    count = 0

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, AmgError):
            self.count += 1
            print(f"error: {error}", file=sys.stderr)
        return isinstance(error, AmgError)


def main(arguments: Sequence[str] | None = None) -> int:
    """One line for each file; exit code 2 if any is not in order."""
    parser = argparse.ArgumentParser(
        prog="python -m amg.check", description="Check game files, claims, sweeps and configs."
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    mistakes, configs = Mistakes(), []
    take_any_text()
    for path in parser.parse_args(arguments).files:
        with mistakes:
            key = kind(path)
            if key is None:
                configs.append(path)
            else:
                print(f"{path}: {KINDS[key](path)}")
    if configs:
        with mistakes:
            print(f"{', '.join(map(str, configs))}: {check_configs(configs)}")
    return 2 if mistakes.count else 0


if __name__ == "__main__":
    run_process("amg.check", main)
