"""Figures: drawn without a warning, the same bytes anywhere, and data that are what is drawn."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import jinja2
import jinja2.meta
import matplotlib
import numpy as np
import pandas as pd
import pytest
from figure_tables import small_tables, write_tables
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.text import Text

from amg.base.errors import FileError
from amg.figures import FIGURES, SUFFIXES, style
from amg.figures.style import COLUMNS, Sheet
from amg.tables import TABLES
from amg.tables.tidy import write_table

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src"
each = pytest.mark.parametrize("name", FIGURES)


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    return small_tables()


@pytest.fixture(scope="module")
def drawn(tables: dict[str, pd.DataFrame]) -> dict[str, Sheet]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return {name: figure.draw(tables)[0] for name, figure in FIGURES.items()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every figure, made here."""
    directory = tmp_path_factory.mktemp("made")
    tables = write_tables(directory / "tables")
    with matplotlib.rc_context({"font.size": 31, "axes.grid": True, "pdf.fonttype": 3}):
        for name, figure in FIGURES.items():
            figure.make(tables, directory / name)
    return directory


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every figure, made by a process with another time zone, locale, backend and style."""
    directory = tmp_path_factory.mktemp("elsewhere")
    style = directory / "matplotlibrc"
    style.write_text("font.size: 23\naxes.facecolor: red\nsavefig.bbox: tight\n")
    other = {"TZ": "Pacific/Chatham", "LANG": "de_DE.UTF-8", "LC_ALL": "C.UTF-8",
             "MPLBACKEND": "svg", "MATPLOTLIBRC": str(style), "PYTHONHASHSEED": "7",
             "SOURCE_DATE_EPOCH": "86400", "PYTHONPATH": str(SOURCE)}  # fmt: skip
    command = [sys.executable, "-W", "ignore", str(HERE / "figure_tables.py"), str(directory)]
    subprocess.run(command, env={**os.environ, **other}, cwd=directory, check=True)
    return directory


def test_registry_loads_no_drawing_library() -> None:
    code = (
        "import sys, amg.figures; print([m for m in ('matplotlib', 'pandas') if m in sys.modules])"
    )
    environ = {**os.environ, "PYTHONPATH": str(SOURCE)}
    run = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stderr


@each
def test_module_has_the_name_of_its_figure(name: str) -> None:
    assert (SOURCE / "amg/figures" / f"{name}.py").exists()
    assert FIGURES[name].module == f"amg.figures.{name}"


@each
def test_short_caption_is_a_template_over_facts(name: str) -> None:
    syntax = jinja2.Environment(autoescape=True).parse(FIGURES[name].caption)
    assert jinja2.meta.find_undeclared_variables(syntax) == {"f"}
    assert FIGURES[name].caption.endswith(".")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
@each
def test_same_bytes_anywhere(name: str, suffix: str, made: Path, elsewhere: Path) -> None:
    first, second = (place / f"{name}.{suffix}" for place in (made, elsewhere))
    assert first.read_bytes() == second.read_bytes()


@each
def test_pdf_embeds_fonts_and_tells_no_time(name: str, made: Path) -> None:
    data = (made / f"{name}.pdf").read_bytes()
    assert b"/FontFile2" in data
    assert b"/Type3" not in data
    for word in (b"CreationDate", b"ModDate", b"Producer", b"Matplotlib"):
        assert word not in data


@each
def test_png_holds_pixels_alone(name: str, made: Path) -> None:
    data = (made / f"{name}.png").read_bytes()
    kinds, place = [], 8
    while place < len(data):
        size = int.from_bytes(data[place : place + 4], "big")
        kinds.append(data[place + 4 : place + 8])
        place += 12 + size
    assert set(kinds) <= {b"IHDR", b"pHYs", b"IDAT", b"IEND"}


@each
def test_width_is_a_column_or_a_page(name: str, drawn: dict[str, Sheet]) -> None:
    assert drawn[name].get_size_inches()[0] in (3.5, 7.16)


@each
def test_data_are_what_is_drawn(name: str, drawn: dict[str, Sheet]) -> None:
    """Every named line is in the data, point by point, and every series of the data is drawn."""
    figure, data = drawn[name], drawn[name].data
    assert list(data.columns) == COLUMNS
    seen = set()
    for line in (line for axes in figure.axes for line in axes.get_lines()):
        series = data[data["series"] == line.get_label()]
        if series.empty or line.get_marker() == "v":
            continue
        seen.add(str(line.get_label()))
        x, y = (np.asarray(values, dtype=float) for values in line.get_data())
        if series["x"].isna().all():  # a level
            assert set(y) <= set(series["y"])
        elif series["y"].isna().all():  # a boundary
            assert set(x) <= set(series["x"])
        else:
            points = set(zip(series["x"], series["y"], strict=True))
            shown = ~np.isnan(y)  # a line is interrupted at what a log axis cannot show
            assert set(zip(x[shown], y[shown], strict=True)) <= points
    apart = "not on a log axis|between bounds|stage boundary|bonus: |without: | / |independent Q"
    assert {s for s in set(data["series"]) - seen if not re.search(apart, s)} == set()


@each
def test_file_beside_is_the_data(name: str, drawn: dict[str, Sheet], made: Path) -> None:
    assert pd.read_csv(made / f"{name}.csv").equals(drawn[name].data)


def test_gaps_are_drawn_as_they_stand(tables: dict[str, pd.DataFrame]) -> None:
    data = FIGURES["sample_complexity"].draw(tables)[0].data
    gaps = tables["gaps"]
    wanted = gaps[(gaps["game"] == "inspection") & (gaps["learner"] == "v-cv")]
    for measure, series in {"max_gap": "exact gap (CV)", "max_informed_gap": "informed bound (CV)",
                            "max_own_bound": "own bound (CV)"}.items():  # fmt: skip
        rows = wanted[wanted["measure"] == measure]
        shown = data[(data["panel"] == "inspection: ε by K") & (data["series"] == series)]
        for column, source in {"x": "episodes", "y": "mean", "low": "low", "high": "high"}.items():
            assert shown[column].tolist() == rows[source].tolist()


@pytest.mark.parametrize(("mean", "value"), [(0.0, "0"), (-0.25, "−0.250"), (-2.5e-5, "−2.50e−5")])
def test_gaps_below_a_log_axis_are_shown_at_its_edge(
    mean: float, value: str, tables: dict[str, pd.DataFrame]
) -> None:
    gaps = tables["gaps"].copy()
    chosen = (gaps["game"] == "inspection") & (gaps["learner"] == "v-cv")
    chosen &= (gaps["measure"] == "max_gap") & (gaps["episodes"] == 10_000)
    gaps.loc[chosen, ["mean", "low", "high"]] = [mean, mean - 0.1, mean + 0.1]
    figure, _ = FIGURES["sample_complexity"].draw({**tables, "gaps": gaps})
    data = figure.data
    row = data[data["series"] == "exact gap (CV), not on a log axis"]
    assert row[["x", "y"]].to_numpy().tolist() == [[10_000.0, mean]]
    words = [text.get_text() for text in figure.findobj(Text)]
    assert any(re.fullmatch(rf"exact gap \(CV\)\n.*\n▾ {value}", word) for word in words)
    marks = [line for line in figure.findobj(Line2D) if line.get_marker() == "v"]
    assert [10_000] in [list(line.get_xdata()) for line in marks]
    (line,) = (line for line in figure.findobj(Line2D)
               if line.get_label() == "exact gap (CV)" and 10_000 in line.get_xdata()
               and np.isnan(line.get_ydata()).any())  # fmt: skip
    assert np.isnan(line.get_ydata()).tolist() == [False, False, True, False, False]


def test_stage_rules_are_compared_with_fixed_stages(tables: dict[str, pd.DataFrame]) -> None:
    """A gap of 120 ± 12 against one of 100 ± 10: the relative errors add up as squares."""
    gaps = tables["gaps"].copy()
    chosen = (gaps["learner"] == "v-cv") & (gaps["measure"] == "max_gap")
    gaps.loc[chosen, ["mean", "low", "high"]] *= 1.2
    figure, caption = FIGURES["sample_complexity"].draw({**tables, "gaps": gaps})
    data = figure.data
    shown = data[
        (data["panel"] == "inspection: ratio by K") & (data["series"] == "CV / fixed stages")
    ]
    assert shown["x"].tolist() == sorted(set(gaps["episodes"]))
    assert np.allclose(shown["y"], 1.2)
    assert (shown["low"] > 1.2 * np.exp(-0.1 * 2**0.5)).all()  # more freedom than one mean has
    assert np.allclose(shown["high"], 1.2 * np.exp(0.1 * 2**0.5), rtol=0.01)
    assert "1.20 [1.05, 1.38] for Algorithm 1 (CV) in the Inspection Game" in caption


def test_bars_are_the_runs_in_which_the_lemma_is_trivial_holds_or_fails(
    tables: dict[str, pd.DataFrame],
) -> None:
    figure, caption = FIGURES["confidence"].draw(tables)
    bars = [[bar.get_height() for bar in bars] for bars in figure.axes[1].containers]
    study = [[120, 0, 0, 0, 0], [0, 114, 114, 114, 114], [0, 6, 6, 6, 6]]
    control = [[40, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 40, 40, 40, 40]]
    assert bars == [*study, *control]
    assert "everywhere in 456 of 480 runs that can fail, of 600 in all; they fail for" in caption
    assert caption.count("in 0 of 160") == 1


def test_no_line_crosses_a_break_of_a_scale(drawn: dict[str, Sheet]) -> None:
    for axes in drawn["three_algorithms"].axes[1:]:
        across = [line for line in axes.get_lines() if line.get_transform() is axes.transData]
        assert {line.get_linestyle() for line in across if len(line.get_xdata()) > 1} == {"None"}


def test_captions_map_names_to_labels_of_the_config(tables: dict[str, pd.DataFrame]) -> None:
    caption = FIGURES["average_reward"].draw(tables)[1]
    assert "`v-cv` is Algorithm 1 (CV) and `v-mad` is Algorithm 1 (MAD)." in caption
    for name, figure in FIGURES.items():
        text = figure.draw(tables)[1]
        assert not re.search("v_learning|independent Q[^-]", text), name


def test_references_come_from_the_table(tables: dict[str, pd.DataFrame]) -> None:
    for name in ("average_reward", "three_algorithms"):
        figure, _ = FIGURES[name].draw(tables)
        data = figure.data
        assert set(data[data["series"] == "team optimum"]["y"]) == {20.75}
        assert "team optimum\n20.75" in [text.get_text() for text in figure.findobj(Text)]


def test_learners_keep_their_colours(drawn: dict[str, Sheet]) -> None:
    names = {look.name: look.colour for look in style.LEARNERS.values()}
    names |= {f"exact gap ({short})": colour for _, colour, short, _ in style.LEARNERS.values()}
    lines = [line for figure in drawn.values() for line in figure.findobj(Line2D)]
    seen = {str(line.get_label()): to_hex(line.get_color()).upper() for line in lines
            if line.get_label() in names}  # fmt: skip
    assert len(seen) == 11
    assert seen == {name: names[name] for name in seen}


def test_colours_differ() -> None:
    used = [
        look.colour
        for look in style.LEARNERS.values()
        if look.name != "independent Q-learning" and not look.dashed
    ]
    used += [*style.AGENTS, *style.SPARE, style.VERMILION]
    assert len(set(used)) == len(used)


def test_a_gap_between_bounds_has_both_in_the_data(drawn: dict[str, Sheet]) -> None:
    data = drawn["baselines"].data
    between = data[data["series"] == "incremental V-learning, between bounds"]
    assert len(between) == 10
    assert (between["low"] == 0.5 * between["high"]).all()
    assert between["x"].notna().all()


def test_unknown_learner_is_drawn_under_its_label(tables: dict[str, pd.DataFrame]) -> None:
    renamed = {
        name: tables[name].replace("v-cv", "mine") for name in FIGURES["average_reward"].tables
    }
    figure, _ = FIGURES["average_reward"].draw(renamed)
    assert "mine" in set(figure.data["series"])


@each
def test_words_do_not_overlap(
    name: str, drawn: dict[str, Sheet], monkeypatch: pytest.MonkeyPatch
) -> None:
    words: list[Text] = []
    draw = Text.draw
    monkeypatch.setattr(
        Text, "draw", lambda text, renderer: (words.append(text), draw(text, renderer))
    )
    figure = drawn[name]
    figure.draw_without_rendering()
    shown = [word for word in words if word.get_visible() and word.get_text().strip()]
    boxes = [(word.get_text(), word.get_window_extent()) for word in shown]
    assert len(boxes) > 10
    page = figure.bbox.padded(1)
    for j, (text, box) in enumerate(boxes):
        inside = page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
        assert inside, f"{text!r} leaves the page"
        for other, place in boxes[:j]:
            assert not box.padded(-2).overlaps(place.padded(-2)), f"{text!r} over {other!r}"


@each
def test_caption_is_a_paragraph_of_known_numbers(
    name: str, tables: dict[str, pd.DataFrame]
) -> None:
    caption = FIGURES[name].draw(tables)[1]
    assert caption.endswith(".")
    assert "\n" not in caption
    assert not re.search(r"nan|inf\b|None|  ", caption)


@each
def test_missing_column_is_named(name: str, tmp_path: Path) -> None:
    paths = write_tables(tmp_path)
    for table in FIGURES[name].tables:
        column = list(TABLES[table].columns)[-1]
        whole = pd.read_csv(paths[table])
        whole.drop(columns=column).to_csv(paths[table], index=False)
        with pytest.raises(FileError) as caught:
            FIGURES[name].make(paths, tmp_path / "figure")
        assert str(caught.value) == f"{paths[table]}: lacks the column {column}; make it again"
        whole.to_csv(paths[table], index=False)
    assert not list(tmp_path.glob("figure.*"))


def test_exploration_must_be_of_epsilon(tmp_path: Path) -> None:
    paths = write_tables(tmp_path)
    other = small_tables()["exploration"].rename(columns={"epsilon": "alpha"})
    write_table(other, paths["exploration"])
    with pytest.raises(FileError, match="lacks the column epsilon; make it again"):
        FIGURES["three_algorithms"].make(paths, tmp_path / "figure")


def test_tables_without_rows_are_drawn(tables: dict[str, pd.DataFrame]) -> None:
    """Nothing fitted, no stage long enough for a profile, or none at all: a very small study."""
    empty = ("slopes", "restart", "stages", "mechanism", "confidence")
    # as read from a file: a column without rows holds objects
    small = {**tables, **{name: tables[name][:0].astype(object) for name in empty}}
    for name in ("sample_complexity", "agent_rewards", "mechanism", "confidence"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            figure, caption = FIGURES[name].draw(small)
            figure.draw_without_rendering()
        assert "nan" not in caption


def test_means_without_intervals_are_drawn(tables: dict[str, pd.DataFrame]) -> None:
    """Fewer than four seeds: no bands, and only means in the caption."""
    few = {name: table.copy() for name, table in tables.items()}
    for table in few.values():
        for column in {"low", "high"} & set(table.columns):
            table[column] = float("nan")
        if "seeds" in table:
            table["seeds"] = 3
    for name in ("average_reward", "three_algorithms", "agent_rewards", "sample_complexity"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            figure, caption = FIGURES[name].draw(few)
            figure.draw_without_rendering()
        assert "nan" not in caption
        assert "3 seeds are too few" in caption


def test_one_stage_is_enough(tables: dict[str, pd.DataFrame]) -> None:
    confidence = tables["confidence"]
    one = {**tables, "confidence": confidence[confidence["episode"] == 2],
           "mechanism": tables["mechanism"][:1]}  # fmt: skip
    for name in ("mechanism", "confidence"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            figure, caption = FIGURES[name].draw(one)
            figure.draw_without_rendering()
        assert "nan" not in caption


def test_one_game_and_one_k_are_enough(tables: dict[str, pd.DataFrame]) -> None:
    small = {
        name: tables[name][
            (tables[name]["game"] == "inspection") & (tables[name].get("episodes", 0) == k)
        ]
        if name != "slopes"
        else tables[name][:0]
        for name, k in (("gaps", 1000), ("theory", 1000), ("slopes", 0))
    }
    FIGURES["sample_complexity"].draw(small)
