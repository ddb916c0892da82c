"""The pages docs/your-learner.md and docs/extend.md, done as they say."""

from __future__ import annotations

import re
import subprocess
import sys

import pandas as pd
import pytest
from workplace import ROOT, Workplace

PAGE = (ROOT / "docs" / "your-learner.md").read_text(encoding="utf-8")
MODULE, PARAMETERS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
(CONFIG,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
TABLE, ENTRY = re.findall(
    r"```python\n(.*?)```", (ROOT / "docs" / "extend.md").read_text(encoding="utf-8"), re.S
)
CHECK = """
import numpy as np, amg
from amg.learning.parameters import make_parameters
from amg.learning.train import new_learner

game, parameters = amg.build_game("reservoir"), make_parameters("hindsight", {})
whole, pieces = (new_learner(game, parameters, 300, seed=1) for _ in range(2))
whole.advance(300)
for until in range(1, 301):
    pieces.advance(until)
assert np.array_equal(whole.finish().policy, pieces.finish().policy)
print(amg.evaluate(amg.build_game("fishermen"), amg.train(amg.build_game("fishermen"),
      episodes=20000, algorithm="hindsight", seed=1)).gap.max())
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    """A copy of the project with what the pages add to it."""
    place = Workplace(tmp_path_factory.mktemp("own") / "work", own_package=True)
    learning = place.source / "amg" / "learning"
    (learning / "hindsight.py").write_text(MODULE, encoding="utf-8")
    known = (learning / "parameters.py").read_text(encoding="utf-8")
    listed = known.replace("        CentralizedQ,\n", "        Hindsight,\n        CentralizedQ,\n")
    assert listed != known
    beginning = "ALGORITHMS: dict"
    (learning / "parameters.py").write_text(
        listed.replace(beginning, PARAMETERS + beginning), encoding="utf-8"
    )
    tables = place.source / "amg" / "tables"
    (tables / "worst.py").write_text(TABLE, encoding="utf-8")
    known = (tables / "__init__.py").read_text(encoding="utf-8")
    listed = known.replace(")  # fmt: skip\nTABLES", f"{ENTRY},)\nTABLES")
    assert listed != known
    (tables / "__init__.py").write_text(listed, encoding="utf-8")
    return place


def test_a_learner_of_ones_own_is_trained_and_certified(place: Workplace) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHECK],
        env={"PYTHONPATH": str(place.source), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 3.0  # uniform play has a gap of 7.8


@pytest.mark.slow
def test_a_learner_and_a_table_of_ones_own_in_the_study(place: Workplace) -> None:
    (place.directory / "mine.yaml").write_text(CONFIG, encoding="utf-8")
    figure, table = "results/mine/figures/sample_complexity", "results/mine/tables/worst.csv"
    place.snakemake(
        "-c", "2", "--configfile", "config/smoke.yaml", "mine.yaml", "--", f"{figure}.png", table
    )
    drawn = pd.read_csv(place.directory / f"{figure}.csv")
    assert drawn["series"].str.contains("hindsight").any()
    assert set(pd.read_csv(place.directory / table)["learner"]) >= {"v-cv", "hindsight"}
