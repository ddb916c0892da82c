"""Markdown as HTML: the marks that our pages use, and nothing that could be obeyed."""

from __future__ import annotations

import pytest
from outline import Outline
from sample import ROOT

from amg.report.page import from_line, from_markdown


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a `b` **c** *d*", "a <code>b</code> <strong>c</strong> <em>d</em>"),
        ("**`a` b**", "<strong><code>a</code> b</strong>"),
        ("2 * 3 * 4 and 1 < 2 & 3", "2 * 3 * 4 and 1 &lt; 2 &amp; 3"),
        ("r_i(s, a_i) of K^−1/2", "r_i(s, a_i) of K<sup>−1/2</sup>"),
        ("`a*b*c`", "<code>a*b*c</code>"),
        ("[`page`](docs/page.md)", "<code>page</code> (docs/page.md)"),
        ("![a < b](http://a.b/y)", "a &lt; b"),
        ("[x](javascript:run)", "[x](javascript:run)"),
        ("<http://a.b>", "&lt;http://a.b&gt;"),
        ("<b onclick='x'>", "&lt;b onclick='x'&gt;"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
    ],
)
def test_marks_within_a_line(text: str, html: str) -> None:
    assert from_line(text) == html


def test_blocks() -> None:
    text = "# One\ntext\nmore\n\n* a\n  b\n* c\n\n```\n# code <b>\n\nx\n```\n## Two\n<div>\n"
    assert "".join(from_markdown(text).splitlines()) == (
        "<h1>One</h1><p>textmore</p><ul><li>ab</li><li>c</li></ul>"
        "<pre><code># code &lt;b&gt;x</code></pre><h2>Two</h2><p>&lt;div&gt;</p>"
    )


def test_a_table_scrolls_within_a_frame_that_the_keyboard_reaches() -> None:
    outline = Outline.of(from_markdown("| a | b |\n| --- | --- |\n| `x` | <b> |\n"))
    (frame,) = [attributes for _, attributes in outline.all("div")]
    assert frame == {"class": "wide", "role": "group", "aria-label": "Table", "tabindex": "0"}
    assert [attributes for _, attributes in outline.all("th")] == [{"scope": "col"}] * 2
    assert ("td", "<b>") in outline.text


def test_every_page_of_the_documentation_can_be_rendered() -> None:
    for path in sorted((ROOT / "docs").rglob("*.md")):
        Outline.of(from_markdown(path.read_text(encoding="utf-8")))
    text = (ROOT / "docs" / "deviations.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    rules = [line for line in rows if line.startswith("| ---")]
    assert rules
    assert len(Outline.of(from_markdown(text)).all("tr")) == len(rows) - len(rules)
