"""What a sweep shows, in sentences whose every number is computed.

A sweep file lists findings by kind, each with options; a kind is a module here with a frozen
dataclass that reads its options (`read`) and writes its sentence (`sentence`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from amg.documents import Node
from amg.sweep.findings.against import Against
from amg.sweep.findings.extremes import Extremes
from amg.sweep.findings.least import Least
from amg.sweep.findings.many_agents import ManyAgents
from amg.sweep.findings.options import Options
from amg.sweep.findings.power import Power
from amg.sweep.findings.trade import Trade

if TYPE_CHECKING:
    import pandas as pd

    from amg.sweep.table import Results


class Finding(Protocol):
    """One thing to say of a sweep."""

    def sentence(self, results: Results, table: pd.DataFrame) -> str: ...


KINDS: dict[str, Callable[[Options], Finding]] = {
    "extremes": Extremes.read,
    "against": Against.read,
    "power": Power.read,
    "least": Least.read,
    "trade": Trade.read,
    "many_agents": ManyAgents.read,
}


def read_findings(
    node: Node | None, known: dict[str, list[str]], measures: tuple[str, ...]
) -> tuple[Finding, ...]:
    """The findings of a sweep file, given the values of its axes and what it measures."""
    if node is None:
        return (Extremes(measures[0], {}),)
    findings = []
    for entry in node.items():
        for kind, options in entry.fields((), KINDS).items():
            findings.append(KINDS[kind](Options(options, known, measures)))
    return tuple(findings)
