"""`amg compare`: what is equal, what differs, and the earlier layout of results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sample_runs import trained

from amg.cli.compare import runs
from amg.cli.main import main
from amg.results.run_file import save_runs


def write_results(results: Path) -> None:
    """Results of a small study and a sweep."""
    save_runs(results / "runs" / "a.npz", [trained("fishermen", 1000, seed) for seed in (1, 2)])
    save_runs(results / "sweeps" / "s" / "runs" / "b.npz", [trained("fishermen", 1000)])
    for name in ("evaluations", "tables", "figures/sweeps"):
        (results / name).mkdir(parents=True)
    (results / "evaluations/a.csv").write_text(
        "series,game,learner,episodes,seed,max_gap\nf/v,f,v,1000,1,0.5\nf/v,f,v,1000,2,0.25\n"
    )
    (results / "tables/gaps.csv").write_text("game,gap\nf,0.375\n")
    (results / "tables/timing.csv").write_text(f"seconds\n{len(str(results))}\n")
    judged = {"judged_by": {"rules": "ab"}, "claims": [{"id": "c", "verdict": "holds"}]}
    (results / "figures/claims.json").write_text(json.dumps(judged))
    (results / "figures/sweeps/s.csv").write_text("x,y\n1,2\n3,4\n")
    (results / "figures/sweeps/s.png").write_bytes(b"a picture")
    (results / "figures/gaps.md").write_text("A caption.\n")


@pytest.fixture
def trees(tmp_path: Path) -> list[str]:
    """Two directories of results that hold the same."""
    for name in ("before", "after!"):
        write_results(tmp_path / name)
    return [str(tmp_path / "before"), str(tmp_path / "after!")]


def compare(trees: list[str]) -> int:
    return main(["compare", *trees, "--figures", *(f"{tree}/figures" for tree in trees)])


def test_equal_trees_are_equal(trees: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(trees) == 0
    rows = [line.rsplit(maxsplit=4) for line in capsys.readouterr().out.splitlines()[1:]]
    assert {row[0].strip(): row[1:] for row in rows} == {
        name: [equal, "0", "0", "0"]
        for name, equal in (
            ("runs", "3"), ("evaluations", "2"), ("tables", "1"), ("claims", "1"),
            ("data of figures", "2"), ("texts", "1"), ("pictures", "1"),
        )
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "old", "new", "line"),
    [
        ("evaluations/a.csv", "0.25", "0.26", 'evaluations: differ: {"episodes": "1000", "game"'),
        ("tables/gaps.csv", "0.375", "0.376", "tables: differ: gaps.csv, line 2: gap: 0.375 and"),
        (
            "figures/claims.json",
            "holds",
            "fails",
            'claims: differ: c: verdict: "holds" and "fails"',
        ),
        ("figures/sweeps/s.csv", "3,4\n", "", "data of figures: only before: sweeps/s.csv, line 3"),
        ("figures/sweeps/s.png", "pic", "x", "pictures: differ: sweeps/s.png: sha256: "),
        ("figures/gaps.md", "A", "B", "texts: differ: gaps.md: sha256: "),
    ],
)
def test_a_difference_is_found(
    name: str, old: str, new: str, line: str, trees: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(trees[1]) / name
    path.write_text(path.read_text().replace(old, new))
    assert compare(trees) == 1
    assert capsys.readouterr().out.splitlines()[8].startswith(line)


def test_claims_of_the_earlier_layout_are_the_same_claims(trees: list[str]) -> None:
    """They were a list and stood in the results."""
    path = Path(trees[0]) / "figures" / "claims.json"
    judged = json.loads(path.read_text())["claims"]
    path.unlink()
    (Path(trees[0]) / "claims.json").write_text(json.dumps(judged))
    assert compare(trees) == 0
    assert main(["compare", *trees]) == 1  # without the figures one of them has no claims
    (Path(trees[0]) / "claims.json").write_text(json.dumps([{"id": "c", "verdict": "fails"}]))
    assert compare(trees) == 1


def test_another_run_is_found(trees: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    save_runs(Path(trees[1]) / "runs" / "a.npz", [trained("fishermen", 1000)])
    assert compare(trees) == 1
    assert "1000, 2]" in capsys.readouterr().out.splitlines()[8]


def test_a_changed_array_is_found(trees: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(trees[1]) / "runs" / "a.npz"
    with np.load(path) as file:
        arrays = dict(file)
    arrays["1.returns"][0, 0] = np.nextafter(arrays["1.returns"][0, 0], 0)
    np.savez(path, **arrays)
    assert compare(trees) == 1
    assert "1000, 2]: returns: float64 (1000, 2) " in capsys.readouterr().out.splitlines()[8]


def test_runs_of_the_earlier_format_are_the_same_runs(tmp_path: Path) -> None:
    """It had one run per file, with its record at the top of the header."""
    write_results(tmp_path / "new")
    for path in (tmp_path / "new").rglob("*.npz"):
        with np.load(path) as file:
            header, arrays = json.loads(str(file["header"])), dict(file)
        for j, record in enumerate(header["runs"]):
            own = {
                name.removeprefix(f"{j}."): array
                for name, array in arrays.items()
                if name.startswith((f"{j}.", "game_"))
            }
            text = json.dumps({"game": header["game"], **record})
            old = tmp_path / "old" / path.relative_to(tmp_path / "new").with_suffix("")
            old.mkdir(parents=True, exist_ok=True)
            np.savez(old / f"seed-{record['seed']}.npz", header=np.array(text), **own)
    assert len(runs(tmp_path / "old")) == 3
    assert runs(tmp_path / "old") == runs(tmp_path / "new")


def test_a_file_is_no_directory(trees: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", trees[0], f"{trees[1]}/figures/claims.json"]) == 2
    assert "is not a directory" in capsys.readouterr().err
