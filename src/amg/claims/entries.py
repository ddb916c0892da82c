"""The entries of config/claims.yaml: claims of the paper, and the rules that judge them."""

import inspect
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, create_model

from amg.base.text import choices
from amg.claims import reward_rules, theory_rules
from amg.claims.evidence import Verdict
from amg.figures import FIGURES
from amg.inputs import document as documents
from amg.inputs.document import Node
from amg.inputs.models import Model, Null, OneOf, Text, validate

# Every public function of these modules is a rule. It takes the evidence and, as keyword
# arguments, the thresholds in the entry's `with`. Its annotations are the model of the thresholds.
RULES: dict[str, Callable[..., Verdict]] = {
    name: function
    for module in (reward_rules, theory_rules)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__ and not name.startswith("_")
}
CLAIMS = Path("config/claims.yaml")
JUDGED_FROM = (  # the tables that rules read, of amg.tables
    "references", "returns", "late_returns", "restart", "exploration", "gaps", "baselines",
    "slopes", "local_slopes", "theory", "coverage", "control", "growth", "agents", "agent_slopes",
    "payoffs", "locality",
)  # fmt: skip


class Statement(Model):
    """What the paper says, what is measured, and where to see it."""

    id: Text = Field(pattern="^[a-z][a-z0-9-]{0,39}$", description="Small letters, digits, hyphens")
    title: Text = Field(description="A few words")
    where: Text = Field(description="Where it is in the paper")
    statement: Text = Field(description="What the paper says, quoted or nearly")
    measured: Text = Field(description="What is measured; {name} is a threshold of `with`")
    criterion: Text = Field(description="What counts as reproduced; {name} is a threshold as well")
    turns_on: Annotated[Text | None, Null] = Field(
        description="The number that the verdict turns on, or null if there is no such number"
    )
    command: Text = Field(description="The command that makes the table and the figure")
    table: Annotated[str, OneOf(JUDGED_FROM)] = Field(description="The table that it rests on")
    figure: Annotated[Annotated[str, OneOf(FIGURES)] | None, Null] = Field(
        description="The figure that shows it, or null"
    )


class Claim(Statement):
    """A claim of the paper, and the rule that judges it."""

    rule: Annotated[str, OneOf(RULES)] = Field(
        description="A function of amg.claims.reward_rules or amg.claims.theory_rules"
    )
    thresholds: dict[str, Any] = Field(
        alias="with",
        description="The rule's keyword arguments: names of the study, thresholds, printed values",
    )


class ClaimsFile(Model):
    """The paper's claims."""

    claims: list[Claim] = Field(min_length=1, description="One entry for each claim")


def read_claims(path: Path, names: Mapping[str, Sequence[str]] | None = None) -> list[Claim]:
    """Return the claims of a file, with thresholds of the types that their rules want.

    `names` gives other names of games and learners in place of those in the file. It is how another
    study is judged by the same thresholds.
    """
    document = documents.load(path, "begin it with 'claims:'")
    claims: dict[str, Claim] = {}
    for j, claim in enumerate(validate(ClaimsFile, document).claims):
        node = document.at("claims", j)
        if claim.id in claims:
            node.at("id").refuse(f"{claim.id!r} is there twice; give every claim its own")
        hints = typing.get_type_hints(RULES[claim.rule], include_extras=True)
        fields = {key: hint for key, hint in hints.items() if key not in ("evidence", "return")}
        model = create_model("Thresholds", __base__=Model, **fields)
        written = {key: _renamed(value, names or {}) for key, value in claim.thresholds.items()}
        validated = vars(validate(model, node.at("with"))).items()
        thresholds = {key: _renamed(value, names or {}) for key, value in validated}
        texts = {key: _fill(node.at(key), written) for key in ("measured", "criterion")}
        claims[claim.id] = claim.model_copy(update={**texts, "thresholds": thresholds})
    return list(claims.values())


def _renamed(value: Any, names: Mapping[str, Sequence[str]]) -> Any:
    """Return a name, or each name of a list, as another study has it."""
    if isinstance(value, str):
        return names.get(value, [value])[0]
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return list(dict.fromkeys(new for name in value for new in names.get(name, [name])))
    return value


def _fill(node: Node, thresholds: Mapping[str, Any]) -> str:
    """Return a text with each {name} replaced by that threshold, as it is written in the file."""

    def fill(match: re.Match[str]) -> str:
        if match[1] not in thresholds:
            node.refuse(f"{match[0]!r} is no threshold of `with`; there are {choices(thresholds)}")
        value = thresholds[match[1]]
        text = value if isinstance(value, str) else ", ".join(value)
        return re.sub(r"^-(?=[\d.])", "−", text)

    return re.sub(r"\{(\w*)\}|[{}]", fill, node.plain)
