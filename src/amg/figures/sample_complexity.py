"""ε against K: the chain exact gap ≤ informed bound ≤ the agents' own bound, and the theorem.

The gaps of all stage rules are almost the same. Beside each panel stands their ratio to the gap of
fixed stages.
"""

import math
from collections.abc import Iterator
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from amg.base.text import episodes, fixed_estimate, intervals_over, join_words, significant
from amg.figures import style
from amg.figures.style import GREY, PAGE, Sheet, Tables
from amg.tables.intervals import Intervals, LogMean, combined, quantile

OWN, INFORMED, EXACT = "max_own_bound", "max_informed_gap", "max_gap"
CHAIN: dict[str, tuple[str, dict[str, Any]]] = {  # of the first V-learner, outermost first
    OWN: ("own bound", {"zorder": 4, "linestyle": (0, (1, 1))}),
    INFORMED: ("informed bound", {"zorder": 4, "linestyle": (0, (4, 1.5))}),
    EXACT: ("exact gap", {"zorder": 4, "marker": "o", "markersize": 2.4}),
}
LIGHT: dict[str, Any] = {"linewidth": 0.7, "marker": "o", "markersize": 1.6, "band": 0.1}
USED = ("gaps", "slopes", "theory")  # tables
FIXED = "v-stage"  # the others are compared with it, or with the first learner if it is not there
SAME = 1e-6  # relative: measures that differ by less are drawn as one


def draw(tables: Tables) -> Sheet:
    """Return the picture with its data."""
    games = tables["gaps"]["game"].unique()
    sheet = Sheet(PAGE, 2.5 * len(games))
    panels = sheet.subplots(len(games), 2, squeeze=False, width_ratios=[1.2, 1])
    for j, (game, (left, right)) in enumerate(zip(games, panels, strict=True)):
        own = [tables[name][tables[name]["game"] == game] for name in USED]
        for axes, label in ((left, "ε by K"), (right, "ratio by K")):
            axes.set(label=f"{game}: {label}", xlabel="episodes K", xscale="log")
        base = _base(own[0])[1]
        left.set_title(f"({ascii_lowercase[2 * j]}) {style.game_title(game)}")
        left.set(ylabel="equilibrium gap ε (reward)", yscale="log")
        _draw_game(sheet, left, *own)
        right.set_title(f"({ascii_lowercase[2 * j + 1]}) the exact gaps, relative to {base}")
        right.set_ylabel(f"ratio to {base}")
        right.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        _draw_ratios(sheet, right, own[0])
    return sheet


def _draw_game(
    sheet: Sheet, axes: Axes, gaps: pd.DataFrame, slopes: pd.DataFrame, theory: pd.DataFrame
) -> None:
    """Draw the chain, the exact gaps of the other learners and the theorem's rate."""
    rate = theory.drop_duplicates("episodes").sort_values("episodes")
    means = gaps[gaps["measure"].isin(CHAIN) & (gaps["mean"] > 0)]["mean"]
    low, high = means.min(), max(means.max(), rate["rate"].max())
    lines = [(*line, _rows(gaps, *line[:2]).sort_values("episodes")) for line in _lines(gaps)]
    edges = sum((rows["mean"] <= 0).any() for *_, rows in lines)  # of marks at the lower edge
    axes.set_ylim(low * (low / high) ** (0.06 + 0.05 * edges), high * (high / low) ** 0.05)
    sheet.line(axes, "theorem", rate["episodes"], rate["rate"], color=GREY, linestyle=(0, (6, 2)))
    labels = [(rate["rate"].iloc[-1], "theorem: √(SAT⁵ι/K),\nits constant set to 1", GREY)]
    edge = 0.03
    for learner, measure, name, look, rows in lines:
        colour = style.learner_look(learner).colour
        below = sheet.log_line(axes, name, "episodes", rows, edge, color=colour, **look)
        edge += 0.05 * bool(below)
        fits = _rows(slopes, learner, measure)[["slope", "low", "high"]].to_numpy()
        text = "\n".join(filter(None, [name, *(fixed_estimate(*fit) for fit in fits), below]))
        last = float(rows["mean"].iloc[-1])
        labels.append((last if last > 0 else axes.get_ylim()[0], text, colour))
    style.label_ends(axes, labels)
    for level in slopes["level"].unique()[:1]:
        style.note(axes, f"slope [{100 * level:g}% interval]", (1.0, 1.0), GREY, (4.0, 4.0))


def _lines(gaps: pd.DataFrame) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Yield the lines in the order of drawing: learner, measure, name, look."""
    first = gaps[gaps["measure"] == OWN]["learner"].iloc[0]  # only V-learners have it
    for learner in gaps["learner"].unique()[::-1]:
        if learner != first:
            bounded, names = len(_rows(gaps, learner, OWN)), style.learner_look(learner)
            yield (
                learner,
                EXACT,
                f"exact gap ({names.short or names.name})" if bounded else names.name,
                LIGHT,
            )
    exact, informed = (_rows(gaps, first, measure)["mean"] for measure in (EXACT, INFORMED))
    merged = np.allclose(exact, informed, rtol=SAME, atol=0)
    for measure, (name, look) in CHAIN.items():
        if merged and measure == INFORMED:
            continue
        name = "exact = informed" if merged and measure == EXACT else name
        names = style.learner_look(first)
        yield first, measure, f"{name} ({names.short or names.name})", look


def _base(gaps: pd.DataFrame) -> tuple[str, str]:
    """Return label and name of the V-learner that others are compared with."""
    learners = gaps[gaps["measure"] == OWN]["learner"].unique()
    base = FIXED if FIXED in learners else learners[0]
    return base, style.learner_look(base).name


def _draw_ratios(sheet: Sheet, axes: Axes, gaps: pd.DataFrame) -> None:
    """Draw the exact gaps of the V-learners as ratios to that of one of them."""
    base, name = _base(gaps)
    learners = gaps[gaps["measure"] == OWN]["learner"].unique()
    others = [learner for learner in learners if learner != base]
    labels = [(1.0, name, GREY)]
    for j, learner in enumerate(others):
        look, table = style.learner_look(learner), _ratios(gaps, learner, base)
        short = look.short or look.name
        columns = style.estimates(table, "episodes")
        sheet.record(axes, f"{short} / {name}", *columns)
        columns[0] = columns[0] * 10 ** (0.07 * (j - (len(others) - 1) / 2))  # beside each other
        style.dots(axes, *columns, color=look.colour, label=f"{short} / {name}")
        labels += [(mean, short, look.colour) for mean in table["mean"][-1:]]
    sheet.levels(axes, {"no difference": 1.0})
    style.label_ends(axes, labels)


def _ratios(gaps: pd.DataFrame, learner: str, base: str) -> pd.DataFrame:
    """Return the ratio of the exact gaps of two learners at each K, with its interval."""
    rows = []
    one, other = (_rows(gaps, name, EXACT).set_index("episodes") for name in (learner, base))
    for K in one.index.intersection(other.index).sort_values():
        if one.at[K, "mean"] > 0 and other.at[K, "mean"] > 0:
            above, below = (_log_mean(table.loc[K]) for table in (one, other))
            ratio = LogMean(above.mean / below.mean, *combined((1.0, -1.0), (above, below)))
            mean, low, high = Intervals(float(one.at[K, "level"])).around(ratio)
            rows.append({"episodes": K, "mean": mean, "low": low, "high": high})
    return pd.DataFrame(rows, columns=["episodes", "mean", "low", "high"], dtype=float)


def _log_mean(row: pd.Series) -> LogMean:
    """Return a mean of a table with the error of its logarithm, which its interval tells."""
    freedom = float(row["seeds"]) - 1
    known = freedom >= 1 and row["high"] >= row["low"]  # too few seeds have no interval
    reach = quantile(float(row["level"]), freedom) if known else math.nan
    return LogMean(row["mean"], (row["high"] - row["mean"]) / reach / row["mean"], freedom)


def describe(tables: Tables) -> str:
    """Return the long caption."""
    gaps, slopes, theory = tables["gaps"], tables["slopes"], tables["theory"]
    text = (
        f"How far the certified policy is from a coarse correlated equilibrium: maximum over "
        f"agents, mean over seeds, with {intervals_over(gaps['level'], gaps['seeds'])}. Of "
        f"the first V-learner all of the chain exact gap ≤ informed bound (the proof's deviator, "
        f"who knows the stage) ≤ the agents' own bound (V̄ − V̲, mean over episodes) is shown; of "
        f"the others the exact gap, and of Q-learning the gap of its greedy policy. Triangles are "
        f"means that are not positive, which a logarithmic axis cannot show; ▾ gives their values. "
    )
    for first, last in slopes[["from", "to"]].to_numpy()[:1]:  # the same for all
        over = f"{episodes(first)} to {episodes(last)}"
        text += f"Numbers beside the lines are slopes fitted over K = {over}. "
    text += (
        f"On the right, the exact gap of each stage rule divided by that of {_base(gaps)[1]}, with "
        f"intervals by the delta method, as if runs of two learners were independent; above the "
        f"dashed line the gap is larger{_last_ratios(gaps)}. "
    )
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


def _last_ratios(gaps: pd.DataFrame) -> str:
    """Return the ratios at the largest K as a part of a sentence."""
    parts = []
    for game, own in gaps.groupby("game", sort=False):
        base = _base(own)[0]
        for learner in own[own["measure"] == OWN]["learner"].unique():
            if learner != base:
                last = _ratios(own, learner, base)[-1:]
                name = f"{style.learner_look(learner).name} in the {style.game_title(str(game))}"
                parts += [f"{fixed_estimate(*row)} for {name}"
                          for row in last[["mean", "low", "high"]].to_numpy()]  # fmt: skip
    return f" (at the largest K {join_words(parts)})" if parts else ""


def _rows(table: pd.DataFrame, learner: str, measure: str) -> pd.DataFrame:
    return table[(table["learner"] == learner) & (table["measure"] == measure)]
