"""Pages name only files, make targets and sections that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PATTERNS = ("*.md", "docs/**/*.md", "config/*.md", "config/**/*.yaml")
PAGES = sorted(page for pattern in PATTERNS for page in ROOT.glob(pattern))
PATH = re.compile(r"\b(?:src|tests|docs|workflow|config|profiles)/[\w./-]*\w")
LINK = re.compile(r"\]\(([^)#:]*)(?:#([\w-]+))?\)")


def names(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_paths_exist(page: Path) -> None:
    paths = set(PATH.findall(page.read_text(encoding="utf-8")))
    examples = {
        "config/games/mine.yaml",
        "config/sweeps/NAME.yaml",
        "src/amg/learning/hindsight.py",
    }
    missing = [path for path in paths - examples if not (ROOT / path).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_links_lead_to_files_and_sections(page: Path) -> None:
    for target, section in LINK.findall(page.read_text(encoding="utf-8")):
        file = page.parent / target if target else page
        assert file.exists(), target
        if section:
            text = file.read_text(encoding="utf-8")
            titles = re.findall(r"^#+ (.*)$", text, re.M)
            anchors = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
            anchors += re.findall(r'<a id="([\w-]+)">', text)
            assert section in anchors, f"{target}#{section}"


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_make_targets_exist(page: Path) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    used = re.findall(r"(?:`|^ *|&& )make ([a-z-]+)", page.read_text(encoding="utf-8"), re.M)
    assert set(used) <= set(targets)
