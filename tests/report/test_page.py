"""The claims page: sound structure, nothing to fetch, and text that stays text."""

from __future__ import annotations

import base64
import itertools
import re

import pytest
from outline import Outline
from sample import HOSTILE, ROOT, material

from amg.claims.evidence import SIGNS, THRESHOLDS
from amg.figures import FIGURES
from amg.report.page import SECTIONS, render


@pytest.fixture(scope="module")
def page() -> str:
    return render(material())


@pytest.fixture(scope="module")
def outline(page: str) -> Outline:
    return Outline.of(page)


def test_it_names_its_language_and_itself(page: str, outline: Outline) -> None:
    assert page.startswith("<!DOCTYPE html>")
    assert outline.elements[0] == ("html", {"lang": "en"})
    assert len(outline.all("title")) == len(outline.all("main")) == len(outline.all("h1")) == 1
    assert outline.all("header", "nav", "main", "footer")


def test_the_first_thing_to_focus_skips_to_the_claims(outline: Outline) -> None:
    assert outline.all("a")[0][1]["href"] == "#main"


def test_ids_are_unique_and_every_link_within_the_page_has_its_target(outline: Outline) -> None:
    ids = outline.ids()
    assert len(set(ids)) == len(ids)
    for _, attributes in outline.elements:
        target = attributes.get("href", "")
        assert not target.startswith("#") or target[1:] in ids
        assert attributes.get("aria-labelledby", ids[0]) in ids


def test_headings_descend_one_level_at_a_time(outline: Outline) -> None:
    levels = [int(tag[1]) for tag, _ in outline.all("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_claims_come_first_each_with_its_verdict_in_words(page: str, outline: Outline) -> None:
    sections = [attributes["id"] for _, attributes in outline.all("section")]
    assert sections == list(SECTIONS)
    assert sections[0] == "claims"
    for verdict, sign in SIGNS.items():
        assert f'<span aria-hidden="true" class="sign">{sign}</span> {verdict}</span>' in page


def test_every_figure_has_alt_text_size_caption_and_data(outline: Outline) -> None:
    images = [attributes for _, attributes in outline.all("img")]
    assert len(images) == len(outline.all("figcaption")) == len(FIGURES)
    assert all(image["alt"] and image["width"] == "20" for image in images)
    links = {a["download"]: a["href"] for _, a in outline.all("a") if "download" in a}
    assert set(links) == {f"{name}.csv" for name in FIGURES}
    for link in links.values():
        assert base64.b64decode(link.partition(",")[2]) == b"x,y\n1,2\n"


def test_every_table_has_a_name_and_heads_with_scope(outline: Outline) -> None:
    tables = outline.all("table")
    labelled = [attributes for _, attributes in tables if "aria-label" in attributes]
    assert len(tables) == len(outline.all("caption")) + len(labelled) > len(labelled) > 0
    assert all(attributes["scope"] in ("col", "row") for _, attributes in outline.all("th"))


def test_nothing_is_fetched_and_nothing_is_run(page: str, outline: Outline) -> None:
    assert not outline.all("script", "iframe", "object", "embed", "form", "base")
    for tag, attributes in outline.elements:
        for name in ("src", "href", "srcset", "action", "data"):
            value = attributes.get(name, "#")
            assert value.startswith(("#", "data:")), (tag, name, value)
        assert not any(name.startswith("on") or name == "style" for name in attributes), attributes
    style = re.search("<style>(.*?)</style>", page, re.S)
    assert style
    assert not re.search(r"url\(|@import", style[1])


def test_the_policy_of_the_page_forbids_everything_but_its_own_style_and_pictures(
    outline: Outline,
) -> None:
    metas = [attributes for _, attributes in outline.all("meta")]
    (policy,) = [meta["content"] for meta in metas if "http-equiv" in meta]
    assert policy == (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'"
    )


def test_hostile_text_stays_text(outline: Outline) -> None:
    assert not any("onerror" in attributes for _, attributes in outline.elements)
    for element in ("h3", "a", "td", "code"):
        assert HOSTILE in [text for parent, text in outline.text if parent == element]


def test_everything_about_a_study_is_on_the_page(outline: Outline) -> None:
    content = material()
    text = "\n".join(text for _, text in outline.text)
    facts = content.facts
    for part in (
        *facts["experiments"],
        *facts["sizes"],
        *(label for label, values in facts["parameters"].items() if values),
        *(size["digest"] for size in facts["sizes"].values()),
        *content.timing["job"],
        *content.machine,
        THRESHOLDS,
        "stage growth (line 17)",  # a row of docs/deviations.md
    ):
        assert part in text


def test_jobs_without_a_measured_peak_show_a_dash(page: str) -> None:
    row = re.search(r"<tr[^>]*><th[^>]*>table/gaps</th>.*?</tr>", page)
    assert row
    assert re.findall(r">([^<]+)</td>", row[0]) == ["1.0", "0.5", "–"]


def test_the_style_sheet_is_in_the_page(page: str) -> None:
    sheet = ROOT / "src" / "amg" / "report" / "templates" / "page.css"
    assert sheet.read_text(encoding="utf-8").strip() in page


def test_the_same_material_gives_the_same_bytes(page: str) -> None:
    assert render(material()) == page


def test_a_page_without_claims_is_a_page() -> None:
    Outline.of(render(material([])))
