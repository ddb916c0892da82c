"""The documentation site builds without a warning, needs no network, and leads nowhere dead.

Building it runs its notebooks: docs/your-game.md, docs/your-policy.md and the home page.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from browser import CHROMIUM, visit

import amg
from amg.figures import FIGURES

ROOT = Path(__file__).resolve().parents[1]
LOADED = ("script src", "link href", "img src", "img srcset", "iframe src", "source src")


class Page(HTMLParser):
    """What a page loads, links to, and can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.text = path.read_text(encoding="utf-8")
        self.loads, self.links, self.ids = [], [], set[str]()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        if "id" in own:
            self.ids.add(own["id"])
        loads = [value for name, value in attrs if f"{tag} {name}" in LOADED and value]
        self.loads += [value.removesuffix(" 2x") for value in loads]
        if tag == "a" and own.get("href"):
            self.links.append(own["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs-site` builds it."""
    place = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "docs", str(place)],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return place


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def test_every_page_of_docs_is_there(pages: dict[Path, Page], site: Path) -> None:
    written = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    assert {site / path.with_suffix(".html") for path in written} <= set(pages)


def test_no_page_needs_the_network(pages: dict[Path, Page], site: Path) -> None:
    for path, page in pages.items():
        assert page.loads, path
        assert not [url for url in page.loads if urlsplit(url).netloc], path
    for path in site.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r"(?:@import|url\()\s*['\"]?(?:https?:)?//", text), path


def test_what_a_page_loads_or_links_to_is_there(pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for url in page.loads + page.links:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path}: {url}"
            if parts.fragment and target in pages and parts.path != path.name:
                assert unquote(parts.fragment) in pages[target].ids, f"{path}: {url}"


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", ["index", "results", "your-game", "deviations", "api"])
def test_a_page_fits_the_window(site: Path, name: str, phone: bool) -> None:
    seen = visit((site / f"{name}.html").read_text(encoding="utf-8"), site, phone=phone).answer
    assert not seen["met"] + seen["fetched"] + seen["broken"]
    assert seen["width"] <= seen["window"], "has to be scrolled sideways"


def outputs(site: Path, name: str) -> Iterator[str]:
    """Yield what the cells of a notebook that the site offers have printed or returned."""
    (path,) = site.rglob(f"_downloads/*/{name}.ipynb")
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", []):
            yield output.text if "text" in output else output.data["text/plain"]


def test_the_notebooks_say_what_their_text_says(site: Path) -> None:
    said = "".join(outputs(site, "your-game"))
    assert re.search(r"wrong\.yaml:\d+: .* 6\.0 is outside reward_range \[0\.0, 5\.0\]", said)
    gap = re.search(r"gap +\[(.*)\]", said)
    assert gap
    assert all(float(number) < 0 for number in gap[1].split())
    assert "\nTrue\n" in said  # the builder makes the same tables
    policies = "".join(outputs(site, "your-policy"))
    assert policies.count("maximum over agents") == 3  # amg certify
    assert '"gap_share"' in policies  # amg certify --json


def test_names_in_the_glossary_exist() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`amg\.([\w.]+)`", text))
    assert len(names) > 40
    for name in names:
        thing = amg
        for part in name.split("."):
            if part in getattr(thing, "__annotations__", {}):
                break  # a field
            if not hasattr(thing, part):
                import_module(f"{thing.__name__}.{part}")
            thing = getattr(thing, part)


def test_every_figure_of_the_study_is_shown() -> None:
    text = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    for name, figure in FIGURES.items():
        assert f"![{figure.title}](../figures/{name}.png)" in text
        assert f"../figures/{name}.md" in text
