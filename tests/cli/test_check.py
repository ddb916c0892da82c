"""`amg check`: what a file is, or what is wrong with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from amg.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = [
    *(Path("config") / name for name in ("config.yaml", "smoke.yaml", "claims.yaml")),
    *sorted(path.relative_to(ROOT) for path in (ROOT / "config" / "games").glob("*.yaml")),
    *sorted(path.relative_to(ROOT) for path in (ROOT / "config" / "sweeps").glob("*.yaml")),
]


def test_every_shipped_file_is_in_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["check", *map(str, SHIPPED)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert len(captured.out.splitlines()) == len(SHIPPED) - 1  # the configs together


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("config.yaml", "seeds: 3\n", "a config, "),
        ("claims.yaml", (ROOT / "config" / "claims.yaml").read_text("utf-8"), "13 claims"),
        ("game.yaml", (ROOT / "config/games/example.yaml").read_text("utf-8"), "a game, irriga"),
    ],
)
def test_a_line_says_what_a_file_is(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str,
    says: str,
) -> None:
    monkeypatch.chdir(ROOT)
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out.startswith(f"{path}: {says}")
    path.write_text(f"{content}\ncolour: red\n", encoding="utf-8")
    assert main(["check", str(path), str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"error: {path}:")
    assert "colour: unknown key" in captured.err
    assert captured.out == ""


def test_a_bad_file_does_not_hide_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["check", str(tmp_path / "none.yaml"), "config/config.yaml"]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert captured.out.startswith("config/config.yaml: a config, ")


def test_a_config_elsewhere_is_told_where_to_run_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text("seeds: 3\n")
    assert main(["check", "mine.yaml"]) == 2
    assert "run this at the top of the repository" in capsys.readouterr().err


def test_no_pipe_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    assert main(["check", str(pipe), str(tmp_path), str(tmp_path / "none.yaml")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("; ")[0].split(": ")[2:] for line in lines] == [
        ["cannot be read", "is not a file"],
        ["cannot be read", "Is a directory"],
        ["cannot be read", "No such file or directory"],
    ]
