"""The figure of any experiment: its shape decides what goes along x, and it shows the table."""

from __future__ import annotations

import warnings

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.lines import Line2D

from amg.figures import drawn_by_shape
from amg.figures.experiment import MOST, draw
from amg.tables.experiments import experiment_table
from amg.tables.gaps import MEASURES
from amg.tables.intervals import Intervals

GAMES, LEARNERS = ("fishermen", "inspection", "market"), ("v-cv", "mine", "theirs")


def evaluations(episodes: list[int], **varied: list[str]) -> pd.DataFrame:
    """Gaps that differ everywhere, with six seeds each."""
    rows = pd.MultiIndex.from_product(
        [GAMES, LEARNERS, *varied.values(), episodes, range(6)],
        names=["game", "learner", *varied, "episodes", "seed"],
    ).to_frame(index=False)
    gap = 1.0 + np.arange(len(rows)) // 6 + 0.01 * rows["seed"]
    return rows.assign(**dict.fromkeys(MEASURES, gap))


def table_of(episodes: list[int], **varied: list[str]) -> pd.DataFrame:
    return experiment_table(evaluations(episodes, **varied), list(varied), Intervals())


@pytest.mark.parametrize(
    ("episodes", "varied", "panels"),
    [
        ([1000, 10_000, 100_000], {}, 3),
        ([1000], {}, 3),
        ([1000], {"bonus": ["0", "0.10", "4"]}, 6),
        ([100, 1000], {"bonus": ["0", "4"], "stage_rule": ["floor", "real", "other"]}, 6),
    ],
)
def test_every_shape_shows_its_table(
    episodes: list[int], varied: dict[str, list[str]], panels: int
) -> None:
    table = table_of(episodes, **varied)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sheet, caption = draw(table, list(varied), "mine")
        sheet.draw_without_rendering()
    assert len(sheet.axes) == panels
    last = table[table["episodes"] == max(episodes)] if varied else table
    assert sheet.data["panel"].str.contains("max_gap by").any()
    for measure, places in sheet.data.groupby(sheet.data["panel"].str.extract(r": (\w+) by")[0]):
        axis = "y" if "by learner" not in places["panel"].iloc[0] else "x"
        wanted = last[last["measure"] == measure]
        assert sorted(places[axis]) == sorted(wanted["mean"])
        if axis == "y":
            assert sorted(places["low"]) == sorted(wanted["low"])
    assert ("at K = 10³" in caption) == (varied != {} or len(episodes) == 1)
    assert caption.startswith("**Experiment mine.** How far")
    assert "`v-cv` is Algorithm 1 (CV)" in caption


def test_series_look_different_and_known_learners_keep_their_colour() -> None:
    sheet, _ = draw(
        table_of([10, 100], p=[str(j) for j in range(4)], q=["1", "2"]), ["p", "q"], "x"
    )
    legend = sheet.legends[0]
    names = [text.get_text() for text in legend.get_texts()]
    assert {"Algorithm 1 (CV), q = 1", "Algorithm 1 (CV), q = 2"} < set(names)
    lines = [line for line in sheet.axes[0].findobj(Line2D) if line.get_marker() in tuple("osDXP^")]
    looks = {(line.get_color(), line.get_marker()) for line in lines}
    assert len(looks) == len(names) == 6
    assert ("#0072B2", "o") in looks


def test_values_of_what_is_varied_are_ticks_and_dots_are_not_joined() -> None:
    sheet, caption = draw(table_of([1000], bonus=["0", "0.10", "4"]), ["bonus"], "x")
    axes = sheet.axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0", "0.1", "4"]
    assert {line.get_linestyle() for line in axes.get_lines()} == {"None"}
    assert "by bonus" in caption


def test_gaps_that_are_not_positive_are_at_the_edge() -> None:
    table = table_of([10, 100, 1000])
    table.loc[(table["learner"] == "mine") & (table["episodes"] == 100), "mean"] = -0.5
    sheet, caption = draw(table, [], "x")
    below = sheet.data[sheet.data["series"] == "mine, not on a log axis"]
    assert below["y"].tolist() == [-0.5] * 3
    assert "Triangles" in caption


def test_a_figure_has_a_limited_number_of_panels() -> None:
    parts = [table_of([1000]).assign(game=f"game-{j}") for j in range(MOST + 1)]
    sheet, caption = draw(pd.concat(parts, ignore_index=True), [], "x")
    assert len(sheet.axes) == MOST
    assert "the table has all" in caption


def test_only_what_no_figure_shows_is_drawn_by_shape() -> None:
    assert drawn_by_shape(["rewards", "mine", "control", "stall"]) == ["mine", "stall"]


def test_style_of_the_user_does_not_matter() -> None:
    with matplotlib.rc_context({"font.size": 31}):
        sheet, _ = draw(table_of([1000]), [], "x")
    assert sheet.axes[0].title.get_fontsize() == sheet.axes[0].xaxis.label.get_fontsize() == 7.0
