"""A sweep end to end, in a scratch directory."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from workplace import Workplace

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


def contents(directory: Path, pattern: str) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob(pattern)
    }


@pytest.mark.slow
def test_a_sweep_and_a_cell_that_is_added(workplace: Workplace) -> None:
    write(workplace, "0.10, 4")
    done = workplace.snakemake(*RUN)
    assert "4 cells × 2 seeds, 8 different runs" in done.stderr
    table = pd.read_csv(workplace.directory / "figures/sweeps/small.csv", dtype={"bonus": str})
    assert len(table) == 8  # two measures of four cells
    assert set(table["bonus"]) == {"0.10", "4"}  # as written
    runs = workplace.directory / "results/sweeps/small/runs"
    before = contents(runs, "*.npz")
    assert len(before) == 8
    assert any("bonus=0.10" in name for name in before)
    again = workplace.snakemake("-n", *RUN)
    assert "Nothing to be done" in again.stdout + again.stderr

    inodes = {path: path.stat().st_ino for path in runs.rglob("*.npz")}
    write(workplace, "0.10, 1, 4")
    workplace.snakemake(*RUN)
    after = contents(runs, "*.npz")
    assert len(after) == 12
    assert {name: after[name] for name in before} == before
    # a run that is trained is written to a new file and renamed; one that is kept stays where it is
    assert all(path.stat().st_ino == inode for path, inode in inodes.items())


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
