"""The part of Markdown that this project's pages use, as HTML: headings, paragraphs, lists, tables,
code, **strong**, *emphasis* and links. Any markup in the text is shown, never obeyed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from amg.report.markup import Html, join, lines, table, tag

INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>.+?)\*\*|\*(?P<em>[^*\s][^*]*)\*"
    r"|!?\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)"
)
HEADING = re.compile(r"(#{1,6}) +(.*)")
ITEM = re.compile(r"[*-] +(.*)")


def render(text: str, *, top: int = 1) -> Html:
    """A page; its highest headings become <h{top}>. Below that, headings have no ids."""
    blocks = list(_blocks(text))
    levels = [len(m[1]) for block in blocks if (m := HEADING.fullmatch(block[0]))]
    shift = top - min(levels, default=1)
    heading = ""
    made = []
    for block in blocks:
        if match := HEADING.fullmatch(block[0]):
            heading = match[2]
            made.append(tag(f"h{min(len(match[1]) + shift, 6)}", inline(heading)))
        else:
            made.append(_block(block, heading))
    return lines(*made)


def inline(text: str) -> Html:
    """A line. Links to places in the same page stay; others are named, for nothing may be left
    to fetch."""
    parts: list[object] = []
    end = 0
    for match in INLINE.finditer(text):
        parts += [text[end : match.start()], _span(match)]
        end = match.end()
    return join([*parts, text[end:]])


def code(text: str) -> Html:
    """Names and paths, which may break where their parts meet."""
    return tag("code", join(re.split(r"(?<=[/_.])(?=\w)", text), "<wbr>"))


def plain(text: str) -> str:
    """A line without its marks."""
    return INLINE.sub(lambda m: m["code"] or m["strong"] or m["em"] or m["text"] or "", text)


def _span(match: re.Match[str]) -> Html:
    if match["code"]:
        return code(match["code"])
    if match["strong"]:
        return tag("strong", inline(match["strong"]))
    if match["em"]:
        return tag("em", inline(match["em"]))
    text, target = match["text"], match["target"]
    if target.startswith("#"):
        return tag("a", inline(text), href=target)
    return inline(text) if text == target else join([inline(text), " (", code(target), ")"])


def _blocks(text: str) -> Iterator[list[str]]:
    """Runs of lines that belong together."""
    block: list[str] = []
    fenced = False
    for line in re.sub(r"<!--.*?-->", "", text, flags=re.S).splitlines():
        if line.startswith("```"):
            fenced = not fenced
        alone = not fenced and (not line.strip() or HEADING.fullmatch(line))
        if block and (alone or HEADING.fullmatch(block[0])):
            yield block
            block = []
        if fenced or line.strip():
            block.append(line)
    if block:
        yield block


def _block(block: list[str], heading: str) -> Html:
    first = block[0]
    if first.startswith("```"):
        return tag("pre", tag("code", "\n".join(block[1:-1])))
    if first.startswith("|"):
        header, _, *rows = (_cells(line) for line in block)
        body = [[inline(cell) for cell in row] for row in rows]
        return table(inline(heading or "Table"), header, body, titled=False)
    if ITEM.fullmatch(first):
        return tag("ul", *(tag("li", inline(item)) for item in _items(block)))
    return tag("p", inline(" ".join(line.strip() for line in block)))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _items(block: list[str]) -> list[str]:
    items: list[str] = []
    for line in block:
        if match := ITEM.fullmatch(line):
            items.append(match[1])
        else:
            items[-1] += f" {line.strip()}"
    return items
