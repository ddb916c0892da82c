"""Facts about a study, ready to print, and the captions that Snakemake's report shows.

The captions of tables and figures are Jinja2 templates in their registries. A template sees the
facts as `f`: `{{ f.level }}`, `{{ f.experiments.rewards.games }}`.
"""

from collections.abc import Iterable
from typing import Any

import jinja2

from amg.base.text import join_words
from amg.figures import FIGURES
from amg.study.plan import Series
from amg.study.study import Study
from amg.tables import BY_EXPERIMENT, GAMES, TABLES

MANY = 4  # agents: more are not named one by one


def captions(study: Study) -> dict[str, dict[str, Any]]:
    """Return the facts of a study and the caption of every table and figure.

    The captions are reStructuredText. Snakemake's report reads them from `config["captions"]`.
    """
    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string
    known = facts(study)
    return {
        "facts": known,
        "tables": {name: template(one.caption).render(f=known) for name, one in TABLES.items()},
        "figures": {name: template(one.caption).render(f=known) for name, one in FIGURES.items()},
    }


def facts(study: Study) -> dict[str, Any]:
    """Return the numbers and names that captions and the claims page print."""
    config = study.config
    needed = {*BY_EXPERIMENT} - {GAMES}
    return {
        "seeds": config.seeds,
        "first_seed": config.first_seed,
        "level": f"{100 * config.confidence:g}%",
        "decades": f"{config.slope_decades:g}",
        "p": study.failure_probability,
        "runs": f"{sum(job.runs for job in study.jobs()):,}",
        "games": _names(study.games),
        "learners": _names(config.learners),
        "experiments": {
            name: experiment_facts(study.experiment(name))
            for name in dict.fromkeys([*config.experiments, *sorted(needed - {"mechanism"})])
        },
        "mechanism": {
            **config.mechanism.model_dump(),  # game, learner and seed
            "episodes": f"{config.mechanism.episodes:,}",
        },
        "parameters": {
            label: parameter_facts(series)
            for label in config.learners
            if (series := [one for one in study.series if one.learner_label == label])
        },
        "sizes": {
            label: {
                "agents": _names(game.agents) if game.N <= MANY else f"{game.N} agents",
                "horizon": str(game.T),
                "rewards": "[{:g}, {:g}]".format(*game.reward_range),
                "digest": game.digest[:16],
            }
            for label, game in study.games.items()
        },
        "figures": {name: games_shown(study, name) for name in FIGURES},
        "single": _largest_run(study.single),
        "largest": _largest_run(study.learned),
    }


def games_shown(study: Study, figure: str) -> list[str]:
    """Return the labels of the games in a figure, from the experiments of its tables."""
    labels: list[str] = []
    for experiment in (TABLES[table].experiment for table in FIGURES[figure].tables):
        if experiment == "mechanism":
            labels.append(study.config.mechanism.game)
        labels += [series.game_label for series in study.experiment(experiment)]
    return list(dict.fromkeys(labels))


def experiment_facts(all_series: list[Series]) -> dict[str, str]:
    """Return games, learners, numbers of episodes and varied parameters of one experiment."""
    varied: dict[str, list[str]] = {}
    for series in all_series:
        for key, value in series.settings.items():
            varied.setdefault(key, []).append(value)
    episodes = sorted({K for series in all_series for K in series.episodes})
    return {
        "games": _names(series.game_label for series in all_series),
        "learners": _names(series.learner_label for series in all_series),
        "episodes": _names(f"{K:,}" for K in episodes),
        "varied": "; ".join(
            f"{key} = {', '.join(dict.fromkeys(values))}" for key, values in varied.items()
        ),
        "seeds": _names(f"{series.seeds:,}" for series in all_series),
        "runs": f"{sum(len(series.episodes) * series.seeds for series in all_series):,}",
    }


def parameter_facts(all_series: list[Series]) -> dict[str, Any]:
    """Return the algorithm of a learner, and every parameter with the values it has."""
    values = [series.parameters.as_dict() for series in all_series]
    return {
        "algorithm": all_series[0].parameters.algorithm,
        "settings": [f"{key} = {_names(str(one[key]) for one in values)}" for key in values[0]],
    }


def _names(names: Iterable[str]) -> str:
    return join_words(dict.fromkeys(names)) or "none"


def _largest_run(series: Series) -> dict[str, str]:
    return {
        "seed": str(series.first_seed),
        "game": series.game_label,
        "learner": series.learner_label,
        "episodes": f"{series.episodes[-1]:,}",
    }
