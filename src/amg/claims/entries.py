"""The entries of config/claims.yaml, read strictly: what is wrong is one line."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from amg import documents
from amg.claims.rules import RULES
from amg.documents import Node
from amg.errors import ParameterError
from amg.figures import FIGURES
from amg.schema import Schema, resolve

CLAIMS = Path("config/claims.yaml")
SCHEMA = Path("workflow/schemas/claims.schema.yaml")
TABLES = (
    "references", "returns", "restart", "exploration", "gaps", "slopes", "theory", "coverage",
    "growth", "agents", "agent_slopes", "payoffs", "locality",
)  # fmt: skip


@dataclass(frozen=True)
class Claim:
    """One claim of the paper, and the rule that judges it."""

    id: str
    title: str
    where: str  # in the paper
    statement: str
    measured: str
    criterion: str  # what would count as reproduced, with the thresholds filled in
    command: str
    table: str
    figure: str | None
    rule: str
    thresholds: dict[str, Any]


def read_claims(path: Path, schema: Schema) -> list[Claim]:
    """The claims of a file: the schema's keys, and names that are known."""
    document = documents.load(path, "begin it with 'claims:'", documents.SMALL)
    claims: list[Claim] = []
    for j, entry in enumerate(resolve(document, schema)["claims"]):
        node = document.at("claims", j)
        if entry["id"] in {claim.id for claim in claims}:
            _refuse(node.at("id"), f"{entry['id']!r} is there twice; give every claim its own")
        _known(node.at("rule"), RULES)
        _known(node.at("table"), TABLES)
        if entry["figure"] is not None:
            _known(node.at("figure"), FIGURES)
        texts = entry.pop("with")
        thresholds = _thresholds(node.at("with"), entry["rule"])
        for key in ("measured", "criterion"):
            entry[key] = _filled(node.at(key), entry[key], texts)
        claims.append(Claim(**entry, thresholds=thresholds))
    return claims


def _refuse(node: Node, problem: str) -> NoReturn:
    node.refuse(problem, ParameterError)


def _known(node: Node, there: Iterable[str]) -> None:
    if node.value not in tuple(there):
        _refuse(node, f"{node.shown} is not known; there are {', '.join(there)}")


def _thresholds(node: Node, rule: str) -> dict[str, Any]:
    """`with` has exactly the keyword arguments of the rule, of the annotated types."""
    hints = typing.get_type_hints(RULES[rule])
    names = [p.name for p in inspect.signature(RULES[rule]).parameters.values()
             if p.kind is p.KEYWORD_ONLY]  # fmt: skip
    given = node.value if isinstance(node.value, dict) else {}
    for name, child in given.items():
        if name not in names:
            _refuse(child, f"is not known to rule {rule}; there are {', '.join(names)}")
    for name in names:
        if name not in given:
            _refuse(node, f"rule {rule} needs {name!r}; add it")
    return {name: _typed(given[name], hints[name]) for name in names}


def _typed(node: Node, hint: Any) -> Any:
    """The value as the str, number, null, list or mapping that the annotation wants."""
    if isinstance(hint, types.UnionType):  # number or null
        if node.value == "null":
            return None
        hint = typing.get_args(hint)[0]
    inner = typing.get_args(hint)
    if typing.get_origin(hint) is list:
        return [_typed(child, inner[0]) for child in node.items()]
    if typing.get_origin(hint) is dict:
        return {key: _typed(child, inner[1]) for key, child in node.entries().items()}
    if hint is float:
        value = node.real()
        return int(value) if value.is_integer() else value
    return node.name()


def _filled(node: Node, text: str, thresholds: Mapping[str, Any]) -> str:
    """The text with {name} replaced by that threshold, so that no number is typed twice."""
    shown = {k: ", ".join(v) if isinstance(v, list) else str(v) for k, v in thresholds.items()
             if not isinstance(v, dict) and all(isinstance(one, str) for one in v)}  # fmt: skip

    def threshold(match: re.Match[str]) -> str:
        if match[1] not in shown:
            _refuse(node, f"{match[0]!r} is no threshold of `with`; there are {', '.join(shown)}")
        return re.sub(r"^-(?=[\d.])", "−", shown[match[1]])

    return re.sub(r"\{(\w*)\}|[{}]", threshold, text)
