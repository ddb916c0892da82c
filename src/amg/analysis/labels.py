"""What a figure of one run calls it."""

from __future__ import annotations

from amg.run import Run


def run_label(run: Run) -> str:
    """One line that names the run: algorithm, game, episodes, seed."""
    rule = run.parameters.get("fluctuation")
    algorithm = f"{run.algorithm} ({rule})" if rule else run.algorithm
    return f"{algorithm} on {run.game.name}, K = {run.episodes:,}, seed {run.seed}"
