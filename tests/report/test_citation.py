"""How the software is cited: CITATION.cff is valid, and codemeta.json says the same."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import jsonschema
import pytest
import yaml
from sample import ROOT

from amg.base import VERSION
from amg.report.citation import CODEMETA, agent, codemeta, read_citation

# The schema of the Citation File Format 1.2.0, as in cffconvert 2.0 (CC-BY-4.0, by its authors).
# cffconvert itself needs an older jsonschema than Snakemake.
SCHEMA = json.loads((ROOT / "tests/report/cff-1.2.0.schema.json").read_text(encoding="utf-8"))


def cited() -> dict[str, Any]:
    """What a YAML reader finds in CITATION.cff."""
    content: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    return content


def check(content: dict[str, Any]) -> None:
    jsonschema.Draft7Validator(SCHEMA).validate(content)


def test_the_citation_is_valid() -> None:
    check(cited())


@pytest.mark.parametrize("wrong", [{"authors": []}, {"license": "MITT"}, {"year": 2026}])
def test_a_wrong_citation_is_not_valid(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        check(cited() | wrong)


def test_it_agrees_with_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = cited()
    assert citation["version"] == project["version"] == VERSION
    assert citation["license"] == project["license"]
    assert [one["name"] for one in citation["authors"]] == [
        one["name"] for one in project["authors"]
    ]


def test_codemeta_has_not_drifted() -> None:
    assert (ROOT / CODEMETA).read_text(encoding="utf-8") == codemeta(ROOT), "run `make docs`"


def test_codemeta_says_what_the_citation_says() -> None:
    facts, citation = json.loads(codemeta(ROOT)), read_citation(ROOT)
    assert facts["license"] == "https://spdx.org/licenses/MIT"
    assert facts["description"] == citation["abstract"]
    (paper,) = facts["referencePublication"]
    assert [one["familyName"] for one in paper["author"]] == ["Huang", "Mu", "Chen"]


def test_people_and_groups_are_told_apart() -> None:
    assert agent({"name": "A group"}) == {"@type": "Organization", "name": "A group"}
    person = agent({"given-names": "Ge", "family-names": "Chen"})
    assert (person["@type"], person["name"]) == ("Person", "Ge Chen")
