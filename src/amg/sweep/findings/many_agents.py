"""How the episodes to a fixed gap grow with the number of agents: the curse of multiagents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from amg.analysis.gaps import slope
from amg.game import Game
from amg.learning.parameters import VLearning
from amg.sweep.findings.options import Options
from amg.sweep.findings.words import interval, number, on, rows_of
from amg.sweep.measures import EPISODES_TO
from amg.theory import iota

if TYPE_CHECKING:
    from amg.sweep.table import Results


@dataclass(frozen=True)
class ManyAgents:
    axis: str  # the number of agents

    @classmethod
    def read(cls, options: Options) -> ManyAgents:
        options.fields(["axis"])
        if EPISODES_TO not in options.measures:
            options.node.refuse("speaks of the episodes to a target; give the sweep a target")
        return cls(options.axis("axis"))

    def sentence(self, results: Results, table: pd.DataFrame) -> str:
        said = [self._grow(results, table, variant) for variant in results.sweep.variants]
        return (
            f"**Episodes until the gap is {results.sweep.target:g} of the reward range, against "
            f"the number of agents**: {'; '.join(said)}."
        )

    def _grow(self, results: Results, table: pd.DataFrame, variant: str) -> str:
        rows = rows_of(table, EPISODES_TO, {"variant": variant})
        rows = rows.assign(N=rows[self.axis].astype(int)).sort_values("N")
        games: dict[int, tuple[Game, float]] = {
            cell.chosen.game.N: (cell.chosen.game, cell.chosen.parameters.p)
            for cell in results.sweep.cells
            if cell.variant == variant and isinstance(cell.chosen.parameters, VLearning)
        }
        reached = rows[np.isfinite(rows["mean"])]
        if len(reached) < 2:
            return f"{on(variant)}it is reached for {len(reached)} of {len(rows)} numbers of agents"
        first, last = reached.iloc[0], reached.iloc[-1]
        power = float(slope(np.log(reached["N"]), np.log(reached["mean"])))
        (small, p), (large, _) = games[first["N"]], games[last["N"]]
        theorem = iota(large, int(last["mean"]), p) / iota(small, int(first["mean"]), p)
        digits = (large.N - small.N) * math.log10(large.A_max)
        missed = rows[~np.isfinite(rows["mean"])]["N"].tolist()
        never = f", never for N = {', '.join(map(str, missed))}" if missed else ""
        return (
            f"{on(variant)}{interval(first)} for N = {first['N']} and {interval(last)} for "
            f"N = {last['N']}, a factor of {number(last['mean'] / first['mean'])} (fitted power "
            f"of N: {power:.2f}){never}; the theorem's log factor grows by {theorem:.2f}, a table "
            f"of joint actions by 10^{digits:.0f}"
        )
