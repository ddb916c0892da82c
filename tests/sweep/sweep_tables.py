"""Sweeps from files, without runs: tables with the columns of the real ones and made-up values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from amg.sweep.file import read_sweep
from amg.sweep.grid import Sweep
from amg.sweep.table import EPISODES_TO

HEAD = "title: made up\nseeds: 4\nbase: "
BASE = "{ game: fishermen, algorithm: v_learning, episodes: 1000 }"

Measured = Callable[[dict[str, Any]], dict[str, float]]  # from parameters, episodes, agents
Values = Callable[[Mapping[str, str], str], float]  # from a place and a measure


def make_sweep(directory: Path, text: str, base: str = BASE) -> Sweep:
    """The sweep of a file with this text."""
    path = directory / "made-up.yaml"
    path.write_text(f"{HEAD}{base}\n{text}", encoding="utf-8")
    return read_sweep(path)


def make_table(
    sweep: Sweep, values: Values, reached: Mapping[tuple[str, ...], float] | None = None
) -> pd.DataFrame:
    """Values of every cell, ± 10 %; those of the derived measure by variant and other axes."""
    measures = [measure for measure in sweep.measures if measure != EPISODES_TO]
    places = [({"variant": cell.variant, **cell.at}, measure)
              for cell in sweep.cells for measure in measures]  # fmt: skip
    rows = [{**place, "measure": measure, "mean": values(place, measure)}
            for place, measure in places]  # fmt: skip
    others = ["variant", *(axis.name for axis in sweep.axes if axis.name != "episodes")]
    rows += [{**dict(zip(others, place, strict=True)), "measure": EPISODES_TO, "mean": mean}
             for place, mean in (reached or {}).items()]  # fmt: skip
    table = pd.DataFrame(rows)
    return table.assign(low=0.9 * table["mean"], high=1.1 * table["mean"], seeds=4, level=0.95)


def evaluations(sweep: Sweep, measured: Measured, spread: float = 0.00544) -> pd.DataFrame:
    """Return evaluations of all runs; seeds are 1 ± spread of a value by turns.

    Four of them have intervals of ± 1 %.
    """
    rows = []
    for part in sweep.parts:
        series = part.series
        place = {**series.parameters.as_dict(), "episodes": part.episodes, "agents": series.game.N}
        rows += [
            {"series": series.name, "episodes": part.episodes, "seed": seed, "exact": True,
             **{name: value * (1 + spread * (-1) ** seed)
                for name, value in measured(place).items()}}
            for seed in part.seeds
        ]  # fmt: skip
    return pd.DataFrame(rows)
