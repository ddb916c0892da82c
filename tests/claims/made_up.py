"""Made-up tables of a study in which every claim holds, and ways to spoil them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

Tables = dict[str, pd.DataFrame]
Spoil = Callable[[Tables], None]
ACTIONS = ("intensive", "mild")
PAYS = {"high": [[(10, 10), (18, 3)], [(3, 18), (9, 9)]],
        "low": [[(9, 9), (17, 2)], [(2, 17), (8, 8)]]}  # fmt: skip


def around(mean: float, width: float = 0.1) -> dict[str, float]:
    """A mean and an interval around it, of 20 seeds."""
    low, high = sorted((mean * (1 - width), mean * (1 + width)))
    return {"mean": mean, "low": low, "high": high, "seeds": 20, "level": 0.95}


def study() -> Tables:
    """Everything as the paper has it, uniform play earning less than the equilibrium."""
    earned = {"v-cv": 19.4, "v-mad": 19.35, "centralized-q": 20.65, "independent-q": 18.0}
    gaps = {"v-cv": 0.01, "v-mad": 0.011, "v-stage": 0.02, "independent-q": 3.0}
    values = {"v-cv": 19.3, "v-mad": 19.3, "v-stage": 19.3, "independent-q": 17.0}
    baselines = {"v-cv": 0.1, "v-stage": 0.1, "v-incremental": 0.3, "v-stage-exponential": 0.2,
                 "v-incremental-tsallis": 0.15}  # fmt: skip
    games, learners = ("fishermen", "inspection"), ("v-cv", "v-mad", "v-stage")
    return {
        "returns": pd.DataFrame([
            {"game": "fishermen", "learner": name, "episodes": 80, "agent": agent,
             "episode": 10 * k, **around(mean, 0.001)}
            for name, mean in earned.items() for agent in ("average", "fisher 1", "fisher 2")
            for k in range(1, 9)
        ]),
        "late_returns": pd.DataFrame([
            {"game": "fishermen", "learner": name, "episodes": 80, "agent": agent,
             **around(mean, 0.001)}
            for name, mean in earned.items() for agent in ("average", "fisher 1", "fisher 2")
        ]),
        "references": pd.DataFrame([
            {"game": "fishermen", "reference": name, "agent": "average", "value": value}
            for name, value in
            {"every CCE": 19.2, "uniform play": 15.0, "team optimum": 20.66}.items()
        ]),
        "restart": pd.DataFrame([
            {"position": j / 10, "measure": "standard deviation of an agent", **around(s, 0.05)}
            for j, s in enumerate([4.0, 2.0, 1.6, 1.55, 1.52, 1.5])
        ]),
        "exploration": pd.DataFrame([{"game": "fishermen", "epsilon": 0.5,
                                      "measure": "mean_return", **around(18.5, 0.001)}]),
        "baselines": pd.DataFrame([
            {"game": game, "learner": name, "episodes": 10**6, "measure": measure, **around(value)}
            for game in (*games, "congestion") for name, value in baselines.items()
            for measure in ("max_gap_low", "max_gap")
        ]),
        "gaps": pd.DataFrame([
            {"game": game, "learner": name, "episodes": K, "measure": measure,
             **around(value * 1e7 / K)}
            for game in games for name, value in gaps.items() for K in (10**6, 10**7)
            for measure in ("max_gap_low", "max_gap")
        ] + [
            {"game": game, "learner": name, "episodes": K, "measure": "mean_value",
             **around(value, 0.001)}
            for game in games for name, value in values.items() for K in (10**6, 10**7)
        ]),
        "slopes": pd.DataFrame([
            {"game": game, "learner": "v-cv", "measure": measure, "slope": -0.6, "low": -0.7,
             "high": -0.55, "from": 10**5, "to": 10**7, "chi2": 2.5, "freedom": 3,
             "p_value": 0.5} for game in games for measure in ("max_gap", "max_own_bound")
        ]),
        "local_slopes": pd.DataFrame([
            {"game": game, "learner": "v-cv", "measure": measure, "slope": slope,
             "low": slope - 0.1, "high": slope + 0.05, "from": K, "to": 10 * K}
            for game in games for measure in ("max_gap", "max_own_bound")
            for K, slope in {10**4: -0.6, 10**5: -0.6, 10**6: -0.7}.items()
        ]),
        "theory": pd.DataFrame([
            {"game": "fishermen", "learner": learner, "measure": measure, "constant": constant,
             "p": 0.05, "episodes": K, "mean": constant, "bound": 5e7 / K, "range": 32}
            for measure, constant in {"max_gap": 0.2, "max_own_bound": 0.9}.items()
            for learner in ("v-cv", "v-stage") for K in (10**6, 10**7)
        ]),
        "coverage": pd.DataFrame([
            {"game": game, "learner": name, "episodes": 1000, "runs": 20, "runs_tested": 20,
             "runs_holding": 20}
            for game in games for name in learners
        ]),
        "control": pd.DataFrame([{"runs": 20, "runs_tested": 20, "runs_holding": 3}]),
        "growth": pd.DataFrame([
            {"game": game, "learner": name, "stage_rule": "floor", "agents": 2, "episodes": 1000,
             "measure": measure, **around(value)}
            for game in games for name in (*learners, "v-real")
            for measure, value in
            {"ratio": 1.4, "not_grown": 0.0, "visits_stuck": 1e-4, "stuck": 1.0}.items()
        ]),
        "agents": pd.DataFrame([{"learner": "v-real"}]),
        "agent_slopes": pd.DataFrame([
            {"learner": "v-real", "episodes": K, "measure": measure, "slope": 0.03, "low": 0.01,
             "high": 0.05, "theorem": 0.026, "least": 2, "most": 16, "seeds": 10}
            for K in (1000, 10000) for measure in ("gap", "gap in reward ranges")
        ]),
        "payoffs": pd.DataFrame([
            {"game": "fishermen", "step": t, "state": state, "action 1": a, "action 2": b,
             "pay 1": PAYS[state][i][j][0], "pay 2": PAYS[state][i][j][1]}
            for t in (1, 2) for state in PAYS
            for i, a in enumerate(ACTIONS) for j, b in enumerate(ACTIONS)
        ]),
        "locality": pd.DataFrame([
            {"agent": agent, "visits": 1000, "policy_error": 1e-15, "v_bar_error": 0.0,
             "length_errors": 0, "length_errors_without_aggregate": 0, "perturbed": 500,
             "regrouped": 200, "changed": 0} for agent in ("fisher 1", "fisher 2")
        ]),
    }  # fmt: skip


def put(table: str, column: str, value: Any, **where: Any) -> Spoil:
    """Change a column where other columns have these values; a mean takes its interval along."""

    def spoil(tables: Tables) -> None:
        frame = tables[table] = tables[table].copy()
        chosen = pd.Series(True, index=frame.index)
        for key, wanted in where.items():
            chosen &= frame[key] == wanted
        assert chosen.any(), (table, where)
        values = around(value, 0.001) if column == "mean" else {column: value}
        for name in {"mean": ("mean", "low", "high")}.get(column, (column,)):
            frame[name] = frame[name].astype(object if isinstance(value, str) else float)
            frame.loc[chosen, name] = values[name]

    return spoil


def drop(table: str, **where: Any) -> Spoil:
    """Take out the rows with these values, or the whole table."""

    def spoil(tables: Tables) -> None:
        if not where:
            del tables[table]
            return
        for key, wanted in where.items():
            tables[table] = tables[table][tables[table][key] != wanted]

    return spoil


def both(*spoils: Spoil) -> Spoil:
    def spoil(tables: Tables) -> None:
        for one in spoils:
            one(tables)

    return spoil


def nothing(tables: Tables) -> None:
    """Leave everything as it is."""
