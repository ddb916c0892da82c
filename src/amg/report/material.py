"""What the claims page is made of, read from files and checked."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from amg.analysis.tables import read_table
from amg.errors import FileError
from amg.figures import FIGURES, REFERENCES
from amg.report.environment import Environment
from amg.report.verdicts import Claim

TIMING = ("kind", "job", "seconds", "startup", "peak_mib")


@dataclass(frozen=True)
class Picture:
    """One figure: the picture, its caption (Markdown) and the data in it."""

    name: str
    number: int
    title: str
    caption: str
    png: bytes
    csv: bytes

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels, as the PNG's header has them."""
        if self.png[:8] != b"\x89PNG\r\n\x1a\n":
            raise FileError(f"{self.name}.png: is not a PNG; draw it again")
        return int.from_bytes(self.png[16:20], "big"), int.from_bytes(self.png[20:24], "big")

    @property
    def rows(self) -> int:
        """Rows of data, without the header."""
        return max(self.csv.count(b"\n") - 1, 0)


@dataclass(frozen=True, eq=False)
class Material:
    """Everything on the page."""

    claims: Sequence[Claim]
    pictures: Sequence[Picture]
    references: pd.DataFrame
    timing: pd.DataFrame
    findings: str  # Markdown
    deviations: str  # Markdown
    config: str  # YAML, every default filled in
    facts: Mapping[str, Any]  # of amg.report.captions
    environment: Environment


def read_pictures(directory: Path) -> list[Picture]:
    """Every figure of the study, in order."""
    return [
        Picture(
            name=name,
            number=number,
            title=spec.title,
            caption=read_text(directory / f"{name}.md"),
            png=_read(directory / f"{name}.png"),
            csv=_read(directory / f"{name}.csv"),
        )
        for number, (name, spec) in enumerate(FIGURES.items(), 1)
    ]


def read_references(path: Path) -> pd.DataFrame:
    return read_table(path, REFERENCES)


def read_timing(path: Path) -> pd.DataFrame:
    return read_table(path, TIMING)


def read_text(path: Path) -> str:
    return _read(path).decode("utf-8")


def data_uri(kind: str, data: bytes) -> str:
    """A file inside a page."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}; make it again") from None
