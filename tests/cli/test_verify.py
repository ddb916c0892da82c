"""Verifying run files: what was changed, lost or damaged is found, without any training code."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from sample_runs import trained, write_reference

from amg.base.errors import FileError
from amg.cli.main import main
from amg.cli.verify import VALUES, find_files, read_values, verify_file
from amg.game.library import build
from amg.learning.parameters import IndependentQ
from amg.learning.train import train_run
from amg.results.evaluate import evaluate_files, measures
from amg.results.run_file import load_run, save_runs

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "reference"
SMALL = "fishermen-K1000.npz"


@pytest.fixture
def some(tmp_path: Path) -> Path:
    """A few runs with what was recorded of them."""
    write_reference(tmp_path / "some")
    return tmp_path / "some"


def words(path: Path) -> dict[str, str]:
    """The verdicts on the files of a directory."""
    return {file.name: verify_file(file).word for file in find_files(path)}


def rewrite(place: Path, change: Callable[[pd.DataFrame], None]) -> None:
    """Change the recorded numbers."""
    table = pd.read_csv(place / VALUES)
    change(table)
    table.to_csv(place / VALUES, index=False)


def test_the_reference_data_is_what_it_is_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    begun = time.monotonic()
    assert main(["verify", str(REFERENCE)]) == 0
    files = len(list(REFERENCE.glob("*.npz")))
    assert capsys.readouterr().out.startswith(f"{files} runs in {files} files: {files} ok (")
    assert set(pd.read_csv(REFERENCE / VALUES)["game"]) == {"fishermen", "inspection"}
    assert time.monotonic() - begun < 20
    assert sum(file.stat().st_size for file in REFERENCE.iterdir()) < 1 << 20


def test_reference_runs_say_which_sources_made_them() -> None:
    table = pd.read_csv(REFERENCE / VALUES)
    assert [load_run(REFERENCE / name).source for name in table["file"]] == table["source"].tolist()
    assert table["source"].str.fullmatch("[0-9a-f]{64}").all()


def test_a_summary_is_printed(some: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(some)]) == 0
    page, errors = capsys.readouterr()
    assert page.startswith("4 runs in 4 files: 4 ok (")
    assert page.count("\n") == 1
    assert not errors


@pytest.mark.parametrize("column", ["max_gap", "max_own_bound", "mean_value", "mean_return"])
def test_a_changed_number_is_found(
    some: Path, capsys: pytest.CaptureFixture[str], column: str
) -> None:
    def change(table: pd.DataFrame) -> None:
        table.loc[table["file"] == SMALL, column] += 1e-6

    rewrite(some, change)
    assert main(["verify", str(some)]) == 1
    page, errors = capsys.readouterr()
    assert page.startswith("4 runs in 4 files: 1 differs, 3 ok (")
    assert errors.startswith(f"{some / SMALL}: differs: {column} of K = 1000, seed 1 is ")
    assert errors.count("\n") == 1


def test_rounding_is_not_a_difference(some: Path) -> None:
    def change(table: pd.DataFrame) -> None:
        table["max_gap"] += 1e-9

    rewrite(some, change)
    assert set(words(some).values()) == {"ok"}


def test_a_flipped_bit_is_found_and_the_rest_goes_on(
    some: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = bytearray((some / SMALL).read_bytes())
    content[len(content) // 2] ^= 1
    (some / SMALL).write_bytes(content)
    assert main(["verify", str(some)]) == 1
    page, errors = capsys.readouterr()
    assert page.startswith("3 runs in 4 files: 1 damaged, 3 ok (")
    assert f"{some / SMALL}: damaged: is damaged (its checksum" in errors


def test_another_run_in_its_place_is_found(some: Path) -> None:
    """Whole and in order, but not the one that was recorded."""
    save_runs(some / SMALL, [trained("fishermen", 1000, seed=2)])
    verdict = verify_file(some / SMALL)
    assert verdict.word == "differs"
    assert "seed of K = 1000, seed 2 is 2, recorded is 1" in verdict.reason


def test_the_same_run_in_other_bytes_is_found(some: Path) -> None:
    def change(table: pd.DataFrame) -> None:
        table["sha256"] = "0" * 64

    rewrite(some, change)
    assert "sha256" in verify_file(some / SMALL).reason


def test_more_runs_than_were_recorded_are_found(some: Path) -> None:
    save_runs(some / SMALL, [trained("fishermen", 1000), trained("fishermen", 1000, seed=2)])
    assert verify_file(some / SMALL) == ("differs", "holds 2 runs, recorded are 1", 2)


def test_a_lost_file_is_found(some: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (some / SMALL).unlink()
    assert words(some)[SMALL] == "missing"
    assert words(some / "no.npz") == {"no.npz": "missing"}
    (some / "empty").mkdir()
    assert main(["verify", str(some / "empty")]) == 2
    assert "holds no run files" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "file\nx\n", "file,max_gap\nx,much\n"])
def test_a_damaged_table_is_one_line(
    some: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (some / VALUES).write_text(content, encoding="utf-8")
    assert main(["verify", str(some)]) == 2
    assert verify_file(some / SMALL).word == "damaged"
    errors = capsys.readouterr().err
    assert errors.startswith(f"amg: error: {some / VALUES}: ")
    assert errors.count("\n") == 1


@pytest.mark.parametrize("name", ["9" * 5000 + ".npz", "a" * 300, '"a\n\x1b[31mb"'])
def test_odd_names_of_recorded_files_are_one_line(
    name: str, some: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (some / VALUES).write_text(f"file,max_gap\n{name},0.1\n")
    assert main(["verify", str(some)]) == 1
    captured = capsys.readouterr()
    assert ": missing: " in captured.err
    assert captured.err.count("\n") == 1
    assert "\x1b" not in captured.out + captured.err


@pytest.mark.parametrize("number", ["9" * 400, "9" * 30])
def test_recorded_numbers_of_any_size_are_no_traceback(
    number: str, some: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = f"file,sha256,episodes,max_gap\n{SMALL},0,{number},0.1\nother.npz,0,,{number}\n"
    (some / VALUES).write_text(table)
    assert main(["verify", str(some)]) == 1
    assert SMALL in capsys.readouterr().err


def test_a_table_is_a_file_of_bounded_size(some: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amg.tables.tidy.LARGEST", 10)
    with pytest.raises(FileError, match="larger than"):
        read_values(some / VALUES)
    (some / VALUES).unlink()
    os.mkfifo(some / VALUES)  # reading it would never end
    with pytest.raises(FileError, match="is not a file"):
        read_values(some / VALUES)


def test_files_without_recorded_numbers_are_evaluated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    below = tmp_path / "below" / "v.npz"
    save_runs(below, [trained("inspection", 1000), trained("inspection", 3162)])
    save_runs(tmp_path / "q.npz", [train_run(build("inspection"), IndependentQ(), 300, 1)])
    assert main(["verify", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("3 runs in 2 files: 2 unrecorded (")


def test_the_runs_of_a_study_are_compared_with_its_evaluations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that the evaluations do not name is left over from another config."""
    runs = tmp_path / "runs" / "inspection"
    for name in ("v-cv/seeds-1-1", "gone/seeds-1-1"):
        save_runs(runs / f"{name}.npz", [trained("inspection", 1000)])
    labels = {"series": "inspection/v-cv", "game": "inspection", "learner": "v-cv"}
    table = tmp_path / "evaluations" / "inspection.csv"
    jobs = [("inspection/v-cv/seeds-1-1", [(labels, 1)])]
    evaluate_files([runs / "v-cv" / "seeds-1-1.npz"], jobs, table, io.StringIO())
    assert main(["verify", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("2 runs in 2 files: 1 unrecorded, 1 ok (")
    table.write_text(table.read_text().replace(",1000,", ",1001,"))
    assert main(["verify", str(tmp_path)]) == 1
    assert "episodes of K = 1000, seed 1 is 1000, recorded is 1001" in capsys.readouterr().err


def test_recorded_numbers_of_q_learning_agree(tmp_path: Path) -> None:
    """Measures that it lacks stay empty in a table."""
    run = train_run(build("inspection"), IndependentQ(), 300, 1)
    save_runs(tmp_path / "q.npz", [run])
    row = measures(run)
    assert row["max_own_bound"] is None
    pd.DataFrame([{"file": "q.npz", **row}]).to_csv(tmp_path / VALUES, index=False)
    assert words(tmp_path) == {"q.npz": "ok"}


BLOCKED = """
import sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[:2] == ["amg", "learning"]:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Block())
try:
    import amg.learning
except ImportError:
    pass
else:
    sys.exit("not blocked")
from amg.cli.verify import run
from argparse import Namespace
from pathlib import Path
code = run(Namespace(paths=[Path(sys.argv[1])], record=None))
assert not [name for name in sys.modules if name.startswith("amg.learning")]
sys.exit(code)
"""


def test_no_training_code_is_needed(some: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED, str(some)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("4 runs in 4 files: 4 ok (")
