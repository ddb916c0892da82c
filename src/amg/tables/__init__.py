"""The only list of the tables of a study.

A new table is an entry here and a function that makes it. The function's parameters name what it
is made from (`needs.py`). Rules, checks, the report, claims and pages all read this list. One job
makes the tables of one experiment, in this order.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any

Columns = Mapping[str, type]

GAMES = "games"  # stands for an experiment where nothing is learned

INTERVAL: Columns = {"mean": float, "low": float, "high": float, "seeds": int, "level": float}
SERIES: Columns = {"game": str, "learner": str}
COVERAGE: Columns = {
    **SERIES, "episodes": int, "lower": float, "upper": float, "tested": float, "runs": int,
    "runs_tested": int, "runs_holding": int, "stages": float,
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """One table of the study."""

    name: str  # its file is tables/<name>.csv
    maker: str  # module and function in amg.tables, as in "gaps.gap_table"
    experiment: str  # whose runs it is made from; GAMES if it is made from none
    title: str
    caption: str  # a Jinja2 template over the facts `f` of amg.report.captions
    columns: Columns  # that it has at least, with the types of their values

    @property
    def module(self) -> str:
        """Return the full name of the module that makes it."""
        return f"amg.tables.{self.maker.split('.')[0]}"

    @property
    def function(self) -> Callable[..., Any]:
        """Return the function that makes it. Its module is imported only when it is needed."""
        return getattr(import_module(self.module), self.maker.split(".")[1])

    @property
    def needs(self) -> list[str]:
        """Return what it is made from: the names of the function's parameters."""
        return list(signature(self.function).parameters)


ONE_RUN = (
    "one run of {{ f.single.learner }} on {{ f.single.game }}, K = {{ f.single.episodes }}, "
    "seed {{ f.single.seed }}"
)
LARGEST_RUN = ONE_RUN.replace("single", "largest")
TRACED_RUN = (
    "one run of {{ f.mechanism.learner }} on {{ f.mechanism.game }} "
    "({{ f.mechanism.episodes }} episodes, seed {{ f.mechanism.seed }})"
)
INTERVALS = "mean and {{ f.level }} interval over {{ f.seeds }} seeds"

ALL = (
    Table("references", "games.reference_table", GAMES,
          "Exact reference values of the games",
          "Exact values of {{ f.games }} per episode: uniform play, team optimum, equilibria. "
          "Computed from the games alone, without learning.",
          {"game": str, "reference": str, "agent": str, "value": float}),
    Table("payoffs", "games.payoff_table", GAMES,
          "Payoff matrices of games of two agents",
          "What each pair of actions pays, for every step and state of the games of two agents "
          "among {{ f.games }}.",
          {"game": str, "step": int, "state": str, "action 1": str, "action 2": str,
           "pay 1": float, "pay 2": float}),
    Table("locality", "locality.locality_table", "mechanism",
          "What an agent's update reads",
          f"What an agent's update reads, in {TRACED_RUN}: errors of a replay from its own "
          "action, reward and state and the public aggregate, and of runs in which everything "
          "else was perturbed.",
          {"game": str, "agents": int, "agent": str, "episodes": int, "visits": int,
           "policy_error": float, "v_bar_error": float, "length_errors": int,
           "length_errors_without_aggregate": int, "perturbed": int, "regrouped": int,
           "changed": int}),
    Table("signal", "stages.signal_table", "mechanism",
          "The aggregate, visit by visit, in one short run",
          f"The public aggregate at each visit of the starting state in {TRACED_RUN}.",
          {"episode": int, "aggregate": float, "stage": int}),
    Table("mechanism", "stages.mechanism_table", "mechanism",
          "How stages of one short run grew",
          f"The stages of the starting state in {TRACED_RUN}: length, mean and deviation of the "
          "aggregate, fluctuation coefficient.",
          {"stage": int, "last_episode": int, "length": int, "coefficient": float, "mean": float,
           "deviation": float, "cv": float, "run": str}),
    Table("returns", "returns.returns_table", "rewards",
          "Rewards over episodes, with intervals",
          "Mean return of {{ f.experiments.rewards.learners }} on "
          "{{ f.experiments.rewards.games }} by blocks of episodes, for each agent and on "
          f"average: {INTERVALS}.",
          {**SERIES, "algorithm": str, "episodes": int, "agent": str, "episode": int, **INTERVAL}),
    Table("late_returns", "returns.late_returns_table", "rewards",
          "Rewards at the end, with intervals",
          "Mean return of {{ f.experiments.rewards.learners }} on "
          "{{ f.experiments.rewards.games }} over the last tenth of the episodes, for each agent "
          f"and on average: {INTERVALS}.",
          {**SERIES, "episodes": int, "agent": str, **INTERVAL}),
    Table("single_run", "returns.single_run_table", "rewards",
          "Rewards of one run, episode by episode",
          f"Return of each agent in every episode of {ONE_RUN}.",
          {"agent": str, "episode": int, "return": float}),
    Table("stages", "stages.stage_table", "rewards",
          "Stages of one run",
          f"Every stage of {ONE_RUN}: step, state, the episode it ended in, length, fluctuation "
          "coefficient.",
          {"step": int, "state": str, "episode": int, "length": int, "coefficient": float,
           "run": str}),
    Table("restart", "returns.restart_table", "rewards",
          "Rewards within a stage, over all long stages",
          "Mean and standard deviation of the return by position within a stage, over the long "
          "stages of {{ f.seeds }} runs of {{ f.single.learner }} on {{ f.single.game }}, with "
          "{{ f.level }} intervals over seeds.",
          {"position": float, "measure": str, **INTERVAL}),
    Table("exploration", "gaps.exploration_table", "exploration",
          "Independent Q-learning across its exploration",
          "Reward and equilibrium gap of independent Q-learning on "
          "{{ f.experiments.exploration.games }} after {{ f.experiments.exploration.episodes }} "
          "episodes with {{ f.experiments.exploration.varied }}; {{ f.level }} intervals over "
          "{{ f.seeds }} seeds.",
          {**SERIES, "measure": str, **INTERVAL}),
    Table("gaps", "gaps.gap_table", "sample-complexity",
          "Equilibrium gaps against K, with intervals",
          "Equilibrium gaps and the agents' own bounds of "
          '{{ f.experiments["sample-complexity"].learners }} on '
          '{{ f.experiments["sample-complexity"].games }} at '
          f'K = {{{{ f.experiments["sample-complexity"].episodes }}}}: {INTERVALS}.',
          {**SERIES, "episodes": int, "measure": str, **INTERVAL}),
    Table("baselines", "gaps.gap_table", "baselines",
          "Equilibrium gaps of earlier V-learning against K",
          "Equilibrium gaps of {{ f.experiments.baselines.learners }} on "
          "{{ f.experiments.baselines.games }} at K = {{ f.experiments.baselines.episodes }}: mean "
          "and {{ f.level }} interval over {{ f.experiments.baselines.seeds }} seeds.",
          {**SERIES, "episodes": int, "measure": str, **INTERVAL}),
    Table("floor", "gaps.gap_table", "floor",
          "Equilibrium gaps of learning with a known model",
          "Equilibrium gaps of {{ f.experiments.floor.learners }} on "
          "{{ f.experiments.floor.games }} after {{ f.experiments.floor.episodes }} iterations: "
          "every agent knows the model and learns from every state. Nothing is random.",
          {**SERIES, "episodes": int, "measure": str, **INTERVAL}),
    Table("slopes", "gaps.slope_table", "sample-complexity",
          "Slopes of the gaps against K",
          "Slopes of log gap against log K over the upper {{ f.decades }} decades of K, with "
          "{{ f.level }} intervals over {{ f.seeds }} seeds, and χ² of the log means around the "
          "power law that fits them best. The theorem's rate has slope −0.5.",
          {**SERIES, "measure": str, "slope": float, "low": float, "high": float, "from": int,
           "to": int, "chi2": float, "freedom": int, "p_value": float, "level": float}),
    Table("local_slopes", "gaps.local_slope_table", "sample-complexity",
          "Local slopes of the gaps against K",
          "Slopes of log gap against log K over each decade of K, with {{ f.level }} intervals "
          "over {{ f.seeds }} seeds. Where they differ, one power law is not the whole story.",
          {**SERIES, "measure": str, "slope": float, "low": float, "high": float, "from": int,
           "to": int, "level": float}),
    Table("theory", "gaps.theory_table", "sample-complexity",
          "The theorem's rate beside what was measured",
          "The theorem's rate at every K for p = {{ f.p }}, the constant by which what was "
          "measured differs from it, and the bound that the proof gives with "
          "all its constants if λ = 1.",
          {**SERIES, "episodes": int, "measure": str, "rate": float, "constant": float,
           "p": float, "mean": float, "bound": float, "range": float}),
    Table("coverage", "gaps.coverage_table", "sample-complexity",
          "How often the confidence lemma holds",
          "Share of nodes (step, state, stage) where the bounds of the confidence lemma hold, "
          "and in how many of {{ f.seeds }} runs they hold at all of them. Only bounds that say "
          "something count: V̲ > 0, V̄ below what can be earned. The lemma allows p = {{ f.p }} of "
          "runs to fail.", COVERAGE),
    Table("control", "gaps.coverage_table", "control",
          "The same check where the lemma can fail",
          "The same for runs without the bonus, for which nothing is promised: a check that finds "
          "no failure here would be no check.", COVERAGE),
    Table("confidence", "stages.confidence_table", "sample-complexity",
          "The lemma's bounds over one run",
          "Bounds and exact values of the starting state after each of its stages, in "
          f"{LARGEST_RUN}.",
          {"agent": str, "bound": str, "episode": int, "value": float, "run": str}),
    Table("agents", "gaps.agents_table", "agents",
          "Equilibrium gaps against the number of agents",
          "Equilibrium gap of {{ f.experiments.agents.learners }} on "
          "{{ f.experiments.agents.games }} at K = {{ f.experiments.agents.episodes }}: mean "
          "and {{ f.level }} interval over {{ f.experiments.agents.seeds }} seeds, in raw units; "
          "the reward range stands beside it.",
          {"learner": str, "episodes": int, "measure": str, "game": str, "agents": int,
           "range": float, **INTERVAL}),
    Table("agent_slopes", "gaps.agent_slopes_table", "agents",
          "Slopes of the gaps against the number of agents",
          "Slopes of log gap against log N at K = {{ f.experiments.agents.episodes }}, with "
          "{{ f.level }} intervals over {{ f.experiments.agents.seeds }} seeds.",
          {"learner": str, "episodes": int, "measure": str, "slope": float, "low": float,
           "high": float, "theorem": float, "least": int, "most": int, "seeds": int,
           "level": float}),
    Table("growth", "gaps.growth_table", "stall",
          "How the lengths of stages grow",
          "How the lengths of stages grow from one to the next, and the share of episodes spent "
          "where they do not: mean and {{ f.level }} interval over the seeds of each series at "
          "its largest K.",
          {"experiment": str, **SERIES, "stage_rule": str, "horizon": int, "agents": int,
           "episodes": int, "measure": str, **INTERVAL}),
)  # fmt: skip
TABLES = {table.name: table for table in ALL}
BY_SHAPE = Table(  # of an experiment that no figure of the study shows; its name is filled in
    "experiment", "experiments.experiment_table", "", "Every measure of an experiment",
    "Mean and interval of every measure.",
    {**SERIES, "episodes": int, "measure": str, **INTERVAL},
)  # fmt: skip
BY_EXPERIMENT = {
    experiment: [table for table in ALL if table.experiment == experiment]
    for experiment in dict.fromkeys(table.experiment for table in ALL)
}
