"""Policy files: anybody's policy as `.npz` or `.json` (docs/your-policy.md).

A file holds `policy`, or `policy` and `weights`, or `joint`: the arrays that `amg.evaluate` takes.
It is data, and safe to read from anybody: sizes are checked first, and nothing is unpickled.
"""

import json
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from amg.base.errors import FileError
from amg.base.files import read_bytes, read_text
from amg.base.text import choices
from amg.results.archive import ROOM, unpack

LARGEST_JSON = 16 << 20  # bytes
CONTENTS = ({"policy"}, {"policy", "weights"}, {"joint"})
REMEDY = "give it policy, policy and weights, or joint"


def load_policy(path: Path) -> dict[str, Any]:
    """Return the policy in a file as arguments of `amg.evaluate`, which checks the arrays."""
    arrays = _from_json(path) if _is_json(path) else _from_npz(path)
    if "header" in arrays:
        raise FileError(f"{path}: is a run file, which holds its own game; leave out --game")
    if arrays.keys() not in CONTENTS:
        names = choices(map(repr, arrays)) or "nothing"
        raise FileError(f"{path}: is not a policy, it holds {names}; {REMEDY}")
    if "joint" in arrays:
        return {"policy": arrays["joint"], "joint": True}
    return arrays


def holds_policy(path: Path) -> bool:
    """Return whether the file looks like a policy and not like a run."""
    if _is_json(path):
        return True
    with suppress(Exception):  # zipfile has many errors of its own; whoever reads it reports them
        if path.is_file():  # a pipe may have no end
            with zipfile.ZipFile(path) as archive:
                return not {"policy.npy", "joint.npy"}.isdisjoint(archive.namelist())
    return False


def _is_json(path: Path) -> bool:
    return path.suffix.lower() == ".json"


def _from_npz(path: Path) -> dict[str, Any]:
    data = read_bytes(path, ROOM)
    try:
        return unpack(data, ROOM)
    except Exception as error:  # zipfile, zlib, tokenize and numpy each have errors of their own
        raise FileError(
            f"{path}: is not a readable .npz file ({error!r}); write it with numpy.savez, as an "
            f"array of numbers"
        ) from None


def _from_json(path: Path) -> dict[str, Any]:
    text = read_text(path, LARGEST_JSON)
    try:
        found = json.loads(text, parse_constant=_no_number, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path}: is not readable JSON ({error}); correct it") from None
    if not isinstance(found, dict):
        raise FileError(f"{path}: is not a JSON object; {REMEDY}")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object; refuse a name that is there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is there twice")
    return found
