"""V-learning as a learner: the kernel's arrays, room for its records, and its certificate."""

from __future__ import annotations

from typing import Any

import numpy as np

from amg.base.errors import ParameterError
from amg.evaluation.certificate import Certificate
from amg.game.model import Game
from amg.game.theory import bonus
from amg.learning.algorithm1 import Rules, learn_any, learn_pair, new_memory, new_stages
from amg.learning.cells import new_cells
from amg.learning.fluctuation import KINDS
from amg.learning.learner import Learner, insist
from amg.learning.parameters import VLearning

FIRST_ROWS = 256  # of cells and of stages; they double when full
FIRST_CELLS = 64 << 20  # bytes of cells to begin with, where a game's are large
STAGE_ROWS = ("key", "coefficient", "v_bar", "v_low")
CELL_ROWS = ("key", "visits", "law")
LARGEST_CELLS = 4 << 30  # bytes of cells, beyond which a run is given up


class VLearner(Learner):
    """Algorithm 1 on one run; `certify=False` leaves the cells out, to measure what they cost."""

    parameters: VLearning
    GROWING = frozenset(
        [f"stages.{field}" for field in STAGE_ROWS] + [f"cells.{field}" for field in CELL_ROWS]
    )

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
        self.rules = kernel_rules(game, parameters, episodes)
        two = game.N == 2 and bool((game.n_actions[game.exists] == 2).all())
        self.kernel = learn_pair if two and self.rules.closed_form else learn_any

    def advance(self, until: int) -> None:
        while self.done < until:
            self.kernel(
                self.game.tables,
                self.rules,
                self.memory,
                self.stages,
                self.cells,
                self.returns,
                self.rng,
                until,
                self.certify,
            )
            self._make_room()

    def _make_room(self) -> None:
        """Twice the rows for whichever record is too full for another episode."""
        T, S = self.game.T, self.game.S
        if self.stages.used[0] + T > len(self.stages.key):
            self.stages = _doubled(self.stages, STAGE_ROWS)
        if self.cells.used[0] + T * (S + 1) > len(self.cells.key):
            if 2 * self.cells.law.nbytes > LARGEST_CELLS:
                parameters = self.parameters
                raise ParameterError(
                    f"v_learning: stage_rule = {parameters.stage_rule} with lambda_min = "
                    f"{parameters.lambda_min} made {int(self.cells.used[0])} cells in {self.done} "
                    f"episodes of game {self.game.name!r}, more than memory allows: its stages "
                    f"hardly grow; use stage_rule = real or a larger lambda_min"
                )
            self.cells = _doubled(self.cells, CELL_ROWS)

    def _memory(self) -> dict[str, Any]:
        return {"memory": self.memory, "stages": self.stages, "cells": self.cells}

    def _restore(self, memory: dict[str, Any]) -> None:
        self.memory, self.stages, self.cells = memory["memory"], memory["stages"], memory["cells"]

    def _check(self) -> None:
        game, stages, cells = self.game, self.stages, self.cells
        for group, record, fields in (("stages", stages, STAGE_ROWS), ("cells", cells, CELL_ROWS)):
            rows = {len(getattr(record, field)) for field in fields}
            insist(len(rows) == 1 and record.used[0] <= max(rows), f"another number of {group}")
        key, row = cells.key[: cells.used[0]], cells.row[game.exists]
        insist(((row >= 0) & (row < cells.used[0])).all(), "open cells that are not there")
        insist((key[:, :2] < (game.T, game.S)).all(), "cells of no step and state")

    def _result(self) -> dict[str, Any]:
        """The certificate: cells and stages in the order of step, state and time."""
        if not self.certify:
            return {}
        stages, cells = self.stages, self.cells
        key = cells.key[: cells.used[0]]
        complete = key[:, 2] < self.memory.stage[key[:, 0], key[:, 1]]
        rows = np.flatnonzero(complete)
        rows = rows[np.lexsort((rows, key[rows, 2], key[rows, 1], key[rows, 0]))]
        ends = stages.key[: stages.used[0]]
        order = np.lexsort((ends[:, 2], ends[:, 1], ends[:, 0]))
        certificate = Certificate(
            game=self.game,
            episodes=self.episodes,
            cell_key=key[rows],
            cell_visits=cells.visits[rows],
            cell_law=cells.law[rows],
            stage_key=ends[order],
            stage_coefficient=stages.coefficient[order],
            stage_v_bar=stages.v_bar[order],
            stage_v_low=stages.v_low[order],
        )
        return {"certificate": certificate}


def kernel_rules(game: Game, parameters: VLearning, episodes: int) -> Rules:
    """The parameters as the kernel wants them."""
    limits = {"cv": parameters.cv_max, "mad": parameters.mad_max, "fixed": 1.0}
    return Rules(
        kind=KINDS[parameters.fluctuation],
        lambda_min=parameters.lambda_min,
        limit=limits[parameters.fluctuation],
        reverse=parameters.direction == "comment",
        real_length=parameters.stage_rule == "real",
        closed_form=parameters.solver == "closed",
        bonus=np.array(
            [bonus(game, i, episodes, parameters.p, parameters.bonus) for i in range(game.N)]
        ),
    )


def _doubled(record: Any, fields: tuple[str, ...]) -> Any:
    """The record with these arrays twice as long, zeros behind."""
    grown = {}
    for name in fields:
        old = getattr(record, name)
        grown[name] = np.zeros((2 * len(old), *old.shape[1:]), dtype=old.dtype)
        grown[name][: len(old)] = old
    return record._replace(**grown)
