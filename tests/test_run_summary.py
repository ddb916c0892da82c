"""What is said of a run: its sums."""

from __future__ import annotations

import dataclasses

import numpy as np

from amg.games import build
from amg.learning.parameters import VLearning
from amg.learning.training import train
from amg.summary import summarise


def test_the_mean_return_keeps_its_digits() -> None:
    """A loss of 10^16 that an equal gain makes up for, between returns of 1; by hand 3/5."""
    run = train(build("fishermen"), VLearning(), 5, seed=1, record=5)
    returns = np.array([[1.0, 3.0], [1e16, 0.0], [1.0, 0.0], [-1e16, 0.0], [1.0, 0.0]])
    run = dataclasses.replace(run, returns=returns)
    assert summarise(run)["mean_return"] == [0.6, 0.6]
