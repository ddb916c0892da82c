"""How the software is cited: CITATION.cff, and the same facts as codemeta.json."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from amg.base.files import read_text
from amg.inputs.document import load

CITATION, CODEMETA, PYPROJECT = "CITATION.cff", "codemeta.json", "pyproject.toml"
LARGEST = 1 << 20  # bytes of a file
LICENCES = "https://spdx.org/licenses/"
Facts = Mapping[str, Any]


def read_citation(root: Path) -> Facts:
    """Return what CITATION.cff says."""
    facts: Facts = load(root / CITATION, "write it").plain
    return facts


def codemeta(root: Path) -> str:
    """Return the text of codemeta.json."""
    citation = read_citation(root)
    project = tomllib.loads(read_text(root / PYPROJECT, LARGEST))["project"]
    facts = {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": project["name"],
        "alternateName": citation["title"],
        "description": citation["abstract"],
        "version": citation["version"],
        "license": LICENCES + citation["license"],
        "author": [agent(one) for one in citation["authors"]],
        "keywords": citation["keywords"],
        "programmingLanguage": {"@type": "ComputerLanguage", "name": "Python"},
        "runtimePlatform": f"Python {project['requires-python']}",
        "operatingSystem": ["Linux", "macOS"],
        "softwareRequirements": project["dependencies"],
        "referencePublication": [article(one) for one in citation["references"]],
    }
    return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"


def agent(author: Facts) -> dict[str, str]:
    """Return an author of CITATION.cff in the words of schema.org."""
    if "name" in author:
        return {"@type": "Organization", "name": author["name"]}
    names = {"givenName": author["given-names"], "familyName": author["family-names"]}
    return {"@type": "Person", "name": " ".join(names.values()), **names}


def article(reference: Facts) -> dict[str, Any]:
    """Return an article of CITATION.cff in the words of schema.org."""
    return {
        "@type": "ScholarlyArticle",
        "@id": reference["url"],
        "name": reference["title"],
        "author": [agent(author) for author in reference["authors"]],
        "datePublished": reference["year"],
        "identifier": reference["identifiers"][0]["value"],
    }
