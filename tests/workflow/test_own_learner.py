"""The page docs/your-learner.md, done as it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
from workplace import ROOT, Workplace

PAGE = (ROOT / "docs" / "your-learner.md").read_text(encoding="utf-8")
MODULE, PARAMETERS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
(CONFIG,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
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


def test_a_learner_of_ones_own_is_trained_certified_and_drawn(tmp_path: Path) -> None:
    place = Workplace(tmp_path / "work", own_package=True)
    learning = place.source / "amg" / "learning"
    (learning / "hindsight.py").write_text(MODULE, encoding="utf-8")
    known = (learning / "parameters.py").read_text(encoding="utf-8")
    listed = known.replace("        CentralizedQ,\n", "        Hindsight,\n        CentralizedQ,\n")
    assert listed != known
    beginning = "ALGORITHMS: dict"
    (learning / "parameters.py").write_text(
        listed.replace(beginning, PARAMETERS + beginning), encoding="utf-8"
    )
    small = (  # the page's config at small size, over that of the smoke study
        "seeds: 4\nbatch: 4\n"
        + CONFIG.replace("learners: [v-cv", "episodes: [100, 1000], learners: [v-cv")
    )
    (place.directory / "mine.yaml").write_text(small, encoding="utf-8")
    figure = "results/mine/figures/sample_complexity"
    place.snakemake(
        "-c", "2", "--configfile", "config/smoke.yaml", "mine.yaml", "--", f"{figure}.png"
    )
    drawn = pd.read_csv(place.directory / f"{figure}.csv")
    assert drawn["series"].str.contains("hindsight").any()
    done = subprocess.run(
        [sys.executable, "-c", CHECK], env={"PYTHONPATH": str(place.source), "PATH": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 3.0  # uniform play has a gap of 7.8
