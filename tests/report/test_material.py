"""The content of the claims page, read from files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sample import all_claims, material, png

from amg.base.errors import FileError
from amg.claims.judge import to_json
from amg.figures import FIGURES
from amg.report.page import read_material, read_provenance, write_page
from amg.study.provenance import provenance


@pytest.fixture
def files(tmp_path: Path) -> dict[str, list[Path]]:
    """Write the files of a study."""
    content = material()
    texts = {
        "claims": to_json(all_claims()),
        "findings": content.findings,
        "references": content.references.to_csv(index=False),
        "timing": content.timing.to_csv(index=False),
        "provenance": json.dumps(provenance(tmp_path)),
        "config": content.config,
        "deviations": content.deviations,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for picture in content.pictures:
        (tmp_path / f"{picture.name}.png").write_bytes(picture.png)
        (tmp_path / f"{picture.name}.csv").write_bytes(picture.csv)
        (tmp_path / f"{picture.name}.md").write_text(picture.caption, encoding="utf-8")
    figures = sorted(tmp_path.glob("*.png"))
    return {"figures": figures, **{name: [tmp_path / name] for name in texts}}


def test_everything_is_read_as_it_was_written(files: dict[str, list[Path]]) -> None:
    expected = material()
    content = read_material(files, expected.facts)
    assert content.claims == expected.claims
    assert content.pictures == expected.pictures
    assert content.findings == expected.findings
    assert content.references.equals(expected.references)
    assert list(content.timing["job"]) == list(expected.timing["job"])


def test_the_page_is_written(files: dict[str, list[Path]], tmp_path: Path) -> None:
    write_page(files, material().facts, tmp_path / "report" / "claims.html")
    page = (tmp_path / "report" / "claims.html").read_text(encoding="utf-8")
    assert "A claim that is reproduced" in page


@pytest.mark.parametrize("name", ["claims", "findings", "provenance", "config"])
def test_a_missing_file_is_one_line(files: dict[str, list[Path]], name: str) -> None:
    (path,) = files[name]
    path.unlink()
    with pytest.raises(FileError, match=f"{path}: cannot be read") as error:
        read_material(files, {})
    assert "\n" not in str(error.value)


def test_provenance_is_read_as_it_is_written(files: dict[str, list[Path]]) -> None:
    versions, machine = read_provenance(files["provenance"][0])
    assert {"amg-replication", "format of result files", "numpy"} <= versions.keys()
    assert machine["cores"]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"package": 1, "git": 2, "machine": 3}'])
def test_damaged_provenance_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "provenance.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=str(path)) as error:
        read_provenance(path)
    assert "\n" not in str(error.value)


def test_a_picture_knows_its_size_rows_and_caption() -> None:
    picture = material().pictures[0]
    assert picture.png == png()
    assert picture.size == (20, 10)
    assert picture.rows == 1
    assert not picture.text.startswith(f"**{FIGURES[picture.name].title}")
    with pytest.raises(FileError, match="is not a PNG"):
        _ = replace(picture, png=b"GIF").size
