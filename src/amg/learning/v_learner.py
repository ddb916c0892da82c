"""V-learning as a learner: the kernel's arrays, room for its records, and its certificate."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from amg.base.errors import ParameterError
from amg.evaluation.certificate import Certificate
from amg.game.model import Game, bonus, iota
from amg.kernels.sums import Floats, Ints
from amg.learning.algorithm1 import Rules, learn_any, learn_pair, new_memory, new_stages
from amg.learning.cells import new_cells
from amg.learning.fluctuation import KINDS
from amg.learning.learner import Learner
from amg.learning.lockstep import fits
from amg.learning.parameters import VLearning
from amg.learning.v_lockstep import VLockstep

FIRST_ROWS = 256  # of cells and of stages; they double when full
FIRST_CELLS = 64 << 20  # bytes of cells to begin with, where a game's are large
LARGEST_CELLS = 4 << 30  # bytes of cells; a run that needs more is given up
STAGE_ROWS = ("key", "coefficient", "v_bar", "v_low")
CELL_ROWS = ("key", "visits", "law")


class VLearner(Learner):
    """Algorithm 1 on one run; `certify=False` leaves the cells out, to measure what they cost."""

    STATE = ("memory", "stages", "cells", "returns")
    parameters: VLearning

    def __init__(
        self,
        game: Game,
        parameters: VLearning,
        episodes: int,
        seed: int,
        record: int,
        certify: bool = True,
    ) -> None:
        super().__init__(game, parameters, episodes, seed, record)
        self.certify = certify
        self.memory = new_memory(game)
        self.stages = new_stages(game, FIRST_ROWS)
        rows = min(FIRST_ROWS, FIRST_CELLS // game.reward[0, 0].nbytes)
        self.cells = new_cells(game, max(rows, game.T * game.S))
        limits = {"cv": parameters.cv_max, "mad": parameters.mad_max, "fixed": 1.0}
        self.units = game.units(parameters.rewards)
        self.tables = game.tables_in(self.units)
        self.rules = Rules(
            kind=KINDS[parameters.fluctuation],
            lambda_min=parameters.lambda_min,
            limit=limits[parameters.fluctuation],
            reverse=parameters.direction == "comment",
            real_length=parameters.stage_rule == "real",
            closed_form=parameters.solver == "closed" and parameters.bandit == "tsallis",
            bonus=bonuses(game, parameters, episodes),
            distinct=parameters.signal == "set",
            later=int(parameters.eta == "next"),
            exponential=parameters.bandit == "exponential",
        )
        two = game.N == 2 and bool((game.n_actions[game.exists] == 2).all())
        self.kernel = learn_pair if two and self.rules.closed_form else learn_any

    @staticmethod
    def lockstep(game: Game, parameters: VLearning) -> type[VLockstep] | None:
        own_solver = game.A_max > 2 or parameters.solver == "closed"
        return VLockstep if own_solver and parameters.bandit == "tsallis" and fits(game) else None

    def advance(self, until: int) -> None:
        while self.done < until:
            records = self.memory, self.stages, self.cells, self.returns
            self.kernel(self.tables, self.rules, *records, self.rng, until, self.certify)
            self.make_room([self])

    @staticmethod
    def make_room(learners: "Sequence[VLearner]") -> bool:
        """Double the rows of records if one is too full for another episode; return whether."""
        T, S = learners[0].game.T, learners[0].game.S
        stages = any(x.stages.used[0] + T > len(x.stages.key) for x in learners)
        cells = any(x.cells.used[0] + T * (S + 1) > len(x.cells.key) for x in learners)
        for learner in learners:
            if stages:
                learner.stages = _doubled(learner.stages, STAGE_ROWS)
            if cells:
                learner.check_memory()
                learner.cells = _doubled(learner.cells, CELL_ROWS)
        return stages or cells

    def check_memory(self) -> None:
        """Refuse to double the cells beyond what memory allows."""
        if 2 * self.cells.law.nbytes > LARGEST_CELLS:
            raise ParameterError(
                f"{self.parameters.algorithm}: stage_rule = "
                f"{self.parameters.stage_rule} with lambda_min = "
                f"{self.parameters.lambda_min} made {int(self.cells.used[0])} cells in "
                f"{self.done} episodes of game {self.game.name!r}, more than memory allows: "
                f"its stages hardly grow; use stage_rule = real or a larger lambda_min"
            )

    def result(self) -> dict[str, Any]:
        """Return the certificate: cells and stages in the order of step, state and time."""
        if not self.certify:
            return {}
        stages, cells = self.stages, self.cells
        key = cells.key[: cells.used[0]]
        rows = np.flatnonzero(key[:, 2] < self.memory.stage[key[:, 0], key[:, 1]])  # complete ones
        rows = rows[np.lexsort((rows, key[rows, 2], key[rows, 1], key[rows, 0]))]
        ends = stages.key[: stages.used[0]]
        order = np.lexsort((ends[:, 2], ends[:, 1], ends[:, 0]))
        arrays = {f"cell_{name}": getattr(cells, name)[rows] for name in CELL_ROWS}
        arrays |= {f"stage_{name}": getattr(stages, name)[order] for name in STAGE_ROWS}
        for name in ("v_bar", "v_low"):
            arrays[f"stage_{name}"] = self.normalised(arrays[f"stage_{name}"], ends[order, 0])
        return {"certificate": Certificate(self.game, self.episodes, **arrays)}

    def normalised(self, v: Floats, t: Ints) -> Floats:
        """Return values at steps t, in the units that the agents learn in, for rewards in [0, 1].

        They are sums over the steps left: u V + (T − t + 1)(l − low) in the game's range.
        """
        (low, unit), (least, scale) = self.units, (self.game.reward_range[0], self.game.scale)
        if (low, unit) == (least, scale):
            return v
        left = (self.game.T - t)[:, None]
        return (unit * v + left * (low - least)) / scale


def bonuses(game: Game, parameters: VLearning, episodes: int) -> Floats:
    """Return b_c̃ · √c̃ of each step, state and agent, [T, S, N]."""
    size = np.zeros(game.n_actions.shape)
    log = iota(game, episodes, parameters.p, parameters.iota)
    for t, s, i in np.argwhere(game.n_actions).tolist():
        A_i = game.n_actions[t, s, i] if parameters.actions == "state" else game.A[i]
        size[t, s, i] = bonus(game.T, int(A_i), log, parameters.bonus)
    return size


def _doubled(record: Any, fields: tuple[str, ...]) -> Any:
    """Return the record with these arrays twice as long, the new half zero."""
    longer = {}
    for name in fields:
        old = getattr(record, name)
        longer[name] = np.zeros((2 * len(old), *old.shape[1:]), dtype=old.dtype)
        longer[name][: len(old)] = old
    return record._replace(**longer)
