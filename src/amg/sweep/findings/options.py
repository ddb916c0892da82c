"""Options of a finding: axes, their values and measures, checked against the sweep."""

from __future__ import annotations

from collections.abc import Sequence

from amg.documents import Node


class Options:
    """The mapping below a finding's kind."""

    def __init__(self, node: Node, axes: dict[str, list[str]], measures: Sequence[str]) -> None:
        self.node, self.axes, self.measures = node, axes, measures
        self.given: dict[str, Node] = {}

    def fields(self, required: Sequence[str], optional: Sequence[str] = ()) -> None:
        """What must and what may be given."""
        self.given = self.node.fields(required, optional)

    def axis(self, name: str) -> str:
        return self._one_of(self.given[name], list(self.axes), "axis")

    def value(self, name: str, axis: str) -> str:
        return self._one_of(self.given[name], self.axes[axis], f"value of {axis}")

    def measure(self, name: str) -> str:
        return self._one_of(self.given[name], self.measures, "measure of this sweep")

    def measure_list(self, name: str) -> tuple[str, ...]:
        nodes = self.given[name].items()
        return tuple(self._one_of(node, self.measures, "measure of this sweep") for node in nodes)

    def number(self, name: str) -> float:
        return self.given[name].real()

    def where(self) -> dict[str, str]:
        """The part of the sweep that is looked at: values by axis."""
        if "where" not in self.given:
            return {}
        chosen = self.given["where"].fields((), self.axes)
        return {
            axis: self._one_of(node, self.axes[axis], f"value of {axis}")
            for axis, node in chosen.items()
        }

    @staticmethod
    def _one_of(node: Node, known: Sequence[str], what: str) -> str:
        if node.text() not in known:
            node.refuse(f"{node.shown} is not a{'n' if what[0] == 'a' else ''} {what}; there are "
                        f"{', '.join(known)}")  # fmt: skip
        return node.text()
