"""ε against K: Algorithm 1, earlier V-learning, what their ingredients do, and a known model."""

from string import ascii_lowercase
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from amg.base.text import episodes, estimate, intervals_over, join_words
from amg.figures import style
from amg.figures.style import GREY, PAGE, Sheet, Tables

LOW, HIGH = "max_gap_low", "max_gap"
KNOWN = 1e-9  # relative: a gap whose bounds differ by less is known


def draw(tables: Tables) -> Sheet:
    """Return the picture with its data."""
    gaps, floor = tables["baselines"], tables["floor"]
    games = list(gaps["game"].unique())
    sheet = Sheet(PAGE, 2.9)
    if not games:
        axes = sheet.add_subplot(1, 1, 1, label="nothing")
        style.note(axes, "This study has no experiment baselines.", (0.1, 0.5), GREY)
        sheet.record(axes, "nothing")
    for j, game in enumerate(games):
        axes = sheet.add_subplot(1, len(games), j + 1, xscale="log", yscale="log")
        axes.set(label=f"{game}: ε by K", xlabel="episodes K")
        axes.set_title(f"({ascii_lowercase[j]}) {style.game_title(game)}")
        _draw_game(sheet, axes, *(table[table["game"] == game] for table in (gaps, floor)))
    if games:
        sheet.axes[0].set_ylabel("equilibrium gap ε (reward)")
        sheet.legend_below(columns=3)
    return sheet


def _draw_game(sheet: Sheet, axes: Axes, gaps: pd.DataFrame, floor: pd.DataFrame) -> None:
    """Draw one game; the known model may leave the panel at its lower edge."""
    edge = 0.03
    for learner in gaps["learner"].unique():
        own = gaps[gaps["learner"] == learner]
        low, high = (own[own["measure"] == name].sort_values("episodes") for name in (LOW, HIGH))
        look = style.learner_look(learner)
        marks: Any = {"marker": "o", "markersize": 2.0, "linestyle": look.dashes}
        below = sheet.log_line(axes, look.name, "episodes", high, edge, color=look.colour, **marks)
        edge += 0.05 * bool(below)
        if _bracketed(low, high):
            K, most, least = (
                rows[name].to_numpy()
                for rows, name in ((high, "episodes"), (high, "mean"), (low, "mean"))
            )
            sheet.record(axes, f"{look.name}, between bounds", K, most, least, most)
            axes.fill_between(K, least, most, color=look.colour, alpha=0.12, linewidth=0)
    positive = gaps[(gaps["mean"] > 0) & (gaps["measure"] == HIGH)]["mean"]
    least, most = positive.min(), positive.max()
    axes.set_ylim(least / 2 * (least / most) ** (edge - 0.03), most * 1.5)
    for learner in floor["learner"].unique():
        rows = floor[(floor["learner"] == learner) & (floor["measure"] == HIGH)]
        rows, look = rows.sort_values("episodes"), style.learner_look(learner)
        sheet.line(
            axes, look.name, rows["episodes"], rows["mean"], color=look.colour,
            linestyle=(0, (1, 1)),
        )  # fmt: skip


def _bracketed(low: pd.DataFrame, high: pd.DataFrame) -> bool:
    """Return whether the gap is known to lie between two bounds only."""
    return bool((high["mean"].to_numpy() > low["mean"].to_numpy() * (1 + KNOWN)).any())


def describe(tables: Tables) -> str:
    """Return the long caption."""
    gaps = tables["baselines"]
    if gaps.empty:
        return "This study has no experiment baselines."
    last = gaps[(gaps["episodes"] == gaps["episodes"].max()) & (gaps["measure"] == HIGH)]
    parts = []
    for game, rows in last.groupby("game", sort=False):
        values = (
            f"{style.learner_look(row.learner).name} {estimate(row.mean, row.low, row.high)}"
            for row in rows.itertuples(index=False)
        )
        parts.append(f"In the {style.game_title(str(game))}: {join_words(values)}.")
    return (
        f"How far the policies are from a coarse correlated equilibrium: maximum over agents, mean "
        f"over seeds, with {intervals_over(gaps['level'], gaps['seeds'])}. Fixed stages are "
        f"Algorithm 1 with λ = 1. Dashed lines exchange the bandit. Triangles: the mean is not "
        f"positive, which a logarithmic axis cannot show. Pale areas: the gap lies between two "
        f"bounds. Dotted: learning with a known model, by iterations; it may leave the panel. "
        f"At K = {episodes(last['episodes'].max())}. {' '.join(parts)}"
    )
