"""Tests in two processes (`-n 2`): each directory in one of them, the longest first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LONGEST = ("workflow", "endurance")  # directories

# Two processes that compile the same kernel at once could spoil numba's cache for each other.
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
if WORKER != "gw0":
    os.environ["NUMBA_CACHE_DIR"] = str(HERE.parent / ".pytest_cache" / "kernels" / WORKER)


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share what is costly to make run in one process, one after another."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    rank = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(_group(item), len(rank)))


def _group(item: pytest.Item) -> str:
    return item.path.relative_to(HERE).parts[0]
