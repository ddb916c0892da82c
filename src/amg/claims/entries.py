"""The entries of config/claims.yaml: claims of the paper, and the rules that judge them."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, create_model

from amg.base.text import choices
from amg.claims import equilibrium_rules, reward_rules
from amg.claims.evidence import Verdict
from amg.figures import FIGURES
from amg.inputs import document as documents
from amg.inputs.document import Node
from amg.inputs.models import Model, Null, OneOf, Real, Text, validate

# Every public function of these modules is a rule. A rule takes the evidence and, as keyword
# arguments, the thresholds in the entry's `with`, whose types its annotations say.
RULES: dict[str, Callable[..., Verdict]] = {
    name: function
    for module in (reward_rules, equilibrium_rules)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__ and not name.startswith("_")
}
CLAIMS = Path("config/claims.yaml")
JUDGED_FROM = (  # the tables that rules read, of amg.tables
    "references", "returns", "restart", "exploration", "gaps", "slopes", "theory", "coverage",
    "growth", "agents", "agent_slopes", "payoffs", "locality",
)  # fmt: skip


# A whole number is an int, so that sentences show it without a decimal point.
Number = Annotated[Real, AfterValidator(lambda x: int(x) if x.is_integer() else x)]


class Claim(Model):
    """A claim of the paper, and what would count as reproduced."""

    id: Text = Field(
        pattern="^[a-z][a-z0-9-]{0,39}$",
        description="Small letters, digits and hyphens, beginning with a letter",
    )
    title: Text = Field(description="A few words")
    where: Text = Field(description="Where it is in the paper")
    statement: Text = Field(description="What the paper says, quoted or nearly")
    measured: Text = Field(description="What is measured; {name} is a threshold of `with`")
    criterion: Text = Field(
        description="What would count as reproduced; {name} is a threshold of `with`"
    )
    command: Text = Field(description="The command that makes the table and the figure")
    table: Annotated[str, OneOf(JUDGED_FROM)] = Field(
        description="The table it is mainly judged from, without .csv"
    )
    figure: Annotated[Annotated[str, OneOf(FIGURES)] | None, Null] = Field(
        description="The figure that shows it, or null"
    )
    rule: Annotated[str, OneOf(RULES)] = Field(description="A function of amg.claims.rules")
    thresholds: dict[str, Any] = Field(
        alias="with",
        description="The rule's keyword arguments: names of the study, thresholds, printed values",
    )


class ClaimsFile(Model):
    """The paper's claims."""

    claims: list[Claim] = Field(min_length=1, description="One entry for each claim")


def read_claims(path: Path) -> list[Claim]:
    """Return the claims of a file, with thresholds of the types that their rules want."""
    document = documents.load(path, "begin it with 'claims:'")
    claims: dict[str, Claim] = {}
    for j, claim in enumerate(validate(ClaimsFile, document).claims):
        node = document.at("claims", j)
        if claim.id in claims:
            node.at("id").refuse(f"{claim.id!r} is there twice; give every claim its own")
        thresholds = validate(_thresholds(RULES[claim.rule]), node.at("with"))
        texts = {key: _filled(node.at(key), claim.thresholds) for key in ("measured", "criterion")}
        claims[claim.id] = claim.model_copy(update={**texts, "thresholds": vars(thresholds)})
    return list(claims.values())


def _thresholds(rule: Callable[..., Any]) -> type[Model]:
    """Return a model of the rule's keyword arguments."""
    hints = typing.get_type_hints(rule)
    fields: dict[str, Any] = {
        p.name: _readable(hints[p.name])
        for p in inspect.signature(rule).parameters.values()
        if p.kind is p.KEYWORD_ONLY
    }
    return create_model(f"Thresholds of {rule.__name__}", __base__=Model, **fields)


def _readable(hint: Any) -> Any:
    """Return the type that reads texts as what an annotation wants."""
    inner = [_readable(part) for part in typing.get_args(hint)]
    if isinstance(hint, types.UnionType):
        return Annotated[inner[0] | None, Null]
    if typing.get_origin(hint) in (list, dict):
        return Annotated[typing.get_origin(hint)[tuple(inner)], Field(min_length=1)]
    return {str: Text, float: Number}.get(hint, hint)


def _filled(node: Node, thresholds: Mapping[str, Any]) -> str:
    """Return a text with each {name} replaced by that threshold, as it is written in the file."""
    words = {
        name: ", ".join([value] if isinstance(value, str) else value)
        for name, value in thresholds.items()
        if not isinstance(value, dict) and all(isinstance(part, str) for part in value)
    }

    def fill(match: re.Match[str]) -> str:
        if match[1] not in words:
            node.refuse(f"{match[0]!r} is no threshold of `with`; there are {choices(words)}")
        return re.sub(r"^-(?=[\d.])", "−", words[match[1]])

    return re.sub(r"\{(\w*)\}|[{}]", fill, node.plain)
