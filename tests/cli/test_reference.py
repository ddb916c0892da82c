"""`amg verify --record`: runs of a finished study, and what the study recorded of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from amg.cli.main import main
from amg.cli.verify import VALUES
from amg.results.evaluate import evaluate_files
from amg.results.run_file import load_run, load_runs
from amg.study.config import read_config
from amg.study.plan import train_spec
from amg.study.study import Study
from amg.tables.needs import Places

ROOT = Path(__file__).resolve().parents[2]
SMALL = """
seeds: 2
batch: 1
experiments:
  rewards: { episodes: [200] }
  sample-complexity: { episodes: [100, 200] }
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished study, as far as reference data goes."""
    directory = tmp_path_factory.mktemp("study")
    (directory / "small.yaml").write_text(SMALL)
    files = [ROOT / "config" / "config.yaml", directory / "small.yaml"]
    study, results = Study(*read_config(files)), directory / "results"
    config = study.config.model_dump(mode="json", by_alias=True, exclude_none=True)
    results.mkdir()
    (results / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    places = Places(str(results))
    for job in study.jobs():
        names = {part.series.name for part in job.parts if 1 in part.seeds}
        if names & {"fishermen/v-cv", "inspection/v-cv"}:
            runs, output = Path(places.runs(job.name)), Path(places.evaluation(job.game))
            train_spec(job.spec, job.name, runs, sys.stderr)
            evaluate_files([runs], [(job.name, job.groups)], output, sys.stderr)
    return results


def test_the_first_seed_of_the_first_v_learner_is_kept(
    results: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    output = tmp_path / "reference"
    assert main(["verify", "--record", str(results)]) == 0
    assert capsys.readouterr().out.startswith("4 runs in 4 files: 4 ok (")
    names = [f"{game}-K{K}.npz" for game in ("fishermen", "inspection") for K in (100, 200)]
    assert sorted(file.name for file in output.iterdir()) == sorted([*names, VALUES])
    table = pd.read_csv(output / VALUES)
    for name, source in zip(table["file"], table["source"], strict=True):
        kept = load_run(output / name)
        assert (kept.game.name, kept.seed, kept.source) == (name.split("-")[0], 1, source)
        assert name.endswith(f"-K{kept.episodes}.npz")
        job = next((results / "runs" / kept.game.name).rglob("seeds-1-1.npz"))
        (same,) = load_runs(job, lambda record, K=kept.episodes: record["episodes"] == K)
        assert kept.evaluate().gap.tolist() == same.evaluate().gap.tolist()


@pytest.mark.parametrize(
    "lost", ["config.yaml", "runs/**/seeds-1-1.npz", "evaluations/fishermen.csv"]
)
def test_an_unfinished_study_leaves_the_reference_as_it_was(
    lost: str,
    results: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    path = next(results.glob(lost))
    moved = path.rename(tmp_path / "moved")
    try:
        assert main(["verify", "--record", str(results)]) == 2
    finally:
        moved.rename(path)
    assert "run the study first" in capsys.readouterr().err
    assert not (tmp_path / "reference").exists()


def test_the_runs_of_a_study_are_verified_against_its_own_evaluations(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(results / "runs")]) == 0
    words = capsys.readouterr().out.split()
    files = len(list((results / "evaluations").rglob("*.csv")))
    assert words[3:7] == [str(files), "files:", str(files), "ok"]
    table = next((results / "evaluations").rglob("*.csv"))
    content = table.read_text()
    frame = pd.read_csv(table)
    frame.loc[0, "max_gap"] += 1e-3
    try:
        frame.to_csv(table, index=False)
        assert main(["verify", str(results / "runs")]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert "differs: max_gap of K = " in line
        table.write_text("".join(content.splitlines(keepends=True)[:-1]))
        assert main(["verify", str(results / "runs")]) == 1
        assert "recorded are " in capsys.readouterr().err
    finally:
        table.write_text(content)
