"""Verifying run files: what was changed, lost or damaged is found, without any training code."""

from __future__ import annotations

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
from amg.cli.verify import VALUES, Verdict, read_records, verify, verify_file
from amg.game.library import build
from amg.learning.parameters import IndependentQ
from amg.learning.train import train_run
from amg.results.run_file import load_run, save_runs

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "reference"
SMALL = "fishermen-K1000.npz"


@pytest.fixture
def some(tmp_path: Path) -> Path:
    """A few runs with what was recorded of them."""
    write_reference(tmp_path / "some")
    return tmp_path / "some"


def words(verdicts: list[Verdict]) -> dict[str, str]:
    return {verdict.file.name: verdict.word for verdict in verdicts}


def rewrite(place: Path, change: Callable[[pd.DataFrame], None]) -> None:
    """Change the recorded numbers."""
    table = pd.read_csv(place / VALUES)
    change(table)
    table.to_csv(place / VALUES, index=False)


def test_the_reference_data_is_what_it_is_said_to_be() -> None:
    begun = time.monotonic()
    verdicts = list(verify([REFERENCE]))
    assert {verdict.word for verdict in verdicts} == {"ok"}
    assert len(verdicts) == len(list(REFERENCE.glob("*.npz")))
    assert {verdict.recorded["game"] for verdict in verdicts if verdict.recorded} == {
        "fishermen",
        "inspection",
    }
    assert time.monotonic() - begun < 20
    assert sum(file.stat().st_size for file in REFERENCE.iterdir()) < 1 << 20


def test_reference_runs_say_which_sources_made_them() -> None:
    table = pd.read_csv(REFERENCE / VALUES)
    assert [load_run(REFERENCE / name).source for name in table["file"]] == table["source"].tolist()
    assert table["source"].str.fullmatch("[0-9a-f]{64}").all()


def test_a_table_is_printed(some: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(some)]) == 0
    page, errors = capsys.readouterr()
    lines = page.splitlines()
    assert [line.split()[2] for line in lines[1:3]] == ["1,000", "3,162"]  # by size, not by letter
    assert all(line.endswith("ok") for line in lines[1:5])
    assert "\n4 ok (" in page
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
    assert [line.split()[-1] for line in page.splitlines()[1:5]] == ["differs", "ok", "ok", "ok"]
    assert f"{some / SMALL}: differs: {column} is" in errors


def test_rounding_is_not_a_difference(some: Path) -> None:
    def change(table: pd.DataFrame) -> None:
        table["max_gap"] += 1e-9

    rewrite(some, change)
    assert set(words(list(verify([some]))).values()) == {"ok"}


def test_a_flipped_bit_is_found_and_the_rest_goes_on(
    some: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = bytearray((some / SMALL).read_bytes())
    content[len(content) // 2] ^= 1
    (some / SMALL).write_bytes(content)
    assert main(["verify", str(some)]) == 1
    page, errors = capsys.readouterr()
    assert [line.split()[-1] for line in page.splitlines()[1:5]] == ["damaged", "ok", "ok", "ok"]
    assert f"{some / SMALL}: damaged: is damaged (its checksum" in errors


def test_another_run_in_its_place_is_found(some: Path) -> None:
    """Whole and in order, but not the one that was recorded."""
    save_runs(some / SMALL, [trained("fishermen", 1000, seed=2)])
    verdict = verify_file(some / SMALL, read_records(some / VALUES)[SMALL])
    assert verdict.word == "differs"
    assert "seed is 2, recorded is 1" in verdict.reason
    assert "sha256" in verdict.reason


def test_more_runs_than_were_recorded_are_found(some: Path) -> None:
    save_runs(some / SMALL, [trained("fishermen", 1000), trained("fishermen", 1000, seed=2)])
    verdict = verify_file(some / SMALL, read_records(some / VALUES)[SMALL])
    assert (verdict.word, verdict.reason) == ("differs", "holds 2 runs, recorded is one")


def test_a_lost_file_is_found(some: Path) -> None:
    (some / SMALL).unlink()
    assert words(list(verify([some])))[SMALL] == "missing"
    assert words(list(verify([some / "no.npz"]))) == {"no.npz": "missing"}
    (some / "empty").mkdir()
    assert words(list(verify([some / "empty"]))) == {"empty": "missing"}


@pytest.mark.parametrize(
    "content", ["", "file,max_gap\nx,1\n", "file,sha256,episodes,max_gap\nx,0,1000,much\n"]
)
def test_a_table_that_is_none_is_named_and_files_are_evaluated(some: Path, content: str) -> None:
    (some / VALUES).write_text(content, encoding="utf-8")
    found = words(list(verify([some])))
    assert found.pop(VALUES) == "damaged"
    assert set(found.values()) == {"evaluated"}


@pytest.mark.parametrize("name", ["9" * 5000 + ".npz", "a" * 300, '"a\n\x1b[31mb"'])
def test_odd_names_of_recorded_files_are_one_line(
    name: str, some: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (some / VALUES).write_text(f"file,sha256,episodes,max_gap\n{name},0,1000,0.1\n")
    assert main(["verify", str(some)]) == 1
    captured = capsys.readouterr()
    assert "is not the name of a file; give printable text" in captured.err
    assert captured.err.count("\n") == 1
    assert "\x1b" not in captured.out + captured.err


@pytest.mark.parametrize("number", ["9" * 400, "9" * 30])
def test_recorded_numbers_of_any_size_are_no_traceback(
    number: str, some: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = f"file,sha256,episodes,max_gap\n{SMALL},0,{number},0.1\nother.npz,0,,{number}\n"
    (some / VALUES).write_text(table)
    assert main(["verify", str(some)]) == 1
    assert SMALL in capsys.readouterr().out


def test_a_table_is_a_file_of_bounded_size(some: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amg.tables.tidy.LARGEST", 10)
    with pytest.raises(FileError, match="larger than"):
        read_records(some / VALUES)
    (some / VALUES).unlink()
    os.mkfifo(some / VALUES)  # reading it would never end
    with pytest.raises(FileError, match="is not a file"):
        read_records(some / VALUES)


def test_a_terminal_without_greek_letters_will_do(some: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "amg", "verify", str(some / SMALL)],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"recomputed \\u03b5" in done.stdout


def test_files_without_recorded_numbers_are_evaluated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = build("inspection")
    below = tmp_path / "below"
    save_runs(below / "v.npz", [trained("inspection", 1000), trained("inspection", 3162)])
    save_runs(tmp_path / "q.npz", [train_run(game, IndependentQ(), 300, 1)])
    assert main(["verify", str(tmp_path)]) == 0
    page = capsys.readouterr().out
    assert page.count("evaluated\n") == 2
    assert "\n2 evaluated (" in page
    many = next(line.split() for line in page.splitlines() if line.startswith(str(below)))
    gaps = [trained("inspection", K).evaluate().gap.max() for K in (1000, 3162)]
    assert many[1:] == ["2", "1,000–3,162", "–", f"{max(gaps):.9f}", "evaluated"]


def test_recorded_numbers_of_q_learning_agree(tmp_path: Path) -> None:
    """Measures that it lacks stay empty in a table."""
    save_runs(tmp_path / "q.npz", [train_run(build("inspection"), IndependentQ(), 300, 1)])
    (row,) = verify_file(tmp_path / "q.npz", None).recomputed
    assert row["max_own_bound"] is None
    pd.DataFrame([{"file": "q.npz", **row}]).to_csv(tmp_path / VALUES, index=False)
    assert words(list(verify([tmp_path]))) == {"q.npz": "ok"}


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
code = run(Namespace(paths=[Path(sys.argv[1])]))
assert not [name for name in sys.modules if name.startswith("amg.learning")]
sys.exit(code)
"""


def test_no_training_code_is_needed(some: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED, str(some)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "\n4 ok (" in done.stdout
