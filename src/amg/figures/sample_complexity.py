"""ε against K: the chain exact gap ≤ informed bound ≤ the agents' own bound, and the theorem."""

from collections.abc import Iterator
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from amg.base.text import compact, episodes, fixed_estimate, intervals_over, significant
from amg.figures import style
from amg.figures.style import GREY, PAGE, Sheet, Tables

OWN, INFORMED, EXACT = "max_own_bound", "max_informed_gap", "max_gap"
CHAIN: dict[str, tuple[str, dict[str, Any]]] = {  # of the first V-learner, outermost first
    OWN: ("own bound", {"zorder": 4, "linestyle": (0, (1, 1))}),
    INFORMED: ("informed bound", {"zorder": 4, "linestyle": (0, (4, 1.5))}),
    EXACT: ("exact gap", {"zorder": 4, "marker": "o", "markersize": 2.4}),
}
LIGHT: dict[str, Any] = {"linewidth": 0.7, "marker": "o", "markersize": 1.6, "band": 0.1}
USED = ("gaps", "slopes", "theory")  # tables
SAME = 1e-6  # relative: measures that differ by less are drawn as one


def draw(tables: Tables) -> Sheet:
    """Return the picture with its data."""
    games = tables["gaps"]["game"].unique()
    rows = (len(games) + 1) // 2
    sheet = Sheet(PAGE, 2.9 * rows)
    for j, game in enumerate(games):
        axes = sheet.add_subplot(rows, 2, j + 1, xscale="log", yscale="log")
        axes.set(label=f"{game}: ε by K", xlabel="episodes K", ylabel="equilibrium gap ε (reward)")
        axes.set_title(f"({ascii_lowercase[j]}) {style.game_title(game)}")
        _draw_game(sheet, axes, *(tables[x][tables[x]["game"] == game] for x in USED))
    return sheet


def _draw_game(
    sheet: Sheet, axes: Axes, gaps: pd.DataFrame, slopes: pd.DataFrame, theory: pd.DataFrame
) -> None:
    rate = theory.drop_duplicates("episodes").sort_values("episodes")
    sheet.line(axes, "theorem", rate["episodes"], rate["rate"], color=GREY, linestyle=(0, (6, 2)))
    labels = [(rate["rate"].iloc[-1], "theorem: √(SAT⁵ι/K),\nits constant set to 1", GREY)]
    below = []  # means that a logarithmic axis cannot show
    for learner, measure, name, look in _lines(gaps):
        colour = style.learner_look(learner).colour
        rows = _rows(gaps, learner, measure).sort_values("episodes")
        positive, others = rows[rows["mean"] > 0], rows[~(rows["mean"] > 0)]
        if len(positive):
            sheet.line(axes, name, *style.estimates(positive, "episodes"), color=colour, **look)
            fits = _rows(slopes, learner, measure)[["slope", "low", "high"]].to_numpy()
            text = "\n".join([name, *(fixed_estimate(*fit) for fit in fits)])
            labels.append((positive["mean"].iloc[-1], text, colour))
        if len(others):
            below.append((others, name, colour))

    means = gaps[gaps["measure"].isin(CHAIN) & (gaps["mean"] > 0)]["mean"]
    low, high = means.min(), max(means.max(), rate["rate"].max())
    axes.set_ylim(low * (low / high) ** (0.06 + 0.09 * len(below)), high * (high / low) ** 0.05)
    for j, (rows, name, colour) in enumerate(below):
        _draw_at_the_edge(sheet, axes, rows, name, colour, 0.03 + 0.1 * j)
    style.label_ends(axes, labels)
    for level in slopes["level"].unique()[:1]:
        style.note(axes, f"slope [{100 * level:g}% interval]", (1.0, 1.0), GREY, (4.0, 4.0))


def _lines(gaps: pd.DataFrame) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Yield the lines in the order of drawing: learner, measure, name, look."""
    first = gaps[gaps["measure"] == OWN]["learner"].iloc[0]  # only V-learners have it
    for learner in gaps["learner"].unique()[::-1]:
        if learner != first:
            bounded, names = len(_rows(gaps, learner, OWN)), style.learner_look(learner)
            yield learner, EXACT, f"exact gap ({names.short})" if bounded else names.name, LIGHT
    exact, informed = (_rows(gaps, first, measure)["mean"] for measure in (EXACT, INFORMED))
    merged = np.allclose(exact, informed, rtol=SAME, atol=0)
    for measure, (name, look) in CHAIN.items():
        if merged and measure == INFORMED:
            continue
        name = "exact = informed" if merged and measure == EXACT else name
        yield first, measure, f"{name} ({style.learner_look(first).short})", look


def _draw_at_the_edge(
    sheet: Sheet, axes: Axes, rows: pd.DataFrame, name: str, colour: str, height: float
) -> None:
    """Draw means that a logarithmic axis cannot show as triangles near its lower edge."""
    K, means, *bounds = style.estimates(rows, "episodes")
    sheet.record(axes, f"{name}, not on a log axis", K, means, *bounds)
    across = axes.get_xaxis_transform()
    axes.plot(
        K, np.full(len(rows), height), transform=across, linestyle="none",
        marker="v", markersize=3.2, color=colour, clip_on=False, zorder=4,
    )  # fmt: skip
    values = dict.fromkeys(compact(value + 0.0) for value in (means.min(), means.max()))
    text = f"{name}: {' to '.join(values)} (not on a log axis)"
    style.note(axes, text, (K.iloc[0], height), colour, (0.0, 3.5), xycoords=across, va="bottom")


def describe(tables: Tables) -> str:
    """Return the long caption."""
    gaps, slopes, theory = tables["gaps"], tables["slopes"], tables["theory"]
    text = (
        f"How far the certified policy is from a coarse correlated equilibrium: maximum over "
        f"agents, mean over seeds, with {intervals_over(gaps['level'], gaps['seeds'])}. Of "
        f"the first V-learner all of the chain exact gap ≤ informed bound (the proof's deviator, "
        f"who knows the stage) ≤ the agents' own bound (V̄ − V̲, mean over episodes) is shown; of "
        f"the others the exact gap, and of Q-learning the gap of its greedy policy. Triangles are "
        f"means that are not positive. "
    )
    for first, last in slopes[["from", "to"]].to_numpy()[:1]:  # the same for all
        over = f"{episodes(first)} to {episodes(last)}"
        text += f"Numbers beside the lines are slopes fitted over K = {over}. "
    text += (
        f"The theorem's rate √(S A T⁵ ι/K), in units of reward and with p = "
        f"{theory['p'].iloc[0]:g}, is drawn with constant 1, for the paper gives none."
    )
    for game, rows in theory.groupby("game", sort=False):
        first = rows[rows["measure"] == OWN]["learner"].iloc[0]
        constants = rows[rows["learner"] == first].groupby("measure")["constant"].max()
        own, informed, exact = (significant(constants[measure]) for measure in CHAIN)
        text += (
            f" In the {style.game_title(game)} the constant that "
            f"{style.learner_look(first).name} needs at every K shown is {exact} for the exact "
            f"gap, {informed} for the informed bound and {own} for the own bound."
        )
    return text


def _rows(table: pd.DataFrame, learner: str, measure: str) -> pd.DataFrame:
    return table[(table["learner"] == learner) & (table["measure"] == measure)]
