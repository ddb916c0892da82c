"""The figure of a sweep: its shape decides the panels, and they show the table."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from cases import few
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy.optimize import brentq
from sweep_tables import make_sweep, make_table

from amg.figures.style import GREY, SMALL, VERMILION, save_picture
from amg.sweep.figure import _looks, draw
from amg.sweep.grid import Axis, Point, Sweep
from amg.sweep.laws import laws
from amg.sweep.panels import notes, panels

GAMES = "compare: { fishermen: { game: fishermen }, inspection: { game: inspection } }\n"
FOUR = (
    f"{GAMES}axes: {{ stage_rule: [floor, real], direction: [formula, comment], "
    "fluctuation: [cv, mad, fixed], lambda_min: [0.7, 0.8, 0.9, 1] }\n"
    "measure: [max_gap, visits_stuck]"
)
CASES = {  # of every shape
    "numbers": f"{GAMES}axes: {{ episodes: [1000, 10000, 100000] }}\n"
    "measure: [max_gap, lemma_holds, mean_return]",
    "zero": "axes: { bonus: [0, 0.01, 0.1, 1, 4] }\nmeasure: [max_gap]",
    "words": f"{GAMES}axes: {{ fluctuation: [cv, mad, fixed] }}\nmeasure: [max_gap, visits_stuck]",
    "two": f"{GAMES}axes: {{ bonus: [1, 2, 4], episodes: [1000, 10000] }}\n"
    "skip: [{ bonus: 4, episodes: 10000 }]\nmeasure: [max_gap, lemma_holds]",
    "four": FOUR,
    "target": f"{GAMES}axes: {{ episodes: [1000, 10000], bonus: [1, 2, 4] }}\n"
    "measure: [relative_gap]\ntarget: 0.1",
    "target alone": f"{GAMES}axes: {{ episodes: [1000, 10000] }}\n"
    "measure: [relative_gap]\ntarget: 0.1",
    "many": "axes: { bonus: { from: 0.01, to: 1, per_decade: 60 } }\nmeasure: [max_gap, stages]",
    "long names": "compare: { the 1st of two $games$ with a long name: { game: fishermen },\n"
    "  the 2nd of two games with a long name: { game: inspection } }\n"
    "axes:\n  what is done with the fluctuation:\n"
    "    coefficient of variation, at most 0.1: { cv_max: 0.1 }\n"
    "    nothing, stages are fixed: { fluctuation: fixed }\n"
    "measure: [max_gap, stages, lemma_holds]",
}
CASES["every legend"] = (
    (
        f"{FOUR}\ntarget: 0.1\nfindings: [{{ against: {{ axis: fluctuation, value: fixed, "
        "measure: max_gap } }]"
    )
    .replace("lambda_min:", "episodes: [1000, 10000], lambda_min:")
    .replace("max_gap,", "max_gap, relative_gap,")
)
REACHED = {
    "target": {("fishermen", "1"): 1200.0, ("fishermen", "2"): 2500.0, ("fishermen", "4"): 4200.0,
               ("inspection", "1"): 9000.0, ("inspection", "2"): math.inf,
               ("inspection", "4"): math.inf},
    "target alone": {("fishermen",): 2000.0, ("inspection",): math.inf},
}  # fmt: skip

Case = tuple[Sweep, pd.DataFrame]


def gap(place: Any, measure: str) -> float:
    """Different everywhere, positive, over several decades; shares in [0, 1]."""
    digest = sum(ord(letter) * (j + 1) for j, letter in enumerate("".join(place.values()))) % 997
    return digest / 997 if measure in ("lemma_holds", "visits_stuck") else 10 ** (digest / 400 - 2)


def make_case(directory: Path, text: str, reached: Any = None) -> Case:
    sweep = make_sweep(directory, text)
    return sweep, make_table(sweep, gap, reached)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    directory = tmp_path_factory.mktemp("sweeps")
    return {name: make_case(directory, text, REACHED.get(name)) for name, text in CASES.items()}


@pytest.fixture(scope="module")
def drawn(cases: dict[str, Case]) -> dict[str, Figure]:
    return {name: draw(*case) for name, case in cases.items()}


def curves(axes: Axes) -> dict[str, list[tuple[float, float]]]:
    """Points of the means in a panel, by colour."""
    lines = [line for line in axes.get_lines() if line.get_marker() in tuple("osDXP")]
    lines = [line for line in lines if line.get_fillstyle() != "none" and len(line.get_xdata())]
    return {to_hex(line.get_color()): line.get_xydata().tolist() for line in lines}


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for one in figure.legends for text in one.get_texts()]


def variants(sweep: Sweep) -> dict[str, Any]:
    return _looks(Axis("variant", tuple(Point(name, {}) for name in sweep.variants)))


def test_one_axis_has_a_panel_for_each_measure_and_a_curve_for_each_variant(
    cases: dict[str, Case], drawn: dict[str, Figure]
) -> None:
    sweep, table = cases["numbers"]
    shown = drawn["numbers"].axes
    assert [axes.get_title(loc="left").replace("\n", " ") for axes in shown] == [
        "(a) equilibrium gap",
        "(b) share of runs where the lemma holds",
        "(c) mean return in training",
    ]
    for axes, measure in zip(shown, sweep.measures, strict=True):
        for variant, look in variants(sweep).items():
            rows = table[(table["variant"] == variant) & (table["measure"] == measure)]
            points = np.array(curves(axes)[to_hex(look["color"])])
            assert np.allclose(np.log10(points[:, 0]), [3, 4, 5], atol=0.05)
            assert np.allclose(points[:, 1], rows["mean"])
    assert legend(drawn["numbers"])[:2] == ["Fishermen Game", "Inspection Game"]
    assert [axes.get_yscale() for axes in shown] == ["log", "linear", "linear"]
    low, high = shown[1].get_ylim()
    assert -0.1 < low <= 0
    assert 1 <= high < 1.1


def test_intervals_are_drawn(cases: dict[str, Case], drawn: dict[str, Figure]) -> None:
    table = cases["zero"][1]
    (axes,) = drawn["zero"].axes
    ends = [sorted(segment[:, 1]) for bars in axes.collections for segment in bars.get_segments()]
    assert np.allclose(ends, table[["low", "high"]])


def test_zero_has_its_own_place_and_name(drawn: dict[str, Figure]) -> None:
    (axes,) = drawn["zero"].axes
    named = {tick.get_text(): tick.get_position()[0] for tick in axes.get_xticklabels()}
    assert named["0"] == 0
    steps = np.diff(axes.transData.transform([(x, 1) for x in (0, 0.01, 0.1, 1)])[:, 0])
    assert steps[1] == pytest.approx(steps[2])  # logarithmic from the least positive value on
    assert steps.min() > 0


def test_order_of_the_file_does_not_matter_to_a_curve(tmp_path: Path) -> None:
    (axes,) = draw(*make_case(tmp_path, "axes: { bonus: [4, 1, 2] }\nmeasure: [max_gap]")).axes
    (points,) = curves(axes).values()
    assert [x for x, _ in points] == [1, 2, 4]


@pytest.mark.parametrize(("decades", "scale"), [(1, "linear"), (4, "symlog")])
def test_zero_is_shown_where_it_is(decades: float, scale: str, tmp_path: Path) -> None:
    sweep = make_sweep(tmp_path, "axes: { bonus: [0, 1, 2, 4] }\nmeasure: [max_gap]")
    gaps = {"0": 0.0, "1": 1.0, "2": 10.0, "4": 10.0**decades}
    (axes,) = draw(sweep, make_table(sweep, lambda place, _: gaps[place["bonus"]])).axes
    assert axes.get_yscale() == scale
    (points,) = curves(axes).values()
    assert [y for _, y in points] == list(gaps.values())
    low, high = axes.get_ylim()
    assert low <= 0 < max(gaps.values()) <= high


def test_values_that_would_hide_each_other_are_beside_each_other(
    cases: dict[str, Case], tmp_path: Path
) -> None:
    sweep = cases["two"][0]
    (axes, *_) = draw(sweep, make_table(sweep, lambda *_: 0.5)).axes
    first, second = (np.array(points) for points in curves(axes).values())
    assert first[:2, 1].tolist() == second[:2, 1].tolist()
    assert (np.abs(first[:2, 0] - second[:2, 0]) > 0.01).all()


def test_words_are_ticks(cases: dict[str, Case], drawn: dict[str, Figure]) -> None:
    sweep, table = cases["words"]
    gaps = drawn["words"].axes[0]
    assert [tick.get_text() for tick in gaps.get_yticklabels()] == ["cv", "mad", "fixed"]
    assert gaps.get_ylim() == (2.5, -0.5)  # the first one at the top
    for variant, look in variants(sweep).items():
        rows = table[(table["variant"] == variant) & (table["measure"] == "max_gap")]
        points = np.array(curves(gaps)[to_hex(look["color"])])
        assert np.round(points[:, 1]).tolist() == [0, 1, 2]
        assert np.allclose(points[:, 0], rows["mean"])


def test_of_two_axes_the_longer_is_x_and_the_other_colour(
    cases: dict[str, Case], drawn: dict[str, Figure]
) -> None:
    sweep, table = cases["two"]
    assert [axes.get_title(loc="left") for axes in drawn["two"].axes] == [
        "(a) Fishermen Game", "(b) Inspection Game", "(c) Fishermen Game", "(d) Inspection Game",
    ]  # fmt: skip
    assert legend(drawn["two"]) == ["K = 10³", "K = 10⁴"]
    first = panels(sweep, table)[1]
    assert (first.x.name, first.colour.name, first.facet) == (
        "bonus",
        "episodes",
        "Inspection Game",
    )
    shown = curves(drawn["two"].axes[1])
    assert sorted(len(points) for points in shown.values()) == [2, 3]  # one cell is skipped


def test_few_panels(cases: dict[str, Case], drawn: dict[str, Figure]) -> None:
    sweep, table = cases["four"]
    every = panels(sweep, table)
    assert [(panel.measure, panel.facet) for panel in every] == [
        ("max_gap", "Fishermen Game, stage rule: floor, direction: formula"),
        ("max_gap", "Inspection Game, stage rule: floor, direction: formula"),
        ("max_gap", "Fishermen Game, stage rule: floor, direction: comment"),
        ("max_gap", "Inspection Game, stage rule: floor, direction: comment"),
        ("max_gap", "Fishermen Game, stage rule: real, direction: formula"),
        ("max_gap", "Inspection Game, stage rule: real, direction: formula"),
        ("max_gap", "Fishermen Game, stage rule: real, direction: comment"),
        ("max_gap", "Inspection Game, stage rule: real, direction: comment"),
        ("visits_stuck", "Fishermen Game"),
        ("visits_stuck", "Inspection Game"),
    ]
    place = {"measure": "max_gap", "variant": "inspection", "stage_rule": "floor",
             "direction": "comment"}  # fmt: skip
    rows = table[(table[list(place)] == list(place.values())).all(axis=1)]
    assert every[3].rows["mean"].tolist() == rows["mean"].tolist()
    assert (every[0].x.name, every[0].colour.name) == ("lambda_min", "fluctuation")
    # what has no panel of its own has points of its own
    assert [axis.name for axis in every[8].merged] == ["stage_rule", "direction"]
    assert notes(every) == ["Values of stage rule and direction are beside each other in the "
                            "panels of visits in stages of length T."]  # fmt: skip
    lines = [line for line in drawn["four"].axes[8].get_lines() if line.get_marker() in "os"]
    assert sum(len(line.get_xdata()) for line in lines) == 4 * 3 * 4
    assert {"stage rule: floor", "stage rule: real"} <= set(legend(drawn["four"]))


def test_measures_are_in_the_order_of_findings(tmp_path: Path) -> None:
    text = "axes: { bonus: [0, 1] }\nmeasure: [max_gap, stages, lemma_holds]\n"
    findings = "findings: [{ extremes: { measure: lemma_holds } }]"
    every = panels(*make_case(tmp_path, f"{text}{findings}"))
    assert [panel.measure for panel in every] == ["lemma_holds", "max_gap", "stages"]


def test_a_measure_without_values_has_no_panel(tmp_path: Path) -> None:
    text = "axes: { bonus: [0, 1] }\nmeasure: [max_gap, stages]\n"
    sweep, table = make_case(tmp_path, text)
    gaps = table[table["measure"] == "max_gap"]
    assert [panel.measure for panel in panels(sweep, gaps)] == ["max_gap"]
    assert len(draw(sweep, table[:0]).axes) == 2  # a picture, even if there is nothing to see


AGAINST = (
    f"{FOUR}\nfindings: [{{ against: {{ axis: fluctuation, value: fixed, measure: max_gap }} }}]"
)


def test_a_comparison_over_many_axes_is_a_ratio(tmp_path: Path) -> None:
    sweep, table = make_case(tmp_path, AGAINST)
    every = panels(sweep, table)
    first, last = every[0], every[-1]
    assert first.title == "equilibrium gap relative to fluctuation = fixed"
    assert (first.x.name, first.x.texts) == ("fluctuation", ["cv", "mad"])
    own = table[table["measure"] == "max_gap"].set_index(
        ["variant", "stage_rule", "direction", "fluctuation", "lambda_min"])["mean"]  # fmt: skip
    for row in first.rows.itertuples():
        place = (row.variant, row.stage_rule, row.direction)
        base = own[(*place, "fixed", row.lambda_min)]
        assert row.mean == pytest.approx(own[(*place, row.fluctuation, row.lambda_min)] / base)
    assert not last.base
    assert notes(every)[0].startswith("The figure gives the equilibrium gap relative to fluct")
    assert "fluctuation = fixed" in legend(draw(sweep, table))


def test_colours_of_ratios_say_whether_intervals_are_apart(tmp_path: Path) -> None:
    sweep, _ = make_case(tmp_path, AGAINST)
    gaps = {"cv": 1.3, "mad": 1.1, "fixed": 1.0}  # of intervals ± 10 %, cv's alone is apart
    figure = draw(sweep, make_table(sweep, lambda place, _: gaps[place["fluctuation"]]))
    rows = {to_hex(line.get_color()): {round(y) for y in line.get_ydata()}
            for line in figure.axes[0].get_lines() if line.get_marker() == "o"
            and len(line.get_xdata())}  # fmt: skip
    assert rows == {VERMILION.lower(): {0}, GREY.lower(): {1}}
    counts = (
        "clearly larger: 32 of 64",
        "no clear difference: 32 of 64",
        "clearly smaller: 0 of 64",
    )
    assert legend(figure)[:3] == list(counts)
    few = make_table(sweep, lambda place, _: gaps[place["fluctuation"]]).assign(seeds=3)
    assert legend(draw(sweep, few))[1] == "no clear difference: 64 of 64"  # ranges tell nothing


def test_a_ratio_to_zero_is_not_drawn(tmp_path: Path) -> None:
    sweep, _ = make_case(tmp_path, AGAINST)
    table = make_table(sweep, lambda place, _: float(place["fluctuation"] != "fixed"))
    assert not panels(sweep, table)[0].base
    table = make_table(sweep, lambda place, _: float(place["fluctuation"] == "fixed"))
    figure = draw(sweep, table)  # ratios that are 0 are seen
    shown = [x for line in figure.axes[0].get_lines() if line.get_marker() == "o"
             for x in line.get_xdata()]  # fmt: skip
    assert set(shown) == {0.0}
    assert figure.axes[0].get_xlim()[0] <= 0


def test_a_figure_has_a_limited_number_of_panels(tmp_path: Path) -> None:
    compare = ", ".join(f"game {j}: {{ game: fishermen }}" for j in range(30))
    axes = "axes: { bonus: [1, 2, 3], cv_max: [1, 2, 3] }"
    case = make_case(tmp_path, f"compare: {{ {compare} }}\n{axes}\nmeasure: [max_gap]")
    assert len(draw(*case).axes) == 24
    assert notes(panels(*case)) == ["The figure shows 24 of 30 panels; the table has all cells."]


@pytest.mark.parametrize("unit", [1e-300, 1e199])
def test_rewards_in_any_unit(unit: float, tmp_path: Path) -> None:
    sweep = make_sweep(tmp_path, "axes: { bonus: [0, 1, 4] }\nmeasure: [max_gap, mean_return]\n")
    figure = draw(sweep, make_table(sweep, lambda place, name: unit * (1 + gap(place, name))))
    figure.draw_without_rendering()
    assert [len(points) for axes in figure.axes for points in curves(axes).values()] == [3, 3]


# The target and laws.


def test_target_and_what_was_not_reached(cases: dict[str, Case], drawn: dict[str, Figure]) -> None:
    axes = next(a for a in drawn["target"].axes if "episodes to" in a.get_title(loc="left"))
    gaps = [panel for panel in drawn["target"].axes if panel is not axes]
    for panel in gaps:
        levels = [line.get_ydata() for line in panel.get_lines() if len(line.get_xdata()) == 2]
        assert any(list(y) == [0.1, 0.1] for y in levels)
    assert axes.get_xlabel() == "bonus (multiplier)"
    marks = [line for line in axes.get_lines() if line.get_marker() == "^"]
    places = [x for line in marks for x in line.get_xdata()]
    assert np.allclose(places, [2, 4], atol=0.05)
    assert {"target: 0.1", "not reached"} <= set(legend(drawn["target"]))


def test_target_without_another_axis(drawn: dict[str, Figure]) -> None:
    axes = drawn["target alone"].axes[-1]
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert names == ["Fishermen Game", "Inspection Game"]
    marks = [line for line in axes.get_lines() if line.get_marker() == ">"]
    assert [round(y) for line in marks for y in line.get_ydata()] == [1]


def lines(sweep: Sweep, table: pd.DataFrame) -> dict[str, tuple[Any, Any]]:
    """The laws of the last panel."""
    return {law.label: (law.x, law.y) for law in laws(sweep, panels(sweep, table)[-1])}


def test_root_k_goes_through_the_last_point_of_each_variant(cases: dict[str, Case]) -> None:
    sweep, table = cases["numbers"]
    of_gap = table[(table["measure"] == "max_gap") & (table["episodes"] == "100000")]
    found = laws(sweep, panels(sweep, table)[0])
    assert [law.curve for law in found] == ["fishermen", "inspection"]
    for law, last in zip(found, of_gap["mean"], strict=True):
        assert law.label == r"theorem: $\propto K^{-1/2}$"
        assert (law.x[-1], law.y[-1]) == pytest.approx((100_000, last))
        assert (law.x[0], law.y[0]) == pytest.approx((1000, 10 * last))
    assert not laws(sweep, panels(sweep, table)[2])  # of a mean return


TARGET = "measure: [relative_gap]\ntarget: 0.1"
AGENTS = f"axes: {{ episodes: [1000, 100000], agents: [2, 3, 8] }}\n{TARGET}"


def test_laws_over_agents(tmp_path: Path) -> None:
    reached = {("", "2"): math.inf, ("", "3"): 3000.0, ("", "8"): 2800.0}
    shown = lines(*make_case(tmp_path, AGENTS, reached))
    x, y = shown[r"theorem: $\propto\iota$"]
    assert (x[0], y[0], x[-1]) == pytest.approx((3, 3000, 8))  # from the first that is known

    def iota(N: float, K: float) -> float:  # the Fishermen Game has S = A = T = 2; p = 0.05
        return math.log(2 * N * 2 * 2 * K * 2 / 0.05)

    for N, K in zip(x[::20], y[::20], strict=True):
        root = brentq(lambda k, N=N: k / iota(N, k) - 3000 / iota(3, 3000), 2000, 9000)
        assert pytest.approx(root) == K
    x, y = shown[r"joint actions: $\propto A^N$"]
    assert (x[-1], y[-1]) == pytest.approx((8, 3000 * 2**5))
    assert not lines(*make_case(tmp_path, AGENTS, {("", N): math.inf for N in "238"}))


def test_a_steep_law_leaves_the_panel(tmp_path: Path) -> None:
    reached = {("", "2"): 3000.0, ("", "3"): 2800.0, ("", "8"): 3100.0}
    axes = draw(*make_case(tmp_path, AGENTS, reached)).axes[-1]
    assert axes.get_ylim()[1] < 10_000


def test_theorem_says_nothing_about_other_learners(tmp_path: Path) -> None:
    sweep = make_sweep(tmp_path, AGENTS, "{ game: fishermen, algorithm: independent_q }")
    table = make_table(sweep, gap, {("", N): 2000.0 for N in "238"})
    assert list(lines(sweep, table)) == [r"joint actions: $\propto A^N$"]


def test_fifth_power_of_the_horizon(tmp_path: Path) -> None:
    text = f"axes: {{ episodes: [1000, 100000], horizon: [2, 4] }}\n{TARGET}"
    base = "{ game: fishermen, algorithm: v_learning, fluctuation: fixed }"
    sweep = make_sweep(tmp_path, text, base)
    table = make_table(sweep, gap, {("", "2"): 1500.0, ("", "4"): 40_000.0})
    ((label, (x, y)),) = lines(sweep, table).items()
    assert label == r"theorem: $\propto T^5$"
    assert (x[-1], y[-1]) == pytest.approx((4, 1500 * 32))


# All shapes.


@pytest.mark.parametrize("name", few(["words", "target"], "words"))
def test_same_bytes_twice(
    name: str, cases: dict[str, Case], drawn: dict[str, Figure], tmp_path: Path
) -> None:
    save_picture(drawn[name], tmp_path / "first")
    with matplotlib.rc_context({"font.size": 31, "axes.grid": True, "pdf.fonttype": 3}):
        save_picture(draw(*cases[name]), tmp_path / "second")
    for suffix in ("png", "pdf"):
        first, second = (tmp_path / f"{which}.{suffix}" for which in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("name", CASES)
def test_words_have_one_size_and_do_not_overlap(
    name: str, drawn: dict[str, Figure], monkeypatch: pytest.MonkeyPatch
) -> None:
    words: list[Text] = []
    draw_text = Text.draw
    monkeypatch.setattr(
        Text, "draw", lambda text, renderer: (words.append(text), draw_text(text, renderer))
    )
    figure = drawn[name]
    assert figure.get_size_inches()[0] in (3.5, 7.16)
    figure.draw_without_rendering()
    shown = [word for word in words if word.get_visible() and word.get_text().strip()]
    assert len(shown) > 5
    assert {word.get_fontsize() for word in shown} == {SMALL}
    boxes = np.array([word.get_window_extent().extents for word in shown])
    width, height = figure.bbox.size
    for j, (x0, y0, x1, y1) in enumerate(boxes):
        assert -1 <= x0 <= x1 <= width + 1, f"{shown[j].get_text()!r} leaves the page"
        assert -1 <= y0 <= y1 <= height + 1, f"{shown[j].get_text()!r} leaves the page"
        clear = ((boxes[:j, 2] - 2 < x0 + 2) | (x1 - 2 < boxes[:j, 0] + 2)
                 | (boxes[:j, 3] - 2 < y0 + 2) | (y1 - 2 < boxes[:j, 1] + 2))  # fmt: skip
        others = [shown[k].get_text() for k in np.flatnonzero(~clear)]
        assert not others, f"{shown[j].get_text()!r} over {others}"


def test_variants_look_different() -> None:
    axis = Axis("variant", tuple(Point(f"variant {j}", {}) for j in range(35)))
    assert len({tuple(look.values()) for look in _looks(axis).values()}) == 35
    assert _looks(Axis("variant", (Point("v-cv", {}),)))["v-cv"]["color"] == "#0072B2"


def test_colours_can_be_seen_on_white() -> None:
    def luminance(colour: str) -> float:
        linear = [(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
                  for c in to_rgb(colour)]  # fmt: skip
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    words, numbers = ([f"{word}{j}" for j in range(9)] for word in ("w", ""))
    for texts in (words, numbers):
        axis = Axis("axis", tuple(Point(text, {}) for text in texts))
        for look in _looks(axis).values():
            assert 1.05 / (luminance(look["color"]) + 0.05) >= 3
