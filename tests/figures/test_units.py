"""Figures of rewards in any unit: the same lines as in ordinary ones, and the unit is said."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from cases import few
from figure_tables import small_tables
from matplotlib.text import Text

from amg.figures import FIGURES
from amg.figures.units import exponent
from amg.figures.words import span

REWARDS: dict[str, tuple[str, ...]] = {"gaps": ("mean", "low", "high"), "theory": ("rate",)}
for figure in FIGURES.values():
    REWARDS |= figure.rewards


def in_unit(unit: float) -> dict[str, pd.DataFrame]:
    """The small tables with everything that is paid so many times as much."""
    tables = small_tables()
    for name, columns in REWARDS.items():
        tables[name] = tables[name].assign(**{c: unit * tables[name][c] for c in columns})
    return tables


@pytest.mark.parametrize(
    ("unit", "n"), [(1e-300, -300), pytest.param(1e199, 198, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", few(FIGURES, "sample_complexity"))
def test_a_figure_does_not_depend_on_the_unit(name: str, unit: float, n: int) -> None:
    spec, usual, tables = FIGURES[name], small_tables(), in_unit(unit)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure, data = spec.draw(tables)
        figure.draw_without_rendering()
        caption = spec.caption(tables)
    words = [text.get_text() for text in figure.findobj(Text)]
    written = str(n).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    said = f"Rewards are in units of 10{written}."
    assert (said in words) == caption.endswith(said) == bool(spec.rewards)
    assert "nan" not in caption
    expected = spec.draw(usual)[1]
    times = unit / 10.0**n if spec.rewards else unit
    assert data["series"].tolist() == expected["series"].tolist()
    for column in ("y", "low", "high"):
        rows = expected["panel"].str.contains("reward|return|deviation|gap|bounds|ε")
        got, want = data[column][rows], expected[column][rows]
        np.testing.assert_allclose(got, times * want, rtol=1e-9, err_msg=column)


def test_everyday_rewards_are_shown_as_they_are() -> None:
    assert exponent(np.array([0.0, 0.0])) == exponent(np.array([])) == 0
    assert exponent(np.array([-2.0, 18.0, np.nan, np.inf])) == 0
    assert exponent(np.array([1e12, 1e12 + 5e6])) == 6  # what tells them apart
    assert exponent(np.array([4e12, 4e12])) == 12
    assert exponent(np.array([1e-310])) == -300


def test_values_that_a_log_axis_does_not_have_are_told_in_any_unit() -> None:
    assert span([0.0, 0.0], 3) == "0"
    assert span([-0.25, 0.0], 3) == "−0.250 to 0"
    assert span([-2.5e-301, -2.5e-301], 3) == "−2.5e−301"
