"""The Markdown of this project's pages as HTML."""

from __future__ import annotations

import pytest
from outline import Outline
from sample import ROOT

from amg.report.markdown import inline, plain, render


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a `b` **c** *d*", "a <code>b</code> <strong>c</strong> <em>d</em>"),
        ("**`a` b**", "<strong><code>a</code> b</strong>"),
        ("2 * 3 * 4 and 1 < 2 & 3", "2 * 3 * 4 and 1 &lt; 2 &amp; 3"),
        ("`a*b*c`", "<code>a*b*c</code>"),
        ("[here](#there)", '<a href="#there">here</a>'),
        ("[page](docs/page.md)", "page (<code>docs/<wbr>page.<wbr>md</code>)"),
        ("[x](javascript:run)", "x (<code>javascript:run</code>)"),
    ],
)
def test_marks_within_a_line(text: str, html: str) -> None:
    assert inline(text) == html


def test_a_line_without_its_marks() -> None:
    assert plain("**a** `b` [c](#d) *e*") == "a b c e"


def test_blocks() -> None:
    page = render(
        "# One\ntext\nmore\n\n* a\n  b\n* c\n\n```\n# code <b>\n\nx\n```\n## Two\n", top=3
    )
    assert page.splitlines() == [
        "<h3>One</h3>",
        "<p>text more</p>",
        "<ul><li>a b</li><li>c</li></ul>",
        "<pre><code># code &lt;b&gt;",
        "",
        "x</code></pre>",
        "<h4>Two</h4>",
    ]


def test_a_table_keeps_its_heads_and_empty_cells() -> None:
    outline = Outline.of(render("# T\n\n| a | b |\n| --- | --- |\n| `x` | |\n"))
    assert [text for element, text in outline.text if element == "th"] == ["a", "b"]
    assert len(outline.all("td")) == 1


def test_every_page_of_the_documentation_can_be_rendered() -> None:
    for path in sorted((ROOT / "docs").rglob("*.md")):
        Outline.of(render(path.read_text(encoding="utf-8")))
    text = (ROOT / "docs" / "deviations.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    rules = [line for line in rows if line.startswith("| ---")]
    assert rules
    assert len(Outline.of(render(text)).all("tr")) == len(rows) - len(rules)
