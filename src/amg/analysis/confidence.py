"""The confidence lemma over the episodes of one run, and its coverage over all runs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from amg.analysis.labels import run_label
from amg.certification.confidence import check_confidence
from amg.certification.controller import controller_of
from amg.certification.evaluation import evaluate
from amg.run import Run


def confidence_table(run: Run) -> pd.DataFrame:
    """V̄, U, V and V̲ of the starting state after each of its stages, raw units, per agent."""
    assert run.certificate is not None
    game, certificate = run.game, run.certificate
    controller = controller_of(run)
    confidence = check_confidence(certificate, controller, evaluate(game, controller))
    rows = certificate.history(0, int(np.argmax(game.initial)))
    floor = game.T * game.reward_range[0]
    bounds = {
        "upper": certificate.stage_v_bar[rows],
        "informed": confidence.informed[rows],
        "value": confidence.value[rows],
        "lower": certificate.stage_v_low[rows],
    }
    episode = certificate.stage_key[rows, 2]
    return pd.concat(
        [
            pd.DataFrame({
                "agent": agent, "bound": name, "episode": episode,
                "value": floor + game.scale * values[:, i], "run": run_label(run),
            })
            for i, agent in enumerate(game.agents)
            for name, values in bounds.items()
        ],
        ignore_index=True,
    )  # fmt: skip


def coverage_table(evaluations: pd.DataFrame) -> pd.DataFrame:
    """Shares of nodes where each bound holds and of runs where both hold everywhere."""
    learned = evaluations[evaluations["max_own_bound"].notna()]
    groups = learned.groupby(["game", "learner", "episodes"], sort=False)
    return pd.DataFrame(
        [
            {
                **dict(zip(("game", "learner", "episodes"), key, strict=True)),
                "lower": group["lower_coverage"].mean(),
                "upper": group["upper_coverage"].mean(),
                "runs": len(group),
                "runs_holding": int(group["lemma_holds"].astype(bool).sum()),
                "stages": group["stages"].mean(),
            }
            for key, group in groups
        ]
    )
