"""Sweep files: what they mean, and what is refused before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from amg.base.errors import AmgError
from amg.sweep.file import read_sweep
from amg.sweep.grid import Sweep

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted((ROOT / "config" / "sweeps").glob("*.yaml"))
GOOD = """
title: A sweep
base: { game: fishermen, algorithm: v_learning, episodes: 1e4 }
axes:
  lambda_min: [0.80, 0.9, 1]
  stage_rule: [floor, real]
seeds: 2
measure: [max_gap]
"""


def sweep_of(text: str, directory: Path, name: str = "a.yaml") -> Sweep:
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return read_sweep(path)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_shipped_sweeps_are_valid(path: Path) -> None:
    sweep = read_sweep(path)
    runs = [
        (part.series.name, part.episodes, seed)
        for job in sweep.jobs()
        for part in job.parts
        for seed in part.seeds
    ]
    assert len(runs) == len(set(runs)) == len(sweep.parts) * sweep.seeds
    assert {run[:2] for run in runs} == {(cell.series.name, cell.episodes) for cell in sweep.cells}


def test_values_keep_their_text_and_have_their_meaning(tmp_path: Path) -> None:
    sweep = sweep_of(GOOD, tmp_path)
    assert [cell.at for cell in sweep.cells][:3] == [
        {"lambda_min": "0.80", "stage_rule": "floor"},
        {"lambda_min": "0.80", "stage_rule": "real"},
        {"lambda_min": "0.9", "stage_rule": "floor"},
    ]
    series = sweep.cells[1].series
    assert series.name == "fishermen/v_learning+lambda_min=0.80+stage_rule=real"
    assert series.parameters.as_dict()["lambda_min"] == 0.8
    assert series.parameters.as_dict()["stage_rule"] == "real"
    assert series.episodes == (10_000,)


def test_ranges_are_spelled_out(tmp_path: Path) -> None:
    text = GOOD.replace("[0.80, 0.9, 1]", "{ from: 0.8, to: 1, per_decade: 20 }")
    text = text.replace(
        "[floor, real]", "[floor]\n  episodes: { from: 1e3, to: 1e5, per_decade: 2 }"
    )
    sweep = sweep_of(text, tmp_path)
    assert sweep.axes[0].texts == ["0.8", "0.8976"]
    assert sweep.axes[2].texts == ["1000", "3162", "10000", "31623", "100000"]
    assert {cell.episodes for cell in sweep.cells} == {1000, 3162, 10_000, 31_623, 100_000}


def test_named_points_set_several_things_and_later_settings_win(tmp_path: Path) -> None:
    text = """
title: Points
base: { game: fishermen, algorithm: v_learning, episodes: 100, agents: 3 }
compare:
  two: { agents: 2 }
  bigger: { game: congestion, horizon: 4 }
axes:
  coefficient:
    calm: { fluctuation: mad, mad_max: 0.5 }
    none: { fluctuation: fixed, episodes: 200 }
seeds: 1
measure: [max_gap]
"""
    cells = sweep_of(text, tmp_path).cells
    games = [(cell.series.game, cell.episodes) for cell in cells]
    assert [(game.name, game.N, game.T, K) for game, K in games] == [
        ("fishermen", 2, 2, 100),
        ("fishermen", 2, 2, 200),
        ("congestion", 3, 4, 100),
        ("congestion", 3, 4, 200),
    ]


def test_cells_that_differ_in_nothing_read_are_one_run(tmp_path: Path) -> None:
    text = GOOD.replace("stage_rule: [floor, real]", "fluctuation: [cv, fixed]")
    sweep = sweep_of(text, tmp_path)
    assert len(sweep.cells) == 6
    assert len(sweep.parts) == 4  # three of cv, one of fixed
    fixed = {cell.series.name for cell in sweep.cells if cell.at["fluctuation"] == "fixed"}
    assert len(fixed) == 1


def test_skipped_cells_are_left_out(tmp_path: Path) -> None:
    skip = "skip:\n  - { lambda_min: [0.80, 0.9], stage_rule: floor }\n"
    cells = sweep_of(GOOD + skip, tmp_path).cells
    assert len(cells) == 4
    assert {"lambda_min": "0.9", "stage_rule": "floor"} not in [cell.at for cell in cells]


MANY_AXES = "".join(f"  a{j}: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n" for j in range(6000))
MISTAKES = [
    ("[max_gap]", "[gap]", ["measure[0]", "'gap'", "max_gap"]),
    ("[max_gap]", "[max_gap, max_gap]", ["measure", "twice"]),
    ("lambda_min: [0.80, 0.9, 1]", "lamda_min: [0.9]", ["lamda_min", "lambda_min"]),
    ("0.80, 0.9, 1", "0.6, 0.9", ["lambda_min", "0.6", "(0.666667, 1]"]),
    ("0.80, 0.9, 1", "", ["lambda_min", "at least 1 item"]),
    ("0.80, 0.9, 1", "0.9, 0.90", ["lambda_min", "0.90 is there already, as 0.9"]),
    ("0.80, 0.9, 1", "0.9, nan", ["lambda_min[1]", "'nan'", "not a number"]),
    ("0.80, 0.9, 1", "0.9, 1e999", ["lambda_min[1]", "1e999"]),
    ("[floor, real]", "[floor, round]", ["stage_rule", "'round'", "floor, real"]),
    ("seeds: 2", "seeds: 0", ["seeds", "'0'"]),
    ("seeds: 2", "seeds: 100000", ["3 × 2 × 100000 = 600,000 runs", "most_runs"]),
    ("seeds: 2", "seeds: 2\nmost_runs: 11", ["3 × 2 × 2 = 12 runs are more than 11"]),
    ("seeds: 2", "seeds: 2\nseeds: 3", ["seeds", "repeats the key"]),
    ("  stage_rule: [floor, real]\n", MANY_AXES, ["axes: a mapping of 6001 must have at most 20"]),
    ("seeds: 2", "seed: 2", ["seed", "unknown key", "seeds"]),
    ("game: fishermen", "game: fishing", ["base.game", "fishing", "fishermen"]),
    ("game: fishermen", "game: nowhere.yaml", ["base.game", "nowhere.yaml"]),
    ("game: fishermen", "game: fishermen, agents: 1", ["base.agents", "agents", "1"]),
    ("game: fishermen", "game: fishermen, agents: 2.5", ["base.agents", "2.5"]),
    ("game: fishermen, ", "", ["base.game: is not set", "base"]),
    ("algorithm: v_learning", "algorithm: sarsa", ["base.algorithm", "sarsa", "v_learning"]),
    ("episodes: 1e4", "episodes: 0.5", ["base.episodes", "0.5"]),
    ("episodes: 1e4", "episodes: 1e13", ["base.episodes", "1e13"]),
    ("stage_rule: [floor, real]", "variant: [1, 2]", ["variant", "rename"]),
    ("seeds: 2", "seeds: 2\ntarget: 0.1", ["target", "episodes"]),
    ("seeds: 2", "seeds: 2\nskip: [{ stage_rule: [floor, real] }]", ["skip", "nothing to run"]),
    ("seeds: 2", "seeds: 2\nskip: [{ stage_rule: up }]", ["skip[0].stage_rule", "'up'"]),
    ("seeds: 2", "seeds: 2\nfindings: [{ power: { axis: K, measure: max_gap } }]", ["axis", "'K'"]),
    ("seeds: 2", "seeds: 2\nfindings: [{ praise: { axis: K } }]", ["praise", "extremes"]),
    ("seeds: 2", "seeds: &a 2", ["seeds", "anchor"]),
    ("title: A sweep", "title: !!python/name:os.system x", ["title", "tag"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "says"), MISTAKES, ids=[new for _, new, _ in MISTAKES])
def test_mistakes_are_one_line(old: str, new: str, says: list[str], tmp_path: Path) -> None:
    assert old in GOOD
    with pytest.raises(AmgError) as caught:
        sweep_of(GOOD.replace(old, new), tmp_path)
    message = str(caught.value)
    assert "\n" not in message
    assert "a.yaml" in message
    for text in says:
        assert text in message, message


def test_games_that_are_too_large_together_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amg.study.plan.MOST_ENTRIES", 100)
    with pytest.raises(AmgError, match="with it, 2 games together are too large; use fewer"):
        sweep_of(GOOD.replace("[floor, real]", "[floor, real]\n  agents: [2, 3]"), tmp_path)


def test_no_wildcards_in_its_path(tmp_path: Path) -> None:
    with pytest.raises(AmgError, match="rename the directory"):
        read_sweep(tmp_path / "{x}" / "a.yaml")


@pytest.mark.parametrize("name", ["A.yaml", "a b.yaml", "a.txt", "..yaml", "-a.yaml"])
def test_a_sweep_is_named_by_its_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(AmgError, match="name it"):
        sweep_of(GOOD, tmp_path, name)
