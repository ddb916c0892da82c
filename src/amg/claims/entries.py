"""The entries of config/claims.yaml, read strictly: what is wrong is one line."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from amg.claims.rules import RULES
from amg.config import resolve
from amg.errors import FileError, ParameterError
from amg.figures import FIGURES

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


def read_claims(path: Path, schema: Mapping[str, Any]) -> list[Claim]:
    """The claims of a file."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        said = " ".join(str(error).split())
        raise FileError(f"{path}: cannot be read as YAML: {said}") from None
    if not isinstance(content, dict):
        raise FileError(f"{path}: must be a mapping with the key claims")
    return check_claims(content, schema, path.name)


def check_claims(content: Mapping[str, Any], schema: Mapping[str, Any], name: str) -> list[Claim]:
    """The claims of a parsed file: the schema's keys, and names that are known."""
    claims: list[Claim] = []
    for entry in resolve(content, schema, name)["claims"]:
        place = f"{name}: claim {entry['id']}"
        if entry["id"] in {claim.id for claim in claims}:
            raise ParameterError(f"{place}: is there twice; give every claim its own id")
        _known(f"{place}: rule", entry["rule"], RULES)
        _known(f"{place}: table", entry["table"], TABLES)
        if entry["figure"] is not None:
            _known(f"{place}: figure", entry["figure"], FIGURES)
        thresholds = entry.pop("with")
        _check_thresholds(place, entry["rule"], thresholds)
        for key in ("measured", "criterion"):
            entry[key] = _filled(f"{place}: {key}", entry[key], thresholds)
        claims.append(Claim(**entry, thresholds=thresholds))
    return claims


def _known(place: str, name: str, there: Any) -> None:
    if name not in there:
        raise ParameterError(f"{place} = {name!r} is not known; there are {', '.join(there)}")


def _check_thresholds(place: str, rule: str, given: Mapping[str, Any]) -> None:
    """`with` has exactly the keyword arguments of the rule, of the annotated types."""
    function = RULES[rule]
    names = [p.name for p in inspect.signature(function).parameters.values()
             if p.kind is p.KEYWORD_ONLY]  # fmt: skip
    for name in given:
        if name not in names:
            raise ParameterError(
                f"{place}: with.{name} is not known to rule {rule}; there are {', '.join(names)}"
            )
    hints = typing.get_type_hints(function)
    for name in names:
        if name not in given:
            raise ParameterError(f"{place}: rule {rule} needs with.{name}; add it")
        if not _fits(given[name], hints[name]):
            wanted = getattr(hints[name], "__name__", str(hints[name]))
            raise ParameterError(f"{place}: with.{name} = {given[name]!r} is no {wanted}")


def _fits(value: Any, hint: Any) -> bool:
    """Is it a str, a float (or int), a list or dict of these, or one of several?"""
    if isinstance(hint, types.UnionType):
        return any(_fits(value, one) for one in typing.get_args(hint))
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is list:
        return isinstance(value, list) and len(value) > 0 and all(_fits(v, inner[0]) for v in value)
    if origin is dict:
        return isinstance(value, dict)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, hint)


def _filled(place: str, text: str, thresholds: Mapping[str, Any]) -> str:
    """The text with {name} replaced by that threshold, so that no number is typed twice."""
    shown = {k: ", ".join(map(str, v)) if isinstance(v, list) else v for k, v in thresholds.items()}
    try:
        return text.format_map(shown).replace("-0.", "−0.")
    except (KeyError, ValueError, IndexError):
        raise ParameterError(
            f"{place}: fits not every {{…}} of {text!r}; there are {', '.join(shown)}"
        ) from None
