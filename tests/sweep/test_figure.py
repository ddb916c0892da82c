"""The figure of a sweep: its shape decides what is drawn, and what is drawn is the table."""

from __future__ import annotations

import itertools
import math
import warnings
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from amg.sweep.figure.cells import blocks
from amg.sweep.figure.curves import laws
from amg.sweep.figure.heat_map import SHADES, contrast, short
from amg.sweep.figure.names import looks, symbol
from amg.sweep.figure.scales import kind, spelled
from cases import few
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm, to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from scipy.optimize import brentq
from sweep_tables import make_sweep, make_table

from amg.figures.style import save_picture
from amg.sweep.figure import caption, draw
from amg.sweep.grid import Sweep

GAMES = "compare: { fishermen: { game: fishermen }, inspection: { game: inspection } }\n"


def gap(place: Any, measure: str) -> float:
    """Different everywhere, positive, over several decades; shares in [0, 1]."""
    digest = sum(ord(letter) * (j + 1) for j, letter in enumerate("".join(place.values()))) % 997
    return digest / 997 if measure in ("lemma_holds", "visits_stuck") else 10 ** (digest / 400 - 2)


CASES = {  # of every shape
    "numbers": f"{GAMES}axes: {{ episodes: [1000, 10000, 100000] }}\n"
    "measure: [max_gap, lemma_holds, mean_return]",
    "zero": "axes: { bonus: [0, 0.01, 0.1, 1, 4] }\nmeasure: [max_gap]",
    "words": f"{GAMES}axes: {{ fluctuation: [cv, mad, fixed] }}\nmeasure: [max_gap, visits_stuck]",
    "two": f"{GAMES}axes: {{ bonus: [1, 2, 4], episodes: [1000, 10000] }}\n"
    "skip: [{ bonus: 4, episodes: 10000 }]\nmeasure: [max_gap, lemma_holds]",
    "one map": "axes: { bonus: [1, 2, 4], lambda_min: [0.7, 0.8, 0.9] }\nmeasure: [max_gap]",
    "four": f"{GAMES}axes: {{ stage_rule: [floor, real], direction: [formula, comment], "
    "fluctuation: [cv, mad, fixed], lambda_min: [0.7, 0.8, 0.9, 1] }\n"
    "measure: [max_gap, visits_stuck]",
    "target": f"{GAMES}axes: {{ episodes: [1000, 10000], bonus: [1, 2, 4] }}\n"
    "measure: [relative_gap]\ntarget: 0.1",
    "target alone": "axes: { episodes: [1000, 10000] }\nmeasure: [relative_gap]\ntarget: 0.1",
    "long names": "compare: { the 1st of two $games$ with a long name: { game: fishermen },\n"
    "  the 2nd of two games with a long name: { game: inspection } }\n"
    "axes:\n  what is done with the fluctuation:\n"
    "    coefficient of variation, at most 0.1: { cv_max: 0.1 }\n"
    "    nothing, stages are fixed: { fluctuation: fixed }\n"
    "measure: [max_gap, stages, lemma_holds]",
}
REACHED = {
    "target": {("fishermen", "1"): 1000.0, ("fishermen", "2"): 2500.0, ("fishermen", "4"): 4200.0,
               ("inspection", "1"): 9000.0, ("inspection", "2"): math.inf,
               ("inspection", "4"): math.inf},
    "target alone": {("",): math.inf},
}  # fmt: skip
each = pytest.mark.parametrize("name", CASES)

Case = tuple[Sweep, pd.DataFrame]


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


def panels(figure: Figure) -> list[Axes]:
    """Axes that show data: neither colour bars nor empty places."""
    return [axes for axes in figure.axes if axes.axison and axes.get_label() != "<colorbar>"]


def meshes(figure: Figure) -> list[tuple[Axes, QuadMesh]]:
    return [(axes, mesh) for axes in panels(figure) for mesh in axes.findobj(QuadMesh)]


def title(axes: Axes) -> str:
    return axes.get_title(loc="left").strip()


def curve(axes: Axes, colour: str) -> Line2D:
    """The curve of this colour, without the lines of its intervals."""
    (line,) = (line for line in axes.get_lines()
               if to_hex(line.get_color()) == to_hex(colour) and line.get_linestyle() == "-"
               and len(line.get_xdata()) > 1)  # fmt: skip
    return line


# One axis.


def test_a_panel_for_each_measure_and_a_curve_for_each_variant(
    cases: dict[str, Case], drawn: dict[str, Figure]
) -> None:
    sweep, table = cases["numbers"]
    shown = panels(drawn["numbers"])
    titles = ["(a) equilibrium gap", "(b) share of runs where the lemma holds",
              "(c) mean return in training"]  # fmt: skip
    assert [title(axes).replace("\n", " ") for axes in shown] == titles
    for axes, measure in zip(shown, sweep.measures, strict=True):
        for variant, look in looks(sweep.variants).items():
            rows = table[(table["variant"] == variant) & (table["measure"] == measure)]
            line = curve(axes, look["color"])
            assert list(line.get_xdata()) == [1000, 10_000, 100_000]
            assert list(line.get_ydata()) == rows["mean"].tolist()
        assert {"fishermen", "inspection"} <= {text.get_text() for text in axes.texts}


def test_intervals_are_drawn(cases: dict[str, Case], drawn: dict[str, Figure]) -> None:
    table = cases["zero"][1]
    (axes,) = panels(drawn["zero"])
    (bars,) = axes.containers[0][2]
    ends = [sorted(segment[:, 1]) for segment in bars.get_segments()]
    assert np.allclose(ends, table[["low", "high"]])


def test_scales_of_one_axis(drawn: dict[str, Figure]) -> None:
    gaps, shares, returns = panels(drawn["numbers"])
    assert {axes.get_xscale() for axes in (gaps, shares, returns)} == {"log"}
    assert [axes.get_yscale() for axes in (gaps, shares, returns)] == ["log", "linear", "linear"]
    low, high = shares.get_ylim()
    assert -0.1 < low <= 0
    assert 1 <= high < 1.1


@pytest.mark.parametrize(
    ("numbers", "scale"),
    [
        ([1, 10, 100], "log"),
        ([0.7, 0.8, 0.9], "linear"),
        ([2, 4, 8, 16, 32, 63], "linear"),
        ([2, 4, 8, 16, 32, 64], "log"),
        ([0, 0.01, 1], "zero"),
        ([0, 1, 2, 3], "linear"),
        ([-1, 10, 1000], "linear"),
        ([0], "linear"),
    ],
)
def test_scale_of_values(numbers: list[float], scale: str) -> None:
    assert kind(numbers) == scale


def test_zero_has_its_own_place_and_name(drawn: dict[str, Figure]) -> None:
    (axes,) = panels(drawn["zero"])
    assert axes.get_xscale() == "symlog"
    named = {tick.get_text(): tick.get_position()[0] for tick in axes.get_xticklabels()}
    assert named["0"] == 0
    across = axes.transData.transform([(x, 1) for x in (0, 0.01, 0.1, 1)])[:, 0]
    steps = np.diff(across)
    assert steps[1] == pytest.approx(steps[2])  # logarithmic from the least positive value on
    assert steps.min() > 0


def test_order_of_the_file_does_not_matter_to_a_curve(tmp_path: Path) -> None:
    sweep, table = make_case(tmp_path, "axes: { bonus: [4, 1, 2] }\nmeasure: [max_gap]")
    (axes,) = panels(draw(sweep, table))
    assert list(curve(axes, looks(("",))[""]["color"]).get_xdata()) == [1, 2, 4]


def test_a_missing_cell_breaks_a_curve(tmp_path: Path) -> None:
    text = "axes: { bonus: [1, 2, 3, 4] }\nskip: [{ bonus: 2 }]\nmeasure: [max_gap]"
    (axes,) = panels(draw(*make_case(tmp_path, text)))
    assert np.isnan(curve(axes, looks(("",))[""]["color"]).get_ydata()).tolist() == [
        False, True, False, False]  # fmt: skip


def test_what_a_log_scale_cannot_show_is_at_its_edge_and_named(tmp_path: Path) -> None:
    sweep = make_sweep(tmp_path, f"{GAMES}axes: {{ bonus: [1, 2, 4] }}\nmeasure: [max_gap]")
    table = make_table(sweep, lambda place, _: 0.5 if place["variant"] == "fishermen" else 0.0)
    (axes,) = panels(draw(sweep, table))
    marks = [line for line in axes.get_lines() if line.get_marker() == "v"]
    assert [list(line.get_xdata()) for line in marks] == [[1], [2], [4]]
    assert axes.get_yscale() == "log"
    assert "inspection: 0" in {text.get_text() for text in axes.texts}
    assert "not positive" in caption(sweep, table)


def test_words_are_rows(cases: dict[str, Case], drawn: dict[str, Figure]) -> None:
    sweep, table = cases["words"]
    gaps, stuck = panels(drawn["words"])
    assert [tick.get_text() for tick in gaps.get_yticklabels()] == ["cv", "mad", "fixed"]
    assert gaps.get_ylim()[0] > gaps.get_ylim()[1]  # the first on top
    assert gaps.get_ylabel() == "fluctuation"
    for axes, measure in ((gaps, "max_gap"), (stuck, "visits_stuck")):
        for variant, bars in zip(sweep.variants, axes.containers, strict=True):
            rows = table[(table["variant"] == variant) & (table["measure"] == measure)]
            assert list(bars[0].get_xdata()) == rows["mean"].tolist()
            assert np.round(bars[0].get_ydata()).tolist() == [0, 1, 2]


# Two axes and more.


def test_a_heat_map_for_each_variant_and_measure(
    cases: dict[str, Case], drawn: dict[str, Figure]
) -> None:
    sweep, table = cases["two"]
    shown = meshes(drawn["two"])
    wanted = list(itertools.product(sweep.measures, sweep.variants))
    assert [title(axes) for axes, _ in shown] == [variant for _, variant in wanted]
    for (axes, mesh), (measure, variant) in zip(shown, wanted, strict=True):
        rows = table[(table["measure"] == measure) & (table["variant"] == variant)]
        means = rows.pivot(index="bonus", columns="episodes", values="mean")
        colours = np.ma.filled(np.ma.asarray(mesh.get_array()), np.nan)
        assert np.array_equal(colours, means.loc[["1", "2", "4"], ["1000", "10000"]].to_numpy(),
                              equal_nan=True)  # fmt: skip
        words = {text.get_position(): text.get_text() for text in axes.texts}
        digits = 2 if measure == "lemma_holds" else 3
        for (j, bonus), (k, K) in itertools.product(enumerate("124"), enumerate(["1000", "10000"])):
            mean = means.loc[bonus, K]
            assert words[k + 0.5, j + 0.5] == ("" if np.isnan(mean) else short(mean, digits))
    first = shown[0][0]
    assert [tick.get_text() for tick in first.get_yticklabels()] == ["1", "2", "4"]
    assert [tick.get_text() for tick in first.get_xticklabels()] == ["10³", "10⁴"]
    assert (first.get_xlabel(), first.get_ylabel()) == ("K (episodes)", "bonus multiplier")


def test_skipped_cells_are_hatched(cases: dict[str, Case], drawn: dict[str, Figure]) -> None:
    for axes, _ in meshes(drawn["two"]):
        hatched = [patch for patch in axes.findobj(Rectangle) if patch.get_hatch()]
        assert [tuple(map(math.floor, patch.get_xy())) for patch in hatched] == [(1, 2)]
    assert "Hatched" in caption(*cases["two"])


def test_variants_share_a_scale_of_colours(drawn: dict[str, Figure]) -> None:
    scales = [mesh.norm for _, mesh in meshes(drawn["two"])]
    gaps, shares = scales[:2], scales[2:]
    assert all(isinstance(scale, LogNorm) for scale in gaps)
    assert len({(scale.vmin, scale.vmax) for scale in gaps}) == 1
    assert {(scale.vmin, scale.vmax) for scale in shares} == {(0.0, 1.0)}
    bars = [axes for axes in drawn["two"].axes if axes.get_label() == "<colorbar>"]
    assert len(bars) == 2


def test_numbers_stand_out_from_their_cells(drawn: dict[str, Figure]) -> None:
    found = 0
    for axes, mesh in meshes(drawn["four"]):
        colours = SHADES(mesh.norm(np.asarray(mesh.get_array())))
        for text in axes.texts:
            x, y = (math.floor(place) for place in text.get_position())
            if text.get_text() and 0 <= y < colours.shape[0]:
                assert contrast(text.get_color(), colours[y, x]) > 3.9
                found += 1
    assert found >= 2 * 2 * 4 * 12


def test_small_multiples(cases: dict[str, Case], drawn: dict[str, Figure]) -> None:
    sweep, table = cases["four"]
    shown = meshes(drawn["four"])
    combinations = list(itertools.product(("floor", "real"), ("formula", "comment")))
    assert len(shown) == 2 * 2 * len(combinations)
    titles = [title(axes).replace("\n", ", ") for axes, _ in shown[:4]]
    assert titles == [f"stage_rule = {a}, direction = {b}" for a, b in combinations]
    assert [axes.get_ylabel().split("\n")[0] for axes, _ in shown[::4]] == [
        "fishermen", "inspection"] * 2  # fmt: skip
    _, mesh = shown[8 + 4 + 1]  # second measure, second variant, second combination
    place = {"measure": "visits_stuck", "variant": "inspection", "stage_rule": "floor",
             "direction": "comment"}  # fmt: skip
    rows = table[(table[list(place)] == list(place.values())).all(axis=1)]
    assert np.asarray(mesh.get_array()).ravel().tolist() == rows["mean"].tolist()


def test_too_many_panels_are_left_out_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amg.sweep.figure.layout.MOST", 5)
    text = "axes: { bonus: [1, 2, 3], cv_max: [1, 2, 3], stage_rule: [floor], lambda_min: [1] }\n"
    figure = draw(*make_case(tmp_path, f"{text}measure: [max_gap]"))
    assert len(meshes(figure)) == 5
    assert "equilibrium gap (5 of 9 panels; the table has all)" in {
        text.get_text() for text in figure.findobj(Text)}  # fmt: skip


def test_crowded_cells_have_no_numbers_and_fewer_names(tmp_path: Path) -> None:
    text = ("axes: { bonus: { from: 0.01, to: 1, per_decade: 60 }, "
            "p: { from: 0.001, to: 1, per_decade: 8 } }\nmeasure: [max_gap]")  # fmt: skip
    ((axes, _),) = meshes(draw(*make_case(tmp_path, text)))
    assert not [text for text in axes.texts if text.get_text()]
    named = [tick.get_text() for tick in axes.get_yticklabels()]
    assert len(named) == 121
    assert 20 < sum(map(bool, named)) < 121


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0.0, 3, "0"), (1e-12, 3, "1.00e−12"), (1.0, 2, "1"), (0.9997, 2, "1.0"), (0.9997, 3, "1.00"),
     (0.01484, 3, "0.0148"), (12.34, 2, "12"), (-0.25, 2, "−0.25"), (66810.3, 2, "6.7e4"),
     (4.42e-4, 3, "4.42e−4"), (math.inf, 3, "–"), (math.nan, 3, ""), (32.0, 3, "32")],
)  # fmt: skip
def test_numbers_in_cells(value: float, digits: int, text: str) -> None:
    assert short(value, digits) == text


@pytest.mark.parametrize("unit", few([1e-300, 1e199], 1e-300))
@pytest.mark.parametrize("axes", ["bonus: [0, 1, 4]", "bonus: [1, 4], p: [0.1, 0.2]",
                                  "stage_rule: [floor, real]"])  # fmt: skip
def test_rewards_in_any_unit(unit: float, axes: str, tmp_path: Path) -> None:
    """Panels of rewards have the numbers of ordinary units, and say in which unit they are."""
    sweep = make_sweep(tmp_path, f"axes: {{ {axes} }}\nmeasure: [max_gap, mean_return]\n")
    shown = []
    for scale in (1.0, unit):
        table = make_table(sweep, lambda place, name, scale=scale: scale * (1 + gap(place, name)))  # type: ignore[misc]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            figure = draw(sweep, table)
            figure.draw_without_rendering()
        shown.append(blocks(sweep, table))
        words = " ".join(text.get_text() for text in figure.findobj(Text)).replace("\n", " ")
        assert ("return in training in units of 10" in words) == (scale != 1)
    for one, other in zip(*shown, strict=True):
        assert one.logarithmic == other.logarithmic
        times = unit / 10.0**other.exponent
        for place, value in one.values.items():
            assert other.values[place] == pytest.approx([times * x for x in value], rel=1e-12)


# The derived measure and guides.


def test_derived_measure_has_its_own_shape(drawn: dict[str, Figure]) -> None:
    shown = panels(drawn["target"])
    assert len(meshes(drawn["target"])) == 2
    axes = shown[-1]
    assert title(axes) == "(b) episodes to the target"
    assert axes.get_xlabel() == "bonus multiplier"


def test_what_was_not_reached_and_what_is_a_bound(
    cases: dict[str, Case], drawn: dict[str, Figure]
) -> None:
    sweep, table = cases["target"]
    axes = panels(drawn["target"])[-1]
    marks = [line.get_xdata()[0] for line in axes.get_lines() if line.get_marker() == "^"]
    assert marks == [2, 4]
    assert "inspection: not reached" in {text.get_text() for text in axes.texts}
    hollow = [line for line in axes.get_lines() if line.get_markerfacecolor() == "white"]
    assert [line.get_xydata().tolist() for line in hollow] == [[[1, 1000]]]  # the least K there is
    assert "not reached" in caption(sweep, table)
    assert "or less" in caption(sweep, table)


def test_derived_heat_map_marks_them_too(tmp_path: Path) -> None:
    text = ("axes: { episodes: [1000, 10000], bonus: [1, 2], p: [0.01, 0.1] }\n"
            "measure: [relative_gap]\ntarget: 0.1")  # fmt: skip
    reached = {("", "1", "0.01"): 1000.0, ("", "1", "0.1"): 5000.0, ("", "2", "0.01"): math.inf,
               ("", "2", "0.1"): 1500.0}  # fmt: skip
    case = make_case(tmp_path, text, reached)
    axes, _ = meshes(draw(*case))[-1]
    assert "≤: reached at the least K" in caption(*case)
    assert "–: not reached" in caption(*case)
    assert [text.get_text() for text in axes.texts] == ["≤1000", "5000", "–", "1500"]


def test_target_without_another_axis(drawn: dict[str, Figure]) -> None:
    axes = panels(drawn["target alone"])[-1]
    assert [line.get_marker() for line in axes.get_lines()][-1] == ">"
    assert "not reached" in {text.get_text() for text in axes.texts}


def lines(sweep: Sweep, table: pd.DataFrame) -> dict[str, tuple[list[float], list[float]]]:
    """The guides of the last measure."""
    return {label.split(",")[0]: line for label, line in laws(sweep, blocks(sweep, table)[-1])}


def test_root_k_goes_through_the_first_point(cases: dict[str, Case]) -> None:
    sweep, table = cases["numbers"]
    first = table[(table["measure"] == "max_gap") & (table["episodes"] == "1000")]["mean"].iloc[0]
    ((label, (x, y)),) = laws(sweep, blocks(sweep, table)[0])
    assert label == r"$\propto K^{-1/2}$, through ○"
    assert (x[0], y[0]) == (1000, first)
    assert (x[-1], y[-1]) == pytest.approx((100_000, first / 10))
    assert not laws(sweep, blocks(sweep, table)[2])  # of a mean return


TARGET = "measure: [relative_gap]\ntarget: 0.1"
AGENTS = f"axes: {{ episodes: [1000, 100000], agents: [2, 3, 8] }}\n{TARGET}"


def test_guides_over_agents(tmp_path: Path) -> None:
    reached = {("", "2"): 3000.0, ("", "3"): 2800.0, ("", "8"): math.inf}
    found = lines(*make_case(tmp_path, AGENTS, reached))
    x, y = found[r"theorem: $\propto\iota$"]
    assert x == [2, 3, 8]

    def iota(N: int, K: float) -> float:  # the Fishermen Game has S = A = T = 2; p = 0.05
        return math.log(2 * N * 2 * 2 * K * 2 / 0.05)

    for N, K in zip(x, y, strict=True):
        root = brentq(lambda k, N=N: k / iota(N, k) - 3000 / iota(2, 3000), 2000, 9000)
        assert pytest.approx(root) == K
    x, y = found[r"joint actions: $\propto A^N$"]
    assert (x[0], y[0]) == (2, 3000)
    assert (x[-1], y[-1]) == pytest.approx((8, 3000 * 2**6))


def test_guides_begin_where_a_value_is_known(tmp_path: Path) -> None:
    reached = {("", "2"): 1000.0, ("", "3"): 2800.0, ("", "8"): 4000.0}  # the first is a bound
    for x, y in lines(*make_case(tmp_path, AGENTS, reached)).values():
        assert (x[0], y[0]) == (3, 2800)
    assert not lines(*make_case(tmp_path, AGENTS, {("", N): math.inf for N in "238"}))


def test_a_steep_guide_is_cut_and_named_where_it_leaves(tmp_path: Path) -> None:
    reached = {("", "2"): 3000.0, ("", "3"): 2800.0, ("", "8"): 3100.0}
    axes = panels(draw(*make_case(tmp_path, AGENTS, reached)))[-1]
    (line,) = (line for line in axes.get_lines() if "joint" in str(line.get_label()))
    x, y = line.get_data()
    high = axes.get_ylim()[1]
    assert max(y) <= high
    assert 3000 * 2 ** (x[-1] - 2) == pytest.approx(y[-1])
    assert y[-1] > 0.9 * high
    (name,) = (text for text in axes.texts if "joint" in text.get_text())
    assert name.xy == (x[-1], 1.0)


def test_theorem_says_nothing_of_other_learners(tmp_path: Path) -> None:
    base = "{ game: fishermen, algorithm: independent_q }"
    sweep = make_sweep(tmp_path, AGENTS, base)
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


@pytest.mark.parametrize("name", few(["words", "target"], "words"))  # dots; heat maps and curves
def test_same_bytes_twice(
    name: str, cases: dict[str, Case], drawn: dict[str, Figure], tmp_path: Path
) -> None:
    save_picture(drawn[name], tmp_path / "first")
    with matplotlib.rc_context({"font.size": 31, "axes.grid": True, "pdf.fonttype": 3}):
        save_picture(draw(*cases[name]), tmp_path / "second")
    for suffix in ("png", "pdf"):
        first, second = (tmp_path / f"{which}.{suffix}" for which in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()


@each
def test_words_are_legible_and_do_not_overlap(
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
    boxes = np.array([_ink(word) for word in shown])
    width, height = figure.bbox.size
    assert len(shown) > 5
    assert min(word.get_fontsize() for word in shown) >= 5
    for j, (x0, y0, x1, y1) in enumerate(boxes):
        assert -1 <= x0 <= x1 <= width + 1, f"{shown[j].get_text()!r} leaves the page"
        assert -1 <= y0 <= y1 <= height + 1, f"{shown[j].get_text()!r} leaves the page"
        clear = ((boxes[:j, 2] - 2 < x0 + 2) | (x1 - 2 < boxes[:j, 0] + 2)
                 | (boxes[:j, 3] - 2 < y0 + 2) | (y1 - 2 < boxes[:j, 1] + 2))  # fmt: skip
        others = [shown[k].get_text() for k in np.flatnonzero(~clear)]
        assert not others, f"{shown[j].get_text()!r} over {others}"


def _ink(word: Text) -> tuple[float, float, float, float]:
    """The extent of a text, without empty lines that keep room at its top."""
    x0, y0, x1, y1 = word.get_window_extent().extents
    rows = word.get_text().split("\n")
    empty = len(list(itertools.takewhile(lambda row: not row, rows)))
    return x0, y0, x1, y1 - (y1 - y0) * empty / len(rows)


@each
def test_caption_is_a_paragraph_of_the_sweep(name: str, cases: dict[str, Case]) -> None:
    sweep, table = cases[name]
    text = caption(sweep, table)
    assert text.endswith(".")
    assert "95% bootstrap intervals over 3 seeds" in text
    assert not any(word in text for word in ("\n", "nan", "None", "  "))
    for variant in filter(None, sweep.variants):
        assert variant in text


def test_caption_says_what_was_varied(cases: dict[str, Case]) -> None:
    assert caption(*cases["four"]).startswith(
        "Varied: stage_rule over floor and real; direction over formula and comment; fluctuation "
        "over cv, mad and fixed; λ_min over 4 values from 0.7 to 1. Compared: fishermen and "
        "inspection."
    )


def test_names_and_numbers() -> None:
    assert [symbol(axis) for axis in ("episodes", "lambda_min", "bonus", "other")] == [
        "K", "λ_min", "bonus", "other"]  # fmt: skip
    assert [spelled(x) for x in (0.05, 200, 2e5, 1e4, 5e-4)] == [
        "0.05", "200", "2×10⁵", "10⁴", "5×10⁻⁴"]  # fmt: skip


def test_variants_look_different() -> None:
    variants = tuple(f"variant {j}" for j in range(30))
    found = looks(("v-cv", *variants))
    assert found["v-cv"]["color"] == "#0072B2"
    assert len({tuple(look.values()) for look in found.values()}) == 31
