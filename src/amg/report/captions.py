"""What Snakemake's report says about each file: category, labels, and the facts in its captions.

Captions are templates in workflow/report; `facts` is all they know, made of the config alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from amg.figures import FIGURES
from amg.plan import Series
from amg.study import Study

FILES = {"png": "picture", "pdf": "picture to print", "csv": "data in it", "md": "caption"}
TABLES = {
    "references": "Exact reference values of the games",
    "returns": "Rewards over episodes, with intervals",
    "single_run": "Rewards of one run, episode by episode",
    "stages": "Stages of one run",
    "restart": "Rewards within a stage, over all long stages",
    "gaps": "Equilibrium gaps against K, with intervals",
    "slopes": "Slopes of the gaps against K",
    "theory": "The theorem's rate beside what was measured",
    "coverage": "How often the confidence lemma holds",
    "confidence": "The lemma's bounds over one run",
    "exploration": "Independent Q-learning across its exploration",
    "signal": "The aggregate, visit by visit, in one short run",
    "mechanism": "How stages of one short run grew",
    "growth": "How the lengths of stages grow",
    "agents": "Equilibrium gaps against the number of agents",
    "agent_slopes": "Slopes of the gaps against the number of agents",
    "payoffs": "Payoff matrices of games of two",
    "locality": "What an agent's update reads",
    "timing": "Time and memory of every job",
}
CLAIMS = {
    "claims.html": ("claims", "The claims page: one file for everything"),
    "claims.md": ("claims", "Claims and verdicts, as text"),
    "claims.json": ("claims", "Claims and verdicts, as data"),
    "findings.md": ("findings", "What was found, in sentences"),
}
MANY = 4  # agents: more are not named one by one
EXPERIMENT = {  # what a figure shows
    "agent_rewards": "rewards",
    "average_reward": "rewards",
    "three_algorithms": "rewards",
    "sample_complexity": "sample-complexity",
    "confidence": "sample-complexity",
}


def figure_flags(name: str, suffix: str) -> dict[str, Any]:
    """Arguments of `report` for a file of a figure."""
    number = list(FIGURES).index(name) + 1
    return {
        "caption": f"../report/figures/{name}.rst",
        "category": "Figures",
        "labels": {"figure": f"{number}. {FIGURES[name].title}", "file": FILES[suffix]},
    }


def table_flags(name: str) -> dict[str, Any]:
    """Arguments of `report` for a table."""
    return {
        "caption": f"../report/tables/{name}.rst",
        "category": "Tables",
        "labels": {"table": name, "shows": TABLES[name]},
    }


def claims_flags(file: str) -> dict[str, Any]:
    """Arguments of `report` for a file about claims or findings."""
    caption, title = CLAIMS[file]
    return {
        "caption": f"../report/{caption}.rst",
        "category": "Claims",
        "labels": {"file": file, "shows": title},
    }


def games_shown(study: Study, figure: str) -> list[str]:
    """Labels of the games in a figure."""
    if figure not in EXPERIMENT:
        return [str(study.config["mechanism"]["game"])]
    return list(dict.fromkeys(s.game_label for s in study.experiment(EXPERIMENT[figure])))


def facts(study: Study) -> dict[str, Any]:
    """Numbers and names for captions, ready to print."""
    config = study.config
    bootstrap, mechanism = config["bootstrap"], config["mechanism"]
    return {
        "seeds": config["seeds"],
        "level": f"{bootstrap['level']:.0%}",
        "resamples": f"{bootstrap['resamples']:,}",
        "decades": config["slope_decades"],
        "p": study.failure_probability,
        "runs": f"{sum(len(batch.runs) for batch in study.batches()):,}",
        "games": listed(study.games),
        "learners": listed(study.learners),
        "experiments": {
            name: experiment_facts(study.experiment(name)) for name in config["experiments"]
        },
        "mechanism": {
            "game": mechanism["game"],
            "learner": mechanism["learner"],
            "episodes": f"{study.mechanism['episodes']:,}",
            "seed": mechanism["seed"],
        },
        "parameters": {
            label: parameter_facts([one for one in study.series if one.learner_label == label])
            for label in study.learners
        },
        "sizes": {
            label: {
                "agents": listed(game.agents) if game.N <= MANY else f"{game.N} agents",
                "horizon": str(game.T),
                "rewards": "[{:g}, {:g}]".format(*game.reward_range),
                "digest": game.digest[:16],
            }
            for label, game in study.games.items()
        },
        "figures": {name: games_shown(study, name) for name in FIGURES},
        "shown": _one(study.shown),
        "largest": _one(study.learned),
    }


def experiment_facts(series: list[Series]) -> dict[str, str]:
    """Games, learners, numbers of episodes and what is varied, of one experiment."""
    varied: dict[str, list[str]] = {}
    for one in series:
        for key, value in one.settings.items():
            varied.setdefault(key, []).append(str(value))
    return {
        "games": listed(one.game_label for one in series),
        "learners": listed(one.learner_label for one in series),
        "episodes": listed(f"{K:,}" for K in sorted({K for one in series for K in one.episodes})),
        "varied": "; ".join(
            f"{key} = {', '.join(dict.fromkeys(values))}" for key, values in varied.items()
        ),
        "seeds": listed(f"{one.seeds:,}" for one in series),
        "runs": f"{sum(len(one.runs()) for one in series):,}",
    }


def parameter_facts(series: list[Series]) -> dict[str, str]:
    """The algorithm and every parameter of a learner, defaults too; none if it is not used."""
    if not series:
        return {}
    values = [one.parameters.as_dict() for one in series]
    return {
        "algorithm": series[0].parameters.algorithm,
        **{key: listed(str(value[key]) for value in values) for key in values[0]},
    }


def listed(names: Iterable[str]) -> str:
    """a, b and c; each once."""
    unique = list(dict.fromkeys(names))
    return " and ".join([", ".join(unique[:-1]), unique[-1]] if len(unique) > 1 else unique)


def _one(series: Series) -> dict[str, str]:
    return {
        "game": series.game_label,
        "learner": series.learner_label,
        "episodes": f"{series.episodes[-1]:,}",
    }
