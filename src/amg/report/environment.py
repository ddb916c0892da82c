"""What the study ran with, from the provenance that stands beside its results, ready to print."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amg.errors import FileError
from amg.run import KIND, VERSION


@dataclass(frozen=True)
class Environment:
    """Versions and machine, each by name."""

    versions: Mapping[str, str]
    machine: Mapping[str, str]


def read_environment(path: Path) -> Environment:
    try:
        return _environment(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise FileError(
            f"{path}: cannot be read as provenance ({error!r}); make it again"
        ) from None


def _environment(facts: Mapping[str, Any]) -> Environment:
    package, git, machine = facts["package"], facts["git"], facts["machine"]
    memory = machine["memory_bytes"]
    versions = {
        "amg-replication": package["version"],
        "digest of its sources": package["source"],
        "commit": git and git["commit"] + (", with changes" if git["dirty"] else ""),
        "format of result files": f"{KIND}, version {VERSION}",
        "Python": facts["python"],
        **facts["libraries"],
    }
    where = {
        "processor": machine["cpu"],
        "architecture": machine["architecture"],
        "cores": machine["cores"],
        "memory": memory and f"{memory / 2**30:.1f} GiB",
        "system": machine["system"],
        "date of the study": facts["date"],
    }
    return Environment(_known(versions), _known(where))


def _known(facts: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(fact) for name, fact in facts.items() if fact is not None}
