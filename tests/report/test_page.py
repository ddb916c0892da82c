"""The claims page: what is read, sound structure, nothing to fetch, and text that stays text."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from outline import Outline
from sample import HOSTILE, ROOT, all_claims, judgement, material

from amg.base.errors import FileError
from amg.claims.evidence import SIGNS
from amg.claims.judgement import to_json
from amg.figures import FIGURES
from amg.report.page import from_line, powers, read_material, read_provenance, render, write_page


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
    sections = [f"#{attributes['id']}" for _, attributes in outline.all("section")]
    links = [attributes["href"] for _, attributes in outline.all("a")]
    assert links[1 : 1 + len(sections)] == sections  # the contents, after the link that skips them
    assert sections[0] == "#claims"
    for verdict, sign in SIGNS.items():
        assert f'<span aria-hidden="true" class="sign">{sign}</span> {verdict}</span>' in page


def test_every_figure_has_alt_text_size_caption_and_data(outline: Outline) -> None:
    images = [attributes for _, attributes in outline.all("img")]
    assert len(images) == len(outline.all("figcaption")) == len(FIGURES)
    assert all(image["alt"] and image["width"] == "18" for image in images)
    links = {a["download"]: a["href"] for _, a in outline.all("a") if "download" in a}
    assert set(links) == {f"{name}.csv" for name in FIGURES}
    for link in links.values():
        assert base64.b64decode(link.partition(",")[2]) == b"x,y\n1,2\n"


def test_every_table_has_a_name_and_heads_with_scope(outline: Outline) -> None:
    named = [attributes for _, attributes in outline.elements if attributes.get("class") == "wide"]
    assert len(outline.all("table")) == len(outline.all("caption")) + len(named) > len(named) > 0
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


def test_what_is_known_beyond_the_study_stands_beside_the_verdict(outline: Outline) -> None:
    text = "\n".join(text for _, text in outline.text)
    for part in ("18.9", "The first is older.", "25% of 40 [20%, 30%]", "λ_min: 0.7 50%, 0.9 0%"):
        assert part in text


def test_everything_about_a_study_is_on_the_page(outline: Outline) -> None:
    content = material()
    text = "\n".join(text for _, text in outline.text)
    facts = content.facts
    for part in (
        *facts["experiments"],
        *facts["sizes"],
        *facts["parameters"],
        *(size["digest"] for size in facts["sizes"].values()),
        *content.timing["job"],
        content.provenance["machine"]["cpu"],
        *content.provenance["libraries"],
        content.judgement.caution,
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


@pytest.fixture
def files(tmp_path: Path) -> dict[str, list[Path]]:
    """Write the files of a study."""
    content = material()
    texts = {
        "claims": to_json(judgement(all_claims())),
        "findings": content.findings,
        "references": content.references.to_csv(index=False),
        "timing": content.timing.to_csv(index=False),
        "provenance": json.dumps(content.provenance),
        "config": content.config,
        "deviations": content.deviations,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for picture in content.pictures:
        (tmp_path / f"{picture.name}.png").write_bytes(picture.png)
        (tmp_path / f"{picture.name}.csv").write_bytes(picture.csv)
        (tmp_path / f"{picture.name}.md").write_text(
            f"**{picture.title}.** {picture.caption}\n", encoding="utf-8"
        )
    figures = sorted(tmp_path.glob("*.png"))
    (tmp_path / "returns.csv").write_text("x\n1\n", encoding="utf-8")
    tables = [tmp_path / "returns.csv"]
    return {"figures": figures, "tables": tables, **{name: [tmp_path / name] for name in texts}}


def test_everything_is_read_as_it_was_written(files: dict[str, list[Path]], tmp_path: Path) -> None:
    expected = material()
    content = read_material(files, expected.facts, tmp_path)
    assert content.order is None  # nothing is committed there
    assert content.judgement == expected.judgement
    assert content.pictures == expected.pictures
    assert content.findings == expected.findings
    assert content.provenance == expected.provenance
    assert content.digests == {"returns": hashlib.sha256(b"x\n1\n").hexdigest()[:16]}
    assert content.references.equals(expected.references)
    assert list(content.timing["job"]) == list(expected.timing["job"])


def test_the_page_is_written(files: dict[str, list[Path]], tmp_path: Path) -> None:
    write_page(files, material().facts, tmp_path, tmp_path / "report" / "claims.html")
    page = (tmp_path / "report" / "claims.html").read_text(encoding="utf-8")
    assert "A claim that is reproduced" in page


@pytest.mark.parametrize("name", ["claims", "findings", "provenance", "config"])
def test_a_missing_file_is_one_line(
    files: dict[str, list[Path]], name: str, tmp_path: Path
) -> None:
    (path,) = files[name]
    path.unlink()
    with pytest.raises(FileError, match=f"{path}: cannot be read") as error:
        read_material(files, {}, tmp_path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "{", "[1", "nothing"])
def test_a_provenance_file_that_is_not_json_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "provenance.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=f"{path}: is not a provenance file") as error:
        read_provenance(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("provenance", [{}, [], {"package": 1, "git": 2, "machine": 3}])
def test_a_fact_that_is_missing_is_one_line(provenance: Any) -> None:
    with pytest.raises(FileError, match=r"the claims page: .* make the results again") as error:
        render(replace(material(), provenance=provenance))
    assert "\n" not in str(error.value)


def test_links_and_powers() -> None:
    text = (
        "[figure](../figures/baselines.png), [rate](proof.md#rate), [proof.md](proof.md), K^−1/2."
    )
    assert from_line(text) == (
        '<a href="#figure-baselines">figure</a>, rate (proof.md), proof.md, K<sup>−1/2</sup>.'
    )
    assert powers("<b> N^0.031, a^b, x^2.") == "&lt;b&gt; N<sup>0.031</sup>, a^b, x<sup>2</sup>."


def test_a_number_can_be_cited() -> None:
    git = {"commit": "abc123", "dirty": False}
    content = material()
    package = {"version": "0", "source": "fedcba9876543210fedcba"}
    page = render(
        replace(content, provenance={**content.provenance, "git": git, "package": package})
    )
    text = " ".join(re.sub("<.*?>", "", page).split())
    assert (
        "claim settled-rewards, table returns (SHA-256 0123456789abcdef), seeds 1 to 20, "
        "sources fedcba9876543210, commit abc123" in text.replace("claim-0", "settled-rewards")
    )


def test_a_commit_with_changes_says_so() -> None:
    git = {"commit": "abc123", "dirty": True}
    content = material()
    page = render(replace(content, provenance={**content.provenance, "git": git}))
    assert "abc123, with changes" in page
