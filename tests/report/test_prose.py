"""Markdown as HTML: the marks that our pages use, and nothing that could be obeyed."""

from __future__ import annotations

import pytest
from outline import Outline
from sample import ROOT

from amg.report.prose import inline, render


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a `b` **c** *d*", "a <code>b</code> <strong>c</strong> <em>d</em>"),
        ("**`a` b**", "<strong><code>a</code> b</strong>"),
        ("2 * 3 * 4 and 1 < 2 & 3", "2 * 3 * 4 and 1 &lt; 2 &amp; 3"),
        ("r_i(s, a_i) of K^−1/2", "r_i(s, a_i) of K^−1/2"),
        ("`a*b*c`", "<code>a*b*c</code>"),
        ("[here](#there)", '<a href="#there">here</a>'),
        ("[page](docs/page.md)", "page (<code>docs/<wbr>page.<wbr>md</code>)"),
        ("[page.md](page.md)", "page.md"),
        ("![y](http://a.b/y)", "y (<code>http://<wbr>a.<wbr>b/<wbr>y</code>)"),
        ("[x](javascript:run)", "[x](javascript:run)"),
        ("<http://a.b>", "&lt;http://a.b&gt;"),
        ("<b onclick='x'>", "&lt;b onclick='x'&gt;"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
    ],
)
def test_marks_within_a_line(text: str, html: str) -> None:
    assert inline(text) == html


def test_blocks() -> None:
    text = "# One\ntext\nmore\n\n* a\n  b\n* c\n\n```\n# code <b>\n\nx\n```\n## Two\n<div>\n"
    assert "".join(render(text, deeper=2).splitlines()) == (
        "<h3>One</h3><p>textmore</p><ul><li>ab</li><li>c</li></ul>"
        "<pre><code># code &lt;b&gt;x</code></pre><h4>Two</h4><p>&lt;div&gt;</p>"
    )


def test_headings_are_lowered_to_the_sixth_level_at_most() -> None:
    assert "<h6>a</h6>" in render("##### a", deeper=3)


def test_cells_of_a_table_carry_the_heads_of_their_columns() -> None:
    text = "# T\n\n| a | b | c |\n| --- | --- | ---: |\n| `x` | | 1 |\n| y | 2 | 3 |\n"
    outline = Outline.of(render(text))
    assert outline.all("table") == [("table", {"role": "table", "aria-label": "T"})]
    assert [attributes["scope"] for _, attributes in outline.all("th")] == [
        *["col"] * 3,
        "row",
        "row",
    ]
    cells = [attributes for _, attributes in outline.all("td")]
    assert [cell["data-label"] for cell in cells] == ["b", "c", "b", "c"]
    assert [cell.get("class") for cell in cells] == [None, "number", None, "number"]
    assert not any("style" in attributes for _, attributes in outline.elements)


def test_every_page_of_the_documentation_can_be_rendered() -> None:
    for path in sorted((ROOT / "docs").rglob("*.md")):
        Outline.of(render(path.read_text(encoding="utf-8")))
    text = (ROOT / "docs" / "deviations.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    rules = [line for line in rows if line.startswith("| ---")]
    assert rules
    assert len(Outline.of(render(text)).all("tr")) == len(rows) - len(rules)
