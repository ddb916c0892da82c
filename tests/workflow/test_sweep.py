"""A sweep end to end, in a scratch directory."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from workplace import Workplace

from amg.results.run_file import load_runs

SWEEP = """
title: A small sweep
base: {{ game: fishermen, algorithm: v_learning, episodes: 2000 }}
axes:
  bonus: [{values}]
  fluctuation: [cv, fixed]
seeds: 2
measure: [max_gap, stages]
"""
RUN = ("-c2", "--config", "sweep=config/sweeps/small.yaml")


def write(workplace: Workplace, values: str, name: str = "small") -> None:
    path = workplace.directory / "config" / "sweeps" / f"{name}.yaml"
    path.write_text(SWEEP.format(values=values), encoding="utf-8")


def returns(path: Path) -> dict[str, bytes]:
    return {str(run.parameters) + str(run.seed): run.returns.tobytes() for run in load_runs(path)}


@pytest.mark.slow
def test_a_sweep_and_a_cell_that_is_added(workplace: Workplace) -> None:
    write(workplace, "0.10, 4")
    done = workplace.snakemake(*RUN)
    assert "4 cells × 2 seeds, 8 different runs" in done.stderr
    table = pd.read_csv(workplace.directory / "figures/sweeps/small.csv", dtype={"bonus": str})
    assert len(table) == 8  # two measures of four cells
    assert set(table["bonus"]) == {"0.10", "4"}  # as written
    place = workplace.directory / "results/sweeps/small"
    runs = place / "runs/fishermen/v_learning.npz"  # short cells share a job
    before = returns(runs)
    assert len(before) == 8
    again = workplace.snakemake("-n", *RUN)
    assert "Nothing to be done" in again.stdout + again.stderr

    write(workplace, "0.10, 1, 4")
    workplace.snakemake(*RUN)
    after = returns(runs)
    assert len(after) == 12
    assert {run: after[run] for run in before} == before
    log = (place / "logs/train/fishermen/v_learning.log").read_text(encoding="utf-8")
    assert "8 of 12 runs exist already and are kept" in log


def test_a_mistake_is_one_line_before_anything_runs(workplace: Workplace) -> None:
    write(workplace, "0.1, -1")
    done = workplace.snakemake(*RUN, check=False)
    assert done.returncode != 0
    errors = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert len(errors) == 1
    assert "small.yaml" in errors[0]
    assert "bonus = -1" in errors[0]
    assert "Traceback" not in done.stderr
    assert not (workplace.directory / "results").exists()


@pytest.mark.parametrize("name", ["../../x", "no-such"])
def test_no_such_sweep(workplace: Workplace, name: str) -> None:
    done = workplace.snakemake("-n", "--config", f"sweep=config/sweeps/{name}.yaml", check=False)
    assert done.returncode != 0
    assert f"{name}.yaml" in done.stderr
    assert "Traceback" not in done.stderr
