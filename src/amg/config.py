"""A study's config: files laid over each other, strictly read, mistakes in one line.

Snakemake's own reader of configs takes the last of two equal keys, follows aliases, makes `no` a
truth value and `1e5` a text, and runs what a file asks it to (`__use_yte__`). So the workflow reads
the files itself: config/config.yaml, over it each `--configfile`, over these each `--config`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from pathlib import Path

from amg import documents
from amg.documents import Node
from amg.errors import ParameterError

CONFIG = Path("config/config.yaml")
SCHEMA = Path("workflow/schemas/config.schema.yaml")
REMEDY = "write at least one 'key: value', as in config/config.yaml"


def read_config(files: Sequence[Path], settings: Sequence[str] = ()) -> Node:
    """The files, each laid over those before it, and `key=value` settings over them all."""
    layers = [_layer(path) for path in files]
    if settings:
        layers.append(_command_line(settings))
    if not layers:
        raise ParameterError(f"there is no config; name one with --configfile, like {CONFIG}")
    return reduce(lay_over, layers)


def lay_over(lower: Node, upper: Node) -> Node:
    """What `upper` says, and what `lower` says where `upper` says nothing."""
    if not (isinstance(lower.value, dict) and isinstance(upper.value, dict)):
        return upper
    both = Node(lower.file, lower.parent, lower.key)
    both.line = lower.line
    both.value = {
        **lower.value,
        **{
            key: lay_over(lower.value[key], child) if key in lower.value else child
            for key, child in upper.value.items()
        },
    }
    return both


def _layer(path: Path) -> Node:
    """One file, by the shortest name it has from here: Snakemake tells the longest."""
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    document = documents.load(path, REMEDY, documents.SMALL)
    document.entries()
    return document


def _command_line(settings: Sequence[str]) -> Node:
    """`key=value` settings as a document of which each is a line."""
    for setting in settings:
        if "=" not in setting or not setting.isprintable():
            raise ParameterError(f"--config: {setting!r} is not of the form key=value")
    lines = (": ".join(setting.split("=", 1)) for setting in settings)
    return documents.parse("\n".join(lines), "--config", REMEDY)
