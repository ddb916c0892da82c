"""The tables of a study: the only list of them.

A new table is an entry here and a function that makes it. The function's parameters are the entry's
`needs`, which `needs.py` explains. Rules, checks, the report, claims and pages all read this list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Columns = Mapping[str, type]

MEASURED: Columns = {"measure": str, "mean": float, "low": float, "high": float}
SEEDS: Columns = {"seeds": int, "level": float}
SERIES: Columns = {"game": str, "learner": str}


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes
    ----------
    name : str
        Its file is tables/<name>.csv.
    title, caption : str
        For reports; the caption is a Jinja2 template over the facts of `amg.report.captions`.
    maker : str
        Module and function in `amg.tables`, as in "gaps.gap_table".
    needs : tuple of str
        What the function is given, by the names of its parameters.
    columns : mapping
        Columns that the table has at least, with the types of their values.
    experiment : str or None
        The experiment whose runs it is made from.
    """

    name: str
    title: str
    caption: str
    maker: str
    needs: tuple[str, ...]
    columns: Columns
    experiment: str | None = None

    @property
    def module(self) -> str:
        """Return the full name of the module that makes it."""
        return f"amg.tables.{self.maker.rpartition('.')[0]}"


ONE_RUN = (
    "one run of {{ f.single.learner }} on {{ f.single.game }}, K = {{ f.single.episodes }}, seed 1"
)
LARGEST_RUN = "one run of {{ f.largest.learner }} on {{ f.largest.game }}, K = {{ f.largest.episodes }}, seed 1"
TRACED_RUN = (
    "one run of {{ f.mechanism.learner }} on {{ f.mechanism.game }} "
    "({{ f.mechanism.episodes }} episodes, seed {{ f.mechanism.seed }})"
)
INTERVALS = "mean and {{ f.level }} bootstrap interval over {{ f.seeds }} seeds"

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table(
            "references",
            "Exact reference values of the games",
            "Exact values of {{ f.games }} per episode: uniform play, team optimum, equilibria. "
            "Computed from the games alone, without learning.",
            "games.reference_table",
            ("games",),
            {"game": str, "reference": str, "agent": str, "value": float},
        ),
        Table(
            "payoffs",
            "Payoff matrices of games of two agents",
            "What each pair of actions pays, for every step and state of the games of two agents "
            "among {{ f.games }}.",
            "games.payoff_table",
            ("games",),
            {"game": str, "step": int, "state": str, "action 1": str, "action 2": str,
             "pay 1": float, "pay 2": float},
        ),
        Table(
            "locality",
            "What an agent's update reads",
            f"What an agent's update reads, in {TRACED_RUN}: errors of a replay from its own "
            "action, reward and state and the public aggregate, and of runs in which everything "
            "else was perturbed.",
            "locality.locality_table",
            ("traced", "traced_game"),
            {"game": str, "agents": int, "agent": str, "episodes": int, "visits": int,
             "policy_error": float, "v_bar_error": float, "length_errors": int,
             "length_errors_without_aggregate": int, "perturbed": int, "regrouped": int,
             "changed": int},
            "mechanism",
        ),
        Table(
            "signal",
            "The aggregate, visit by visit, in one short run",
            f"The public aggregate at each visit of the starting state in {TRACED_RUN}.",
            "runs.signal_table",
            ("traced",),
            {"episode": int, "aggregate": float, "stage": int},
            "mechanism",
        ),
        Table(
            "mechanism",
            "How stages of one short run grew",
            f"The stages of the starting state in {TRACED_RUN}: length, mean and deviation of the "
            "aggregate, fluctuation coefficient.",
            "runs.mechanism_table",
            ("traced",),
            {"stage": int, "last_episode": int, "length": int, "coefficient": float, "mean": float,
             "deviation": float, "cv": float, "run": str},
            "mechanism",
        ),
        Table(
            "returns",
            "Rewards over episodes, with intervals",
            "Mean return of {{ f.experiments.rewards.learners }} on "
            "{{ f.experiments.rewards.games }} by blocks of episodes, for each agent and on "
            f"average: {INTERVALS} ({{{{ f.resamples }}}} resamples).",
            "runs.returns_table",
            ("groups", "bootstrap"),
            {**SERIES, "algorithm": str, "agent": str, "episode": int, "mean": float, "low": float,
             "high": float, **SEEDS},
            "rewards",
        ),
        Table(
            "single_run",
            "Rewards of one run, episode by episode",
            f"Return of each agent in every episode of {ONE_RUN}.",
            "runs.single_run_table",
            ("single",),
            {"agent": str, "episode": int, "return": float},
            "rewards",
        ),
        Table(
            "stages",
            "Stages of one run",
            f"Every stage of {ONE_RUN}: step, state, the episode it ended in, length, fluctuation "
            "coefficient.",
            "runs.stage_table",
            ("single",),
            {"step": int, "state": str, "episode": int, "length": int, "coefficient": float,
             "run": str},
            "rewards",
        ),
        Table(
            "restart",
            "Rewards within a stage, over all long stages",
            "Mean and standard deviation of the return by position within a stage, over the long "
            "stages of {{ f.seeds }} runs of {{ f.single.learner }} on {{ f.single.game }}, with "
            "{{ f.level }} intervals over seeds.",
            "runs.restart_table",
            ("single", "bootstrap"),
            {"position": float, **MEASURED, **SEEDS},
            "rewards",
        ),
        Table(
            "exploration",
            "Independent Q-learning across its exploration",
            "Reward and equilibrium gap of independent Q-learning on "
            "{{ f.experiments.exploration.games }} after {{ f.experiments.exploration.episodes }} "
            "episodes with {{ f.experiments.exploration.varied }}; {{ f.level }} intervals over "
            "{{ f.seeds }} seeds.",
            "gaps.exploration_table",
            ("evaluations", "varied", "bootstrap"),
            {**SERIES, **MEASURED, **SEEDS},
            "exploration",
        ),
        Table(
            "gaps",
            "Equilibrium gaps against K, with intervals",
            "Equilibrium gaps and the agents' own bounds of "
            '{{ f.experiments["sample-complexity"].learners }} on '
            '{{ f.experiments["sample-complexity"].games }} at '
            f'K = {{{{ f.experiments["sample-complexity"].episodes }}}}: {INTERVALS}.',
            "gaps.gap_table",
            ("evaluations", "bootstrap"),
            {**SERIES, "episodes": int, **MEASURED, **SEEDS},
            "sample-complexity",
        ),
        Table(
            "slopes",
            "Slopes of the gaps against K",
            "Slopes of log gap against log K over the upper {{ f.decades }} decades of K, with "
            "{{ f.level }} intervals over {{ f.seeds }} seeds. The theorem's rate has slope −0.5.",
            "gaps.slope_table",
            ("evaluations", "bootstrap", "decades"),
            {**SERIES, "measure": str, "slope": float, "low": float, "high": float, "from": int,
             "to": int, "level": float},
            "sample-complexity",
        ),
        Table(
            "theory",
            "The theorem's rate beside what was measured",
            "The theorem's rate at every K for p = {{ f.p }}, and the constant by which what was "
            "measured differs from it.",
            "gaps.theory_table",
            ("games", "gaps", "p"),
            {**SERIES, "episodes": int, "measure": str, "rate": float, "constant": float,
             "p": float},
            "sample-complexity",
        ),
        Table(
            "coverage",
            "How often the confidence lemma holds",
            "Share of nodes (step, state, stage) where the bounds of the confidence lemma hold, "
            "and in how many of {{ f.seeds }} runs they hold at all of them. The lemma allows "
            "p = {{ f.p }} of runs to fail.",
            "gaps.coverage_table",
            ("evaluations",),
            {**SERIES, "episodes": int, "lower": float, "upper": float, "runs": int,
             "runs_holding": int, "stages": float},
            "sample-complexity",
        ),
        Table(
            "confidence",
            "The lemma's bounds over one run",
            "Bounds and exact values of the starting state after each of its stages, in "
            f"{LARGEST_RUN}.",
            "runs.confidence_table",
            ("largest",),
            {"agent": str, "bound": str, "episode": int, "value": float, "run": str},
            "sample-complexity",
        ),
        Table(
            "agents",
            "Equilibrium gaps against the number of agents",
            "Equilibrium gap of {{ f.experiments.agents.learners }} on "
            "{{ f.experiments.agents.games }} at K = {{ f.experiments.agents.episodes }}: mean "
            "and {{ f.level }} interval over {{ f.experiments.agents.seeds }} seeds, in raw units; "
            "the reward range stands beside it.",
            "gaps.agents_table",
            ("evaluations", "games", "bootstrap"),
            {"learner": str, "episodes": int, "measure": str, "game": str, "agents": int,
             "range": float, "mean": float, "low": float, "high": float, **SEEDS},
            "agents",
        ),
        Table(
            "agent_slopes",
            "Slopes of the gaps against the number of agents",
            "Slopes of log gap against log N at K = {{ f.experiments.agents.episodes }}, with "
            "{{ f.level }} intervals over {{ f.experiments.agents.seeds }} seeds.",
            "gaps.agent_slopes_table",
            ("evaluations", "games", "bootstrap", "p"),
            {"learner": str, "episodes": int, "measure": str, "slope": float, "low": float,
             "high": float, "theorem": float, "least": int, "most": int, **SEEDS},
            "agents",
        ),
        Table(
            "growth",
            "How the lengths of stages grow",
            "How the lengths of stages grow from one to the next, and the share of episodes spent "
            "where they do not: mean and {{ f.level }} interval over the seeds of each series at "
            "its largest K.",
            "gaps.growth_table",
            ("stage_lengths", "bootstrap"),
            {"experiment": str, **SERIES, "stage_rule": str, "horizon": int, "agents": int,
             "episodes": int, **MEASURED, **SEEDS},
            "stall",
        ),
    )
}  # fmt: skip
