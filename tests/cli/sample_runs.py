"""Small run files with recorded numbers, trained once for all tests of a session."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import pandas as pd

from amg.cli.verify import VALUES
from amg.game.library import build
from amg.learning.parameters import VLearning
from amg.learning.train import train_run
from amg.results.evaluate import measures
from amg.results.run import Run
from amg.results.run_file import save_runs

NAMES = [(game, K) for game in ("fishermen", "inspection") for K in (1000, 3162)]


@cache
def trained(game: str, episodes: int, seed: int = 1) -> Run:
    return train_run(build(game), VLearning(), episodes, seed)


def write_reference(directory: Path) -> None:
    """Write four runs and what was recorded of them, as `amg verify --record` does."""
    rows = []
    for game, episodes in NAMES:
        run, name = trained(game, episodes), f"{game}-K{episodes}.npz"
        save_runs(directory / name, [run])
        digest = hashlib.sha256((directory / name).read_bytes()).hexdigest()
        head = {"file": name, "sha256": digest, "source": run.source}
        rows.append({**head, "game": game, "learner": "v-cv", **measures(run)})
    pd.DataFrame(rows).to_csv(directory / VALUES, index=False)
