"""Text tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: the first column to the left, all others to the right."""
    cells = [list(header), *(list(row) for row in rows)]
    width = [max(len(row[j]) for row in cells) for j in range(len(header))]
    return [
        "  ".join(
            [row[0].ljust(width[0]), *(row[j].rjust(width[j]) for j in range(1, len(width)))]
        ).rstrip()
        for row in cells
    ]
