"""Snakemake's report: a caption for every file, filled from the config alone."""

from __future__ import annotations

import json
from typing import Any

import jinja2
import pytest
from docutils.core import publish_parts
from sample import ROOT, material

from amg.errors import FileError
from amg.figures import FIGURES
from amg.report.captions import CLAIMS, TABLES, claims_flags, figure_flags, listed, table_flags
from amg.report.families import grouped

FLAGS = [
    *(figure_flags(name, "png") for name in FIGURES),
    *(table_flags(name) for name in TABLES),
    *(claims_flags(name) for name in CLAIMS),
    {"caption": "../report/workflow.rst"},
]


@pytest.mark.parametrize("caption", sorted({flags["caption"] for flags in FLAGS}))
def test_every_caption_is_there_and_knows_all_it_says(caption: str) -> None:
    text = (ROOT / "workflow" / "rules" / caption).read_text(encoding="utf-8")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True)
    config = {"facts": material([]).facts}
    said = environment.from_string(text).render(snakemake={"config": config})
    links = "".join(f"\n.. _{name}: javascript:0" for name in ("Claims", "Figures", "Tables"))
    settings = {"halt_level": 2, "report_level": 2}
    assert publish_parts(f"{said}\n{links}\n", writer="html", settings_overrides=settings)["body"]
    assert "{" not in said


def test_every_caption_file_is_used() -> None:
    used = {(ROOT / "workflow" / "rules" / flags["caption"]).resolve() for flags in FLAGS}
    assert set((ROOT / "workflow" / "report").rglob("*.rst")) == used


def test_lists_of_names() -> None:
    assert [listed(names) for names in ([], ["a"], ["a", "b", "a"], ["a", "b", "c"])] == [
        "", "a", "a and b", "a, b and c",
    ]  # fmt: skip


def graph(rules: list[str], links: list[tuple[int, int]]) -> str:
    """The parts of Snakemake's report that are rewritten."""
    values: dict[str, Any] = {
        "rulegraph_spec": {
            "data": [
                {"name": "node-data", "values": [{"rule": rule} for rule in rules]},
                {"name": "link-data", "values": [{"source": s, "target": t} for s, t in links]},
                {"name": "link-data-direct", "values": []},
            ]
        },
        "runtimes_spec": {"data": {"values": [{"rule": rule, "runtime": 1} for rule in rules]}},
        "timeline_spec": {"data": {"values": [{"rule": rule} for rule in rules]}},
        "rules": {rule: {"n_jobs": 1, "code": "</script>"} for rule in rules},
    }
    return "".join(f"<script>\n    var {k} = {json.dumps(v)};\n" for k, v in values.items())


def test_training_rules_are_drawn_as_one() -> None:
    rules = ["compile", "train_a", "train_b", "certify", "all"]
    text = grouped(graph(rules, [(0, 1), (0, 2), (1, 3), (2, 3), (0, 4), (3, 4)]))
    lines = [line.split(" = ", 1)[1][:-1] for line in text.splitlines() if "var " in line]
    spec, runtimes, _, merged = map(json.loads, lines)
    nodes, far, near = (part["values"] for part in spec["data"])
    assert [node["rule"] for node in nodes] == ["compile", "train", "certify", "all"]
    assert [(link["source"], link["target"]) for link in near] == [(0, 1), (1, 2), (2, 3)]
    assert [(link["sourcerule"], link["targetrule"]) for link in far] == [("compile", "all")]
    assert [row["rule"] for row in runtimes["data"]["values"]].count("train") == 2
    assert merged["train"]["n_jobs"] == 2
    assert "</script>" not in lines[3]


def test_what_is_no_report_is_refused() -> None:
    with pytest.raises(FileError, match="rulegraph_spec"):
        grouped("<html></html>")
