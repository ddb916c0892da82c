"""Whether a crate conforms to the profile Provenance Run Crate, without the network."""

from __future__ import annotations

import io
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from requests_cache import CachedSession
from rocrate_validator import services
from rocrate_validator.models import Severity, ValidationSettings
from urllib3 import HTTPResponse

PROFILE = "provenance-run-crate-0.5"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
BIOSCHEMAS = "https://bioschemas.org/"
# The library rocrate has the context of RO-Crate 1.3. Of the terms that our crates use, these have
# another meaning there than in 1.1, and `sha256` is missing in 1.1.
TERMS = {
    "ComputationalWorkflow": f"{BIOSCHEMAS}ComputationalWorkflow",
    "FormalParameter": f"{BIOSCHEMAS}FormalParameter",
    "input": f"{BIOSCHEMAS}ComputationalWorkflow#input",
    "output": f"{BIOSCHEMAS}ComputationalWorkflow#output",
}


def context() -> bytes:
    """Return the JSON-LD context that crates name."""
    document = json.loads(files("rocrate").joinpath("data/ro-crate.jsonld").read_text("utf-8"))
    document["@context"].update(TERMS)
    del document["@context"]["sha256"]
    return json.dumps(document).encode()


class Stored(HTTPAdapter):
    """Answers every request with the context."""

    def send(self, request: PreparedRequest, *_: Any, **__: Any) -> Response:
        body, kind = io.BytesIO(context()), {"Content-Type": "application/ld+json"}
        answer = HTTPResponse(body, kind, status=200, preload_content=False)
        return self.build_response(request, answer)


def issues(crate: Path, scratch: Path) -> list[str]:
    """Return what in a crate breaks a requirement of the profile."""
    with CachedSession(str(scratch / "cache"), backend="sqlite") as session:
        session.mount("https://", Stored())
        session.get(CONTEXT)
    result = services.validate(
        ValidationSettings(
            rocrate_uri=str(crate),
            profile_identifier=PROFILE,
            requirement_severity=Severity.REQUIRED,
            offline=True,
            cache_path=scratch / "cache",
        )
    )
    return [str(issue.message) for issue in result.get_issues()]
