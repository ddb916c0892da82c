"""Markdown as HTML that is safe to put into a page.

HTML in a text is shown, never obeyed. Links to other places are named, not linked: a page must
not lead anywhere that has to be fetched. Cells of tables carry the head of their column, which
the style sheet shows on a narrow screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup

# A table that the style sheet lays out as blocks is no table to a screen reader without roles.
ROLES = {
    "table_open": "table",
    "thead_open": "rowgroup",
    "tbody_open": "rowgroup",
    "tr_open": "row",
}


def render(text: str, *, deeper: int = 0) -> Markup:
    """Return a text in Markdown as HTML, its headings lowered by `deeper` levels."""
    return Markup(MARKDOWN.render(text, {"deeper": deeper}))


def inline(text: str) -> Markup:
    """Return one line of Markdown as HTML, without a paragraph around it."""
    return Markup(MARKDOWN.renderInline(text))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.disable(["autolink", "entity"])
    parser.core.ruler.push("headings", _lower_headings)
    parser.core.ruler.push("tables", _label_tables)
    parser.core.ruler.push("links", _name_links)
    parser.add_render_rule("code_inline", _code)
    return parser


def _lower_headings(state: StateCore) -> None:
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + state.env.get('deeper', 0), 6)}"


def _label_tables(state: StateCore) -> None:
    """Give tables a name, roles, heads of rows, and cells the head of their column."""
    heading, column = "Table", 0
    heads: list[str] = []
    for token, content in pairwise(state.tokens):
        if "right" in str(token.attrs.pop("style", "")):  # styles stand in the style sheet
            token.attrSet("class", "number")
        if token.type == "heading_open":
            heading = content.content
        elif token.type in ROLES:
            token.attrSet("role", ROLES[token.type])
            column = 0
            if token.type == "table_open":
                token.attrSet("aria-label", heading)
                heads = []
        elif token.type == "th_open":
            heads.append(content.content)
            token.attrs.update(role="columnheader", scope="col")
        elif token.type == "td_open" and column == 0:
            token.attrs.update(role="rowheader", scope="row")
            token.tag = "th"
        elif token.type == "td_open":
            token.attrs.update({"role": "cell", "data-label": heads[column]})
        elif token.type == "td_close":
            token.tag = "th" if column == 0 else "td"
            column += 1


def _name_links(state: StateCore) -> None:
    for token in state.tokens:
        if token.children:
            token.children = list(_without_links(token.children))


def _without_links(tokens: Sequence[Token]) -> Iterator[Token]:
    """Replace each link to another place, and each picture, by its text and its address."""
    target = text = ""
    for token in tokens:
        if token.type == "image":
            yield from _named(str(token.attrs["src"]), token.content)
        elif token.type == "link_open":
            target, text = str(token.attrs["href"]), ""
            if target.startswith("#"):
                yield token
        elif token.type != "link_close":
            text += token.content
            yield token
        elif target.startswith("#"):
            yield token
        elif target != text:
            yield from _named(target)


def _named(target: str, text: str = "") -> list[Token]:
    return [
        Token("text", "", 0, content=f"{text} ("),
        Token("code_inline", "code", 0, content=target),
        Token("text", "", 0, content=")"),
    ]


def _code(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """Code within a line: names and paths may break where their parts meet."""
    broken = re.sub(r"(?<=[/_.])(?=\w)", "<wbr>", escapeHtml(tokens[index].content))
    return f"<code>{broken}</code>"


MARKDOWN = _parser()
