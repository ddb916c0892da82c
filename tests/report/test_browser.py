"""Both reports in a real browser: no errors, nothing fetched, no broken link or picture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browser import CHROMIUM, Visit, chromium, visit
from sample import ROOT, material

from amg.figures import FIGURES
from amg.report.page import from_markdown, render

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="needs Chromium; on Debian: apt-get install chromium"
)
REPORTS = ROOT / "results" / "report"


def check_sound(seen: Visit) -> None:
    assert not seen.answer["met"]
    assert not seen.console
    assert not seen.answer["fetched"]
    assert not seen.answer["broken"]
    assert not seen.answer["lost"]


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_the_claims_page(tmp_path: Path, phone: bool) -> None:
    seen = visit(render(material()), tmp_path, phone=phone)
    check_sound(seen)
    assert seen.answer["images"] == len(FIGURES)
    assert seen.answer["window"] == (390 if phone else 1400)
    assert seen.answer["width"] <= seen.answer["window"], "has to be scrolled sideways"


def test_the_probe_finds_what_is_amiss(tmp_path: Path) -> None:
    """A test that cannot fail shows nothing."""
    bad = render(material()).replace(
        "</main>",
        '<img src="http://example.org/a.png" alt="a"><img src="data:image/png,no" alt="b">'
        '<a href="#nowhere">c</a></main>',
    )
    seen = visit(bad, tmp_path, act="console.error('oh'); setTimeout(() => { throw Error('no') })")
    assert seen.answer["lost"] == ["#nowhere"]
    assert set(seen.answer["broken"]) == {"a", "b"}
    assert any("blocked http" in one for one in seen.answer["met"])
    assert any("Error: no" in one for one in seen.answer["met"])
    assert any("oh" in line for line in seen.console)


@pytest.mark.slow
@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_the_claims_page_of_the_study(tmp_path: Path, phone: bool) -> None:
    seen = visit(_report("claims.html"), tmp_path, phone=phone)
    check_sound(seen)
    assert seen.answer["width"] <= seen.answer["window"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("act", "shows"),
    [
        ("", "Where to look"),
        ("app.showCategory('Figures')", "sample_complexity"),
        ("app.showCategory('Tables')", "single_run"),
        ("app.showCategory('Claims')", "claims.html"),
        ("app.setView({content: 'stats'})", "Statistics"),
        (
            "app.setView({content: 'img', navbarMode: 'resultinfo', resultPath: PNG, "
            "contentPath: results[PNG].data_uri})",
            "intervals|One run",
        ),
        ("app.setView({content: 'html', contentPath: results[PAGE].data_uri})", "Claims"),
    ],
    ids=["start", "figures", "tables", "claims", "statistics", "a figure", "the claims page"],
)
def test_snakemakes_report(tmp_path: Path, act: str, shows: str) -> None:
    found = (
        "const PNG = Object.keys(results).find(k => k.endsWith('.png'));"
        "const PAGE = Object.keys(results).find(k => k.endsWith('claims.html'));"
    )
    seen = visit(_report("snakemake.html"), tmp_path, act=found + act)
    check_sound(seen)
    assert any(part in seen.answer["text"] for part in shows.split("|"))


def _report(name: str) -> str:
    path = REPORTS / name
    if not path.exists():
        pytest.skip(f"{path.relative_to(ROOT)} is not there; `make report` makes it")
    return path.read_text(encoding="utf-8")


def test_the_artifact_appendix_fits_on_two_pages(tmp_path: Path) -> None:
    """In letters of 9 points on A4, as artifact tracks ask for."""
    body = from_markdown((ROOT / "ARTIFACT.md").read_text(encoding="utf-8"))
    style = "@page { size: A4; margin: 18mm } body { font: 9pt/1.3 sans-serif } td { padding: 2px }"
    file = tmp_path / "page.html"
    file.write_text(f"<meta charset=utf-8><style>{style}</style>{body}", encoding="utf-8")
    pdf = tmp_path / "page.pdf"
    chromium(tmp_path, f"--print-to-pdf={pdf}", file)
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes())) <= 2
