"""ε against K: the chain exact gap ≤ informed bound ≤ the agents' own bound, and the theorem."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from amg.figures import palette
from amg.figures.palette import GREY
from amg.figures.sheet import Panel, Sheet, label_ends
from amg.figures.style import PAGE, SMALL, styled
from amg.figures.words import count, estimate, fixed, intervals, listed, significant, span

CHAIN = {  # of the first V-learner, outermost first
    "max_own_bound": ("own bound", (0, (1, 1))),
    "max_informed_gap": ("informed bound", (0, (4, 1.5))),
    "max_gap": ("exact gap", "-"),
}
TOLERANCE = 1e-6  # relative: measures that differ by less are drawn as one


@styled()
def draw(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    gaps = tables["gaps"]
    games = gaps["game"].unique().tolist()
    sheet = Sheet(PAGE, 2.9 * ((len(games) + 1) // 2))
    grid = sheet.figure.subplots((len(games) + 1) // 2, min(2, len(games)), squeeze=False)
    for axes in grid.ravel()[len(games) :]:
        axes.set_axis_off()
    for letter, game, axes in zip("abcdefgh", games, grid.ravel(), strict=False):
        _game(sheet, axes, game, tables)
        axes.set_title(f"({letter}) {palette.game(game)}")
    return sheet.finish()


def _game(sheet: Sheet, axes: Axes, game: str, tables: Mapping[str, pd.DataFrame]) -> None:
    gaps, slopes, theory = (
        table[table["game"] == game]
        for table in (tables["gaps"], tables["slopes"], tables["theory"])
    )
    panel = sheet.panel(axes, f"{game}: ε by K")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("episodes K")
    axes.set_ylabel("equilibrium gap ε (reward)")
    labels: list[tuple[float, str, str]] = []
    hidden: list[tuple[pd.DataFrame, str, str]] = []

    def add(learner: str, measure: str, name: str, **look: object) -> None:
        rows = _rows(gaps, learner, measure)
        colour = palette.learner(learner).colour
        shown = rows["mean"] > 0
        if not shown.all():
            hidden.append((rows[~shown], name, colour))
        if not shown.any():
            return
        seen = rows[shown]
        panel.line(
            name, seen["episodes"], seen["mean"], seen["low"], seen["high"], color=colour, **look
        )
        labels.append((seen["mean"].iloc[-1], _label(name, slopes, learner, measure), colour))

    rate = theory.drop_duplicates("episodes").sort_values("episodes")
    panel.line("theorem's rate", rate["episodes"], rate["rate"], color=GREY, linestyle=(0, (6, 2)))
    labels.append((rate["rate"].iloc[-1], "theorem: √(SAT⁵ι/K),\nits constant set to 1", GREY))
    first, others = _learners(gaps)
    for learner in reversed(others):
        look = palette.learner(learner)
        bounded = len(_rows(gaps, learner, "max_own_bound")) > 0
        name = f"exact gap ({look.short})" if bounded else look.name
        add(learner, "max_gap", name, linewidth=0.7, marker="o", markersize=1.6, band=0.1)
    if first is not None:
        merged = _same(gaps, first)
        for measure, (name, dashes) in CHAIN.items():
            if merged and measure == "max_informed_gap":
                continue
            if merged and measure == "max_gap":
                name = "exact = informed"
            name = f"{name} ({palette.learner(first).short})"
            marker = {"marker": "o", "markersize": 2.4} if measure == "max_gap" else {}
            add(first, measure, name, linestyle=dashes, zorder=4, **marker)
    drawn = gaps[gaps["measure"].isin(CHAIN) & (gaps["mean"] > 0)]["mean"]
    axes.set_ylim(
        drawn.min() / (1.6 + 1.2 * len(hidden)), max(drawn.max(), rate["rate"].max()) * 1.4
    )
    for j, (rows, name, colour) in enumerate(hidden):
        _at_the_edge(panel, rows, name, colour, j)
    label_ends(panel, labels, lines=2)
    levels = slopes["level"].unique()
    if len(levels) == 1:
        axes.annotate(
            f"slope [{100 * levels[0]:g}% interval]", (1, 1), xycoords="axes fraction", color=GREY,
            xytext=(4, 4), textcoords="offset points", fontsize=SMALL, va="baseline",
        )  # fmt: skip


def _at_the_edge(panel: Panel, rows: pd.DataFrame, name: str, colour: str, j: int) -> None:
    """Means that a logarithmic axis cannot show: arrows at its lower edge, and what they are."""
    panel.record(f"{name}, below the axis", x=rows["episodes"], y=rows["mean"],
                 low=rows["low"], high=rows["high"])  # fmt: skip
    axes = panel.axes
    place = 0.03 + 0.07 * j
    axes.plot(
        rows["episodes"], np.full(len(rows), place), transform=axes.get_xaxis_transform(),
        linestyle="none", marker="v", markersize=3.2, color=colour, clip_on=False, zorder=4,
    )  # fmt: skip
    value = "0" if (rows["mean"].abs() < 1e-9).all() else span(rows["mean"], 3)
    axes.annotate(
        f"{name}: {value} (not on a log axis)", (rows["episodes"].iloc[0], place), xycoords=axes.get_xaxis_transform(),
        xytext=(0, 4), textcoords="offset points", color=colour, fontsize=SMALL, va="bottom",
    )  # fmt: skip


def caption(tables: Mapping[str, pd.DataFrame]) -> str:
    gaps, slopes, theory = tables["gaps"], tables["slopes"], tables["theory"]
    parts = []
    for game in gaps["game"].unique():
        first, _ = _learners(gaps[gaps["game"] == game])
        if first is None:
            continue
        fits = [
            f"{CHAIN[measure][0]} {estimate(row.slope, row.low, row.high)}"
            for measure in reversed(CHAIN)
            for row in _rows(slopes[slopes["game"] == game], first, measure).itertuples()
        ]
        needs = [
            f"{significant(rows['constant'].max())} for the {CHAIN[measure][0]}"
            for measure in reversed(CHAIN)
            if len(rows := _rows(theory[theory["game"] == game], first, measure))
        ]
        fitted = f"slopes: {', '.join(fits)}; " if fits else ""
        parts.append(
            f"{palette.game(game)} ({palette.learner(first).name}): {fitted}the bound would hold "
            f"at every K shown with a constant of {listed(needs)}."
        )
    ranges = slopes[["from", "to"]].drop_duplicates()
    over = listed(f"{count(row[0])} to {count(row[1])}" for row in ranges.to_numpy())
    fit = f"Labels give slopes fitted over K = {over}. " if over else ""
    return (
        f"How far the certified policy is from a coarse correlated equilibrium, maximum over "
        f"agents, mean over seeds (bands: {intervals(gaps)}). For the first V-learner the chain "
        f"exact gap ≤ informed bound (the proof's deviator, who knows the stage) ≤ the agents' own "
        f"bound (V̄ − V̲, mean over episodes) is shown; for other V-learners the exact gap, and for "
        f"independent Q the gap of its greedy policy. {fit}The theorem's rate √(S A T⁵ ι/K), with "
        f"p = {theory['p'].iloc[0]:g} and in units of reward, is drawn with constant 1: the paper "
        f"gives none. {' '.join(parts)} Triangles at the lower edge are means that are not "
        f"positive."
    )


def _learners(gaps: pd.DataFrame) -> tuple[str | None, list[str]]:
    """The first learner with bounds of its own, and all others."""
    learners = gaps["learner"].unique().tolist()
    bounded = set(gaps[gaps["measure"] == "max_own_bound"]["learner"])
    first = next((learner for learner in learners if learner in bounded), None)
    return first, [learner for learner in learners if learner != first]


def _rows(table: pd.DataFrame, learner: str, measure: str) -> pd.DataFrame:
    rows = table[(table["learner"] == learner) & (table["measure"] == measure)]
    return rows.sort_values("episodes") if "episodes" in rows else rows


def _same(gaps: pd.DataFrame, learner: str) -> bool:
    """Whether the informed deviator gains nothing over the exact one."""
    exact, informed = (
        _rows(gaps, learner, measure)["mean"].to_numpy()
        for measure in ("max_gap", "max_informed_gap")
    )
    return exact.shape == informed.shape and np.allclose(exact, informed, rtol=TOLERANCE, atol=0)


def _label(name: str, slopes: pd.DataFrame, learner: str, measure: str) -> str:
    """The name of a line and, if it was fitted, its slope."""
    fits = _rows(slopes, learner, measure)
    if fits.empty:
        return name
    row = fits.iloc[0]
    return f"{name}\n{estimate(row['slope'], row['low'], row['high'])}"
