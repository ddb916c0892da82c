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


def decimals(rows: Sequence[Sequence[float]]) -> list[list[str]]:
    """Numbers of one unit with six decimals, or six digits where decimals would say nothing."""
    largest = max((abs(x) for row in rows for x in row), default=0.0)
    style = ".6f" if largest == 0 or 1e-3 <= largest < 1e9 else ".6g"
    return [[f"{x:{style}}" for x in row] for row in rows]
