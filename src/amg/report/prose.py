"""Markdown as HTML that is safe to put into a page.

HTML in a text is shown, never obeyed. A link or a picture is only its text: a page must not lead
anywhere that has to be fetched. A wide table scrolls within its own frame.
"""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markupsafe import Markup

GROUP = '<div class="wide" role="group" aria-label="Table" tabindex="0">'
RULES = {  # what the library writes differently
    "link_open": "",
    "link_close": "",
    "table_open": f"{GROUP}\n<table>\n",
    "table_close": "</table>\n</div>\n",
    "th_open": '<th scope="col">',
}


def render(text: str) -> Markup:
    """Return a text in Markdown as HTML."""
    return Markup(MARKDOWN.render(text))


def inline(text: str) -> Markup:
    """Return one line of Markdown as HTML, without a paragraph around it."""
    return Markup(MARKDOWN.renderInline(text))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.disable(["autolink", "entity"])
    for kind, html in RULES.items():
        parser.add_render_rule(kind, lambda *_, html=html: html)
    parser.add_render_rule("image", lambda _, tokens, j, *rest: escapeHtml(tokens[j].content))
    return parser


MARKDOWN = _parser()
