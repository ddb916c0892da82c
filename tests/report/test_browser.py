"""Both reports in a real browser: nothing amiss, nothing fetched, everything there."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import CHROMIUM, Visit, visit
from sample import ROOT, material

from amg.report.page import render

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="needs Chromium; on Debian: apt-get install chromium"
)
REPORTS = ROOT / "results" / "report"


def sound(seen: Visit) -> None:
    assert not seen.said["met"]
    assert not seen.console
    assert not seen.said["fetched"]
    assert not seen.said["broken"]
    assert not seen.said["lost"]


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_the_claims_page(tmp_path: Path, phone: bool) -> None:
    seen = visit(render(material()), tmp_path, phone=phone)
    sound(seen)
    assert seen.said["images"] == 6
    assert seen.said["window"] == (390 if phone else 1400)
    assert seen.said["width"] <= seen.said["window"], "has to be scrolled sideways"


def test_the_probe_finds_what_is_amiss(tmp_path: Path) -> None:
    """A test that cannot fail shows nothing."""
    bad = render(material()).replace(
        "</main>",
        '<img src="http://example.org/a.png" alt="a"><img src="data:image/png,no" alt="b">'
        '<a href="#nowhere">c</a></main>',
    )
    seen = visit(bad, tmp_path, act="console.error('oh'); setTimeout(() => { throw Error('no') })")
    assert seen.said["lost"] == ["#nowhere"]
    assert set(seen.said["broken"]) == {"a", "b"}
    assert any("blocked http" in one for one in seen.said["met"])
    assert any("Error: no" in one for one in seen.said["met"])
    assert any("oh" in line for line in seen.console)


@pytest.mark.slow
@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_the_claims_page_of_the_study(tmp_path: Path, phone: bool) -> None:
    seen = visit(_made("claims.html"), tmp_path, phone=phone)
    sound(seen)
    assert seen.said["width"] <= seen.said["window"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("act", "shows"),
    [
        ("", "Where to look"),
        ("app.showCategory('Figures')", "picture to print"),
        ("app.showCategory('Tables')", "single_run"),
        ("app.showCategory('Claims')", "claims.html"),
        ("app.setView({content: 'stats'})", "Statistics"),
        (
            "app.setView({content: 'img', navbarMode: 'resultinfo', resultPath: PNG, "
            "contentPath: results[PNG].data_uri})",
            "bootstrap|intervals|One run",
        ),
        (
            "app.setView({content: 'html', contentPath: results[PAGE].data_uri})",
            "Claims",
        ),
    ],
    ids=["start", "figures", "tables", "claims", "statistics", "a figure", "the claims page"],
)
def test_snakemakes_report(tmp_path: Path, act: str, shows: str) -> None:
    found = (
        "const PNG = Object.keys(results).find(k => k.endsWith('.png'));"
        "const PAGE = Object.keys(results).find(k => k.endsWith('claims.html'));"
    )
    seen = visit(_made("snakemake.html"), tmp_path, act=found + act)
    sound(seen)
    assert any(part in seen.said["text"] for part in shows.split("|"))


def _made(name: str) -> str:
    path = REPORTS / name
    if not path.exists():
        pytest.skip(f"{path.relative_to(ROOT)} is not there; `make report` makes it")
    return path.read_text(encoding="utf-8")
