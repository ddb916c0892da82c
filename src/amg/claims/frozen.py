"""What verdicts are made by, as digests, and whether it is still what was frozen.

Thresholds, rules and analysis were chosen after a first look at the study. So `make freeze` writes
their digests to config/frozen.json, and only then the confirmatory study runs, on new seeds and new
games. Its verdicts are a test as long as nothing of this has changed since.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from amg.base.errors import FileError
from amg.base.files import read_text, write_text
from amg.base.sources import ROOT, digest_files
from amg.base.text import join_words
from amg.inputs import document

FROZEN = Path("config/frozen.json")
LARGEST = 1 << 16  # bytes of the file
FILES = {  # what people write
    "thresholds": "config/claims.yaml",
    "universes": "config/multiverse.yaml",
    "confirmatory study": "config/confirm.yaml",
}
MODULES = {  # what computes
    "rules": ("claims/evidence.py", "claims/reward_rules.py", "claims/theory_rules.py"),
    "analysis": (
        "tables/gaps.py", "tables/intervals.py", "tables/returns.py", "tables/stages.py",
        "multiverse/evidence.py", "multiverse/judge.py", "multiverse/file.py",
    ),
}  # fmt: skip
TEXTS = ("id", "rule", "with")  # of a claim; its other keys are for readers
Digests = dict[str, str]


def digests(root: Path) -> Digests:
    """Return the digest of each part: files without comments and prose, modules without either."""
    written = {part: _written(root / path) for part, path in FILES.items()}
    computed = {
        part: digest_files(ROOT / "amg" / module for module in modules)
        for part, modules in MODULES.items()
    }
    return {**written, **computed}


def _written(path: Path) -> str:
    """Return the SHA-256 of what a YAML file says, for the claims of their thresholds alone."""
    plain: Any = document.load(path, "write it").plain
    if "claims" in plain and isinstance(plain["claims"], list):
        plain = [{key: claim.get(key) for key in TEXTS} for claim in plain["claims"]]
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def freeze(root: Path) -> Path:
    """Write the digests of what verdicts are made by."""
    path = root / FROZEN
    write_text(path, json.dumps(digests(root), indent=2) + "\n")
    return path


def read_frozen(root: Path) -> Digests:
    """Return what is frozen; nothing if there is no file."""
    path = root / FROZEN
    if not path.exists():
        return {}
    try:
        return TypeAdapter(Digests).validate_json(read_text(path, LARGEST))
    except ValidationError:
        raise FileError(f"{path}: holds no digests; make it again with `make freeze`") from None


def changed(before: Digests, now: Digests) -> list[str]:
    """Return the parts that are not the same any more."""
    return [part for part in now if before.get(part) != now[part]]


def total(parts: Digests) -> str:
    """Return one digest for all parts."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def status(frozen: Digests, *judged_by: Digests) -> str:
    """Return "confirmatory", or "exploratory" and what has changed since it was frozen."""
    if not frozen:
        return "exploratory: nothing is frozen"
    parts = list(dict.fromkeys(part for one in judged_by for part in changed(frozen, one)))
    if not parts:
        return "confirmatory"
    return f"exploratory: {join_words(parts)} changed since they were frozen"
