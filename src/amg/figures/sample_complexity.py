"""ε against K: the chain exact gap ≤ informed bound ≤ the agents' own bound, and the theorem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from amg.base.text import (
    bootstrap_intervals,
    compact,
    episodes,
    fixed_estimate,
    join_words,
    significant,
)
from amg.figures.sheet import Panel, Sheet, label_ends, note
from amg.figures.style import GREY, PAGE, game_title, learner_look

OWN, INFORMED, EXACT = "max_own_bound", "max_informed_gap", "max_gap"
CHAIN: dict[str, tuple[str, dict[str, Any]]] = {  # of the first V-learner, outermost first
    OWN: ("own bound", {"linestyle": (0, (1, 1))}),
    INFORMED: ("informed bound", {"linestyle": (0, (4, 1.5))}),
    EXACT: ("exact gap", {"marker": "o", "markersize": 2.4}),
}
LIGHT: dict[str, Any] = {"linewidth": 0.7, "marker": "o", "markersize": 1.6, "band": 0.1}
SAME = 1e-6  # relative: measures that differ by less are drawn as one


def draw(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    """Return the picture and the data in it."""
    games = tables["gaps"]["game"].unique().tolist()
    rows = (len(games) + 1) // 2
    sheet = Sheet(PAGE, 2.9 * rows)
    grid = sheet.figure.subplots(rows, 2, squeeze=False).ravel()
    for axes in grid[len(games) :]:
        axes.set_axis_off()
    for j, (game, axes) in enumerate(zip(games, grid, strict=False)):
        axes.set_title(f"({chr(ord('a') + j)}) {game_title(game)}")
        _draw_game(sheet.panel(axes, f"{game}: ε by K"), _select(tables, game))
    return sheet.finish()


def _draw_game(panel: Panel, tables: Mapping[str, pd.DataFrame]) -> None:
    gaps, slopes, theory = tables["gaps"], tables["slopes"], tables["theory"]
    axes = panel.axes
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("episodes K")
    axes.set_ylabel("equilibrium gap ε (reward)")

    rate = theory.drop_duplicates("episodes").sort_values("episodes")
    panel.line("theorem", rate["episodes"], rate["rate"], color=GREY, linestyle=(0, (6, 2)))
    labels = [(rate["rate"].iloc[-1], "theorem: √(SAT⁵ι/K),\nits constant set to 1", GREY)]
    below = []  # means that a logarithmic axis cannot show
    for learner, measure, name, look in _lines(gaps):
        rows, colour = _rows(gaps, learner, measure), learner_look(learner).colour
        positive, others = rows[rows["mean"] > 0], rows[~(rows["mean"] > 0)]
        if len(positive):
            bounds = positive["low"], positive["high"]
            panel.line(name, positive["episodes"], positive["mean"], *bounds, color=colour, **look)
            label = f"{name}\n{_slope(slopes, learner, measure)}".rstrip()
            labels.append((positive["mean"].iloc[-1], label, colour))
        if len(others):
            below.append((others, name, colour))

    means = gaps[gaps["measure"].isin(CHAIN) & (gaps["mean"] > 0)]["mean"]
    low, high = means.min(), max(means.max(), rate["rate"].max())
    axes.set_ylim(low * (low / high) ** (0.06 + 0.09 * len(below)), high * (high / low) ** 0.05)
    for j, (rows, name, colour) in enumerate(below):
        _at_the_edge(panel, rows, name, colour, 0.03 + 0.1 * j)
    label_ends(panel, labels, lines=2)
    for level in slopes["level"].unique()[:1]:
        note(axes, f"slope [{100 * level:g}% interval]", (1.0, 1.0), GREY, xytext=(4.0, 4.0))


def _lines(gaps: pd.DataFrame) -> list[tuple[str, str, str, dict[str, Any]]]:
    """Return the lines in the order of drawing: learner, measure, name, look."""
    first, others = _learners(gaps)
    lines = []
    for learner in reversed(others):
        names = learner_look(learner)
        bounded = len(_rows(gaps, learner, OWN)) > 0
        name = f"exact gap ({names.short})" if bounded else names.name
        lines.append((learner, EXACT, name, LIGHT))
    if first is not None:
        merged = _merged(gaps, first)
        for measure, (name, look) in CHAIN.items():
            if merged and measure == INFORMED:
                continue
            name = "exact = informed" if merged and measure == EXACT else name
            lines.append((first, measure, f"{name} ({learner_look(first).short})",
                          {**look, "zorder": 4}))  # fmt: skip
    return lines


def _at_the_edge(panel: Panel, rows: pd.DataFrame, name: str, colour: str, height: float) -> None:
    """Draw means that a logarithmic axis cannot show as triangles near its lower edge."""
    axes: Axes = panel.axes
    panel.record(f"{name}, not on a log axis", x=rows["episodes"], y=rows["mean"],
                 low=rows["low"], high=rows["high"])  # fmt: skip
    across = axes.get_xaxis_transform()
    axes.plot(
        rows["episodes"], np.full(len(rows), height), transform=across, linestyle="none",
        marker="v", markersize=3.2, color=colour, clip_on=False, zorder=4,
    )  # fmt: skip
    place = (rows["episodes"].iloc[0], height)
    least, most = (compact(value + 0.0) for value in (rows["mean"].min(), rows["mean"].max()))
    values = least if least == most else f"{least} to {most}"
    text = f"{name}: {values} (not on a log axis)"
    note(axes, text, place, colour, xycoords=across, xytext=(0.0, 3.5), va="bottom")


def describe(tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the long caption."""
    gaps, slopes, theory = tables["gaps"], tables["slopes"], tables["theory"]
    ranges = slopes[["from", "to"]].drop_duplicates().to_numpy()
    over = join_words(f"{episodes(first)} to {episodes(last)}" for first, last in ranges)
    text = (
        f"How far the certified policy is from a coarse correlated equilibrium: maximum over "
        f"agents, mean over seeds, with {bootstrap_intervals(gaps['level'], gaps['seeds'])}. Of "
        f"the first V-learner all of the chain exact gap ≤ informed bound (the proof's deviator, "
        f"who knows the stage) ≤ the agents' own bound (V̄ − V̲, mean over episodes) is shown; of "
        f"the others the exact gap, and of Q-learning the gap of its greedy policy. Triangles are "
        f"means that are not positive. "
    )
    if len(ranges):
        text += f"Numbers beside the lines are slopes fitted over K = {over}. "
    text += (
        f"The theorem's rate √(S A T⁵ ι/K), in units of reward and with p = "
        f"{theory['p'].iloc[0]:g}, is drawn with constant 1, for the paper gives none."
    )
    for game in gaps["game"].unique():
        part = _select(tables, game)
        first, _ = _learners(part["gaps"])
        if first is None:
            continue
        needs = [
            f"{significant(rows['constant'].max())} for the {CHAIN[measure][0]}"
            for measure in reversed(CHAIN)
            if len(rows := _rows(part["theory"], first, measure))
        ]
        text += (
            f" In the {game_title(game)} the constant that {learner_look(first).name} needs "
            f"at every K shown is {join_words(needs)}."
        )
    return text


def _select(tables: Mapping[str, pd.DataFrame], game: str) -> dict[str, pd.DataFrame]:
    return {
        name: tables[name][tables[name]["game"] == game] for name in ("gaps", "slopes", "theory")
    }


def _learners(gaps: pd.DataFrame) -> tuple[str | None, list[str]]:
    """Return the first learner with bounds of its own, and all others."""
    learners = gaps["learner"].unique().tolist()
    bounded = set(gaps[gaps["measure"] == OWN]["learner"])
    first = next((learner for learner in learners if learner in bounded), None)
    return first, [learner for learner in learners if learner != first]


def _rows(table: pd.DataFrame, learner: str, measure: str) -> pd.DataFrame:
    rows = table[(table["learner"] == learner) & (table["measure"] == measure)]
    return rows.sort_values("episodes") if "episodes" in rows else rows


def _merged(gaps: pd.DataFrame, learner: str) -> bool:
    """Return whether the informed deviator gains no more than the exact one."""
    exact, informed = (_rows(gaps, learner, measure)["mean"] for measure in (EXACT, INFORMED))
    return len(exact) == len(informed) and np.allclose(exact, informed, rtol=SAME, atol=0)


def _slope(slopes: pd.DataFrame, learner: str, measure: str) -> str:
    """Return the slope of a line with its interval; nothing if none was fitted."""
    fits = _rows(slopes, learner, measure)[["slope", "low", "high"]]
    return "".join(fixed_estimate(*fit) for fit in fits.to_numpy())
