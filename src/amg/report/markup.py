"""HTML from nested calls: everything is text, and escaped, unless it was made here."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

Attribute = str | int | bool | None
VOID = frozenset({"br", "hr", "img", "link", "meta", "wbr"})


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def escape(text: object) -> Html:
    """As markup: what is not, escaped."""
    return text if isinstance(text, Html) else Html(html.escape(str(text)))


def tag(element: str, *children: object, **attributes: Attribute) -> Html:
    """One element. `class_` and `aria_label` are `class` and `aria-label`; None leaves one out."""
    start = f"<{element}{''.join(_attributes(attributes))}>"
    return Html(start if element in VOID else f"{start}{join(children)}</{element}>")


def join(children: Iterable[object], between: str = "") -> Html:
    """Several as one; what is None is left out."""
    return Html(between.join(escape(child) for child in children if child is not None))


def lines(*children: object) -> Html:
    """Blocks, each on its own line."""
    return join(children, "\n")


def table(
    caption: object,
    header: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    numbers: Iterable[int] = (),
    class_: str | None = None,
    titled: bool = True,
) -> Html:
    """A table whose first column heads its rows; `numbers` are columns set to the right.
    Where a heading says the same, `titled=False` keeps the caption for screen readers.

    Cells carry the head of their column, which a narrow screen shows in front of them.
    """
    right = set(numbers)

    def cell(j: int, content: object) -> Html:
        kind = "number" if j in right else "empty" if content == "" else None
        if j == 0:
            return tag("th", content, scope="row", role="rowheader", class_=kind)
        label = str(header[j]) if not isinstance(header[j], Html) else None
        return tag("td", tag("div", content), data_label=label, role="cell", class_=kind)

    heads = [
        tag("th", head, scope="col", role="columnheader", class_="number" if j in right else None)
        for j, head in enumerate(header)
    ]
    body = [tag("tr", *(cell(j, c) for j, c in enumerate(row)), role="row") for row in rows]
    return tag(
        "table",
        tag("caption", caption if titled else tag("span", caption, class_="hidden")),
        # A table laid out as blocks is no table to a screen reader any more: roles say it again.
        tag("thead", tag("tr", *heads, role="row"), role="rowgroup"),
        Html("\n"),
        tag("tbody", lines(*body), role="rowgroup"),
        role="table",
        class_=class_,
    )


def _attributes(attributes: dict[str, Attribute]) -> Iterable[str]:
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        key = name.rstrip("_").replace("_", "-")
        yield f" {key}" if value is True else f' {key}="{html.escape(str(value))}"'
