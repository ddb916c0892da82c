"""What a page is made of, as a plain parser sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "hr", "img", "input", "link", "meta", "wbr"}
Element = tuple[str, dict[str, str]]


@dataclass
class Outline(HTMLParser):
    """Elements in order, and the text of each path of open elements."""

    elements: list[Element] = field(default_factory=list)
    text: list[tuple[str, str]] = field(default_factory=list)  # element it stands in, text
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    @classmethod
    def of(cls, page: str) -> Outline:
        outline = cls()
        outline.feed(page)
        outline.close()
        assert not outline.open, f"not closed: {outline.open}"
        return outline

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"attribute twice: {attrs}"
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID, f"<{tag} /> is never closed"
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.text.append((self.open[-1] if self.open else "", data))

    def all(self, *tags: str) -> list[Element]:
        return [element for element in self.elements if element[0] in tags]

    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]
