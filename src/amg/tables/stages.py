"""Stages of single runs: their lengths, the signal that decides them, and the bounds learned."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from amg.evaluation.evaluation import check_confidence, evaluate_controller
from amg.results.evaluate import controller_of
from amg.results.run import Run


def run_label(run: Run) -> str:
    """Return a line that names the run: algorithm, game, episodes, seed."""
    rule = run.parameters.get("fluctuation")
    algorithm = f"{run.algorithm} ({rule})" if rule else run.algorithm
    return f"{algorithm} on {run.game.name}, K = {run.episodes:,}, seed {run.seed}"


def stage_table(single: Sequence[Run]) -> pd.DataFrame:
    """Return every stage of the first run."""
    run = single[0]
    assert run.certificate is not None
    key = run.certificate.stage_key
    return pd.DataFrame(
        {
            "step": key[:, 0] + 1,
            "state": [run.game.states[t][s] for t, s in key[:, :2]],
            "episode": key[:, 2],
            "length": key[:, 3],
            "coefficient": run.certificate.stage_coefficient,
            "run": run_label(run),
        }
    )


def signal_table(traced: Run) -> pd.DataFrame:
    """Return the aggregate at every visit to the starting state, and the stage of the visit."""
    assert traced.trace is not None
    start = int(np.argmax(traced.game.initial))
    visits = np.flatnonzero(traced.trace.state[:, 0] == start)
    return pd.DataFrame(
        {
            "episode": visits + 1,
            "aggregate": traced.trace.aggregate[visits, 0],
            "stage": traced.trace.stage[visits, 0, start],
        }
    )


def mechanism_table(traced: Run) -> pd.DataFrame:
    """Return each completed stage of the starting state: its end, length, fluctuation and λ."""
    assert traced.certificate is not None
    rows, signal = _of_start(traced), signal_table(traced)
    ends, lengths = traced.certificate.stage_key[rows, 2:4].T
    signals = [signal.loc[signal["stage"] == m, "aggregate"] for m in range(len(ends))]
    mean = pd.Series([inside.mean() for inside in signals], dtype=float)
    deviation = pd.Series([inside.std() for inside in signals], dtype=float)  # NaN for one visit
    return pd.DataFrame(
        {
            "stage": np.arange(len(ends)),
            "last_episode": ends,
            "length": lengths,
            "coefficient": traced.certificate.stage_coefficient[rows],
            "mean": mean,
            "deviation": deviation,
            # 0 where nothing fluctuates, also where all are idle, as in Algorithm 2
            "cv": (deviation / mean).where(deviation > 0, deviation),
            "run": run_label(traced),
        }
    )


def confidence_table(largest: Sequence[Run]) -> pd.DataFrame:
    """Return V̄, U, V and V̲ of the starting state after each stage of the first run, raw units."""
    run = largest[0]
    assert run.certificate is not None
    game, certificate = run.game, run.certificate
    controller = controller_of(run)
    confidence = check_confidence(certificate, controller, evaluate_controller(game, controller))
    rows = _of_start(run)
    floor = game.T * game.reward_range[0]
    bounds = {
        "upper": certificate.stage_v_bar[rows],
        "informed": confidence.informed[rows],
        "value": confidence.value[rows],
        "lower": certificate.stage_v_low[rows],
    }
    return pd.concat(
        [
            pd.DataFrame({
                "agent": agent, "bound": name, "episode": certificate.stage_key[rows, 2],
                "value": floor + game.scale * values[:, i], "run": run_label(run),
            })
            for i, agent in enumerate(game.agents)
            for name, values in bounds.items()
        ],
        ignore_index=True,
    )  # fmt: skip


def _of_start(run: Run) -> slice:
    """Return the rows of the certificate that are stages of the starting state."""
    assert run.certificate is not None
    return run.certificate.history(0, int(np.argmax(run.game.initial)))
