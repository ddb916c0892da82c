"""The claims page: sound structure, nothing to fetch, and text that stays text."""

from __future__ import annotations

import base64
import itertools
import json
import re
from pathlib import Path

import pytest
from outline import Outline
from sample import HOSTILE, entries, entry, material, png

from amg.errors import FileError
from amg.figures import FIGURES
from amg.report.environment import read_environment
from amg.report.page import SECTIONS, render
from amg.report.verdicts import SIGNS, read_claims


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
    assert all(image["alt"] and image["width"] == "40" for image in images)
    links = {a["download"]: a["href"] for _, a in outline.all("a") if "download" in a}
    assert set(links) == {f"{name}.csv" for name in FIGURES}
    for link in links.values():
        assert base64.b64decode(link.partition(",")[2]) == b"x,y\n1,2\n"


def test_every_table_has_a_caption_and_heads_with_scope(outline: Outline) -> None:
    assert len(outline.all("table")) == len(outline.all("caption")) > 0
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


def test_hostile_text_stays_text(outline: Outline) -> None:
    assert not any("onerror" in attributes for _, attributes in outline.elements)
    shown = [text for element, text in outline.text if element == "h3"]
    assert HOSTILE in shown


def test_the_same_material_gives_the_same_bytes(page: str) -> None:
    assert render(material()) == page


def test_a_page_without_claims_is_a_page() -> None:
    Outline.of(render(material([])))


def test_claims_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    path.write_text(json.dumps(entries()), encoding="utf-8")
    claims = read_claims(path)
    assert [claim.verdict for claim in claims][:4] == list(SIGNS)
    assert (claims[0].number, claims[0].interval) == ("19.22", "[19.21, 19.24]")
    assert (claims[4].number, claims[4].interval) == ("", "")


@pytest.mark.parametrize(
    "content", ["nonsense", "{}", "[3]", json.dumps([{"id": 1}]), json.dumps([entry(verdict="so")])]
)
def test_what_is_no_list_of_claims_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "claims.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FileError, match=re.escape(str(path))) as error:
        read_claims(path)
    assert "\n" not in str(error.value)


def test_provenance_is_read_as_it_is_written(tmp_path: Path) -> None:
    from amg.provenance import provenance

    path = tmp_path / "provenance.json"
    path.write_text(json.dumps(provenance(tmp_path)), encoding="utf-8")
    environment = read_environment(path)
    assert {"amg-replication", "format of result files", "numpy"} <= environment.versions.keys()
    assert environment.machine["cores"]
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(FileError):
        read_environment(path)


def test_the_sample_picture_is_one() -> None:
    assert png()[16:24] == bytes([0, 0, 0, 40, 0, 0, 0, 20])
