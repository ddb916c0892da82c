"""Every word of every figure can be read: one size, and enough contrast to what is behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from figure_tables import small_tables
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from amg.claims.entries import CLAIMS
from amg.figures import FIGURES, style
from amg.multiverse.figure import curve
from amg.multiverse.file import read_multiverse
from amg.sweep.figure import draw
from amg.sweep.file import read_sweep
from amg.tables.tidy import read_table

ROOT = Path(__file__).resolve().parents[2]
ENOUGH = 4.5  # WCAG 2, level AA


def study(name: str) -> Figure:
    return FIGURES[name].draw(small_tables())[0]


def sweep(name: str) -> Figure:
    wanted = read_sweep(ROOT / f"config/sweeps/{name}.yaml")
    texts = ("variant", "measure", *(axis.name for axis in wanted.axes))
    table = read_table(ROOT / f"figures/sweeps/{name}.csv", dict.fromkeys(texts, str))
    return draw(wanted, table)


def specification_curve(claim: str) -> Figure:
    multiverse = read_multiverse(ROOT / "config/multiverse.yaml", ROOT / CLAIMS)
    texts = dict.fromkeys(("claim", "verdict", *multiverse.choices), str)
    universes = read_table(ROOT / "figures/multiverse/universes.csv", texts)
    (entry,) = (one for one in multiverse.claims if one.id == claim)
    return curve(multiverse, entry, universes[universes["claim"] == claim])


CASES = [(study, name) for name in FIGURES]
CASES += [(sweep, "exploration"), (sweep, "horizon"), (specification_curve, "epsilon-rate")]


def luminance(rgb: np.ndarray) -> float:
    low = rgb / 12.92
    return float(
        np.where(rgb <= 0.04045, low, ((rgb + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
    )


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def drawn_words(figure: Figure, monkeypatch: pytest.MonkeyPatch) -> list[Text]:
    words: list[Text] = []
    draw = Text.draw
    with monkeypatch.context() as patch:
        patch.setattr(
            Text, "draw", lambda text, renderer: (words.append(text), draw(text, renderer))
        )
        FigureCanvasAgg(figure).draw()
    return [word for word in words if word.get_visible() and word.get_text().strip()]


@pytest.mark.parametrize(("make", "name"), CASES, ids=[name for _, name in CASES])
def test_words_have_one_size_and_stand_out(
    make: Callable[[str], Figure], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = make(name)
    words = drawn_words(figure, monkeypatch)
    assert {word.get_fontsize() for word in words} == {style.SIZE}
    boxes = [word.get_window_extent() for word in words]
    figure.set_layout_engine("none")
    for word in words:
        word.set_alpha(0)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[::-1, :, :3]  # from the lower edge, like the boxes
    for word, box in zip(words, boxes, strict=True):
        x, X, y, Y = (max(0, round(edge)) for edge in (box.x0, box.x1, box.y0, box.y1))
        behind, often = np.unique(pixels[y:Y, x:X].reshape(-1, 3), axis=0, return_counts=True)
        ratio = contrast(np.array(to_rgb(word.get_color())), behind[often.argmax()] / 255)
        assert ratio >= ENOUGH, f"{word.get_text()!r} has a contrast of {ratio:.2f}"


def test_a_pale_word_is_found_and_darkened() -> None:
    white = np.ones(3)
    for colour in (style.SKY, style.ORANGE, style.PINK, style.AGENTS[1]):
        assert contrast(np.array(to_rgb(colour)), white) < ENOUGH
        assert ENOUGH <= contrast(np.array(to_rgb(style.readable(colour))), white) < 1.1 * ENOUGH
    assert style.readable(style.INK) == style.INK
