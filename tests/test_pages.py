"""Generated parts of the documentation are what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from amg.errors import FileError
from amg.pages import game_pages, readme, refresh

ROOT = Path(__file__).resolve().parents[1]


def test_game_pages_have_not_drifted() -> None:
    for path, text in game_pages(ROOT).items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run `make docs`"


def test_the_readme_says_what_the_study_found() -> None:
    findings = (ROOT / "figures" / "findings.md").read_text(encoding="utf-8").strip()
    (path, _), *_ = readme(ROOT).items()
    assert findings in path.read_text(encoding="utf-8"), "run `make docs`"


def test_blocks_are_replaced_and_nothing_else() -> None:
    page = "a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n<!-- generated: y -->\n<!-- end -->\n"
    made = refresh(page, {"x": lambda: "new", "y": lambda: "1\n2"}, "page")
    assert made == (
        "a\n<!-- generated: x -->\nnew\n<!-- end -->\nb\n"
        "<!-- generated: y -->\n1\n2\n<!-- end -->\n"
    )
    assert refresh(made, {"x": lambda: "new", "y": lambda: "1\n2"}, "page") == made


def test_an_unknown_block_is_an_error() -> None:
    with pytest.raises(FileError, match="'z'"):
        refresh("<!-- generated: z -->\n<!-- end -->", {}, "page")
