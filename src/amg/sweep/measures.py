"""What a sweep can measure of its runs: names of the exact evaluation, and how to speak of them."""

from __future__ import annotations

from typing import NamedTuple


class Measure(NamedTuple):
    """A column of the evaluations."""

    title: str
    positive: bool  # spans orders of magnitude: shown on a logarithmic scale
    share: bool = False  # lies in [0, 1]


MEASURES: dict[str, Measure] = {
    "max_gap": Measure("equilibrium gap", positive=True),
    "relative_gap": Measure("gap / reward range", positive=True),
    "max_informed_gap": Measure("informed gap", positive=True),
    "max_own_bound": Measure("agents' own bound", positive=True),
    "lemma_holds": Measure("share of runs where the lemma holds", positive=False, share=True),
    "lower_coverage": Measure("nodes with V̲ ≤ V", positive=False, share=True),
    "upper_coverage": Measure("nodes with U ≤ V̄", positive=False, share=True),
    "mean_return": Measure("mean return in training", positive=False),
    "mean_value": Measure("value of the policy", positive=False),
    "stages": Measure("stages", positive=True),
    "cells": Measure("cells of the certificate", positive=True),
    "nodes": Measure("nodes of the policy", positive=True),
    "ratio": Measure("growth of stages", positive=False),
    "not_grown": Measure("stages that did not grow", positive=False, share=True),
    "visits_stuck": Measure("visits in stages of length T", positive=False, share=True),
    "stuck": Measure("most stages of length T in a row", positive=True),
}
EPISODES_TO = "episodes_to_target"  # derived: episodes until the gap reaches the target
DERIVED = Measure("episodes to the target", positive=True)


def measure(name: str) -> Measure:
    return DERIVED if name == EPISODES_TO else MEASURES[name]
