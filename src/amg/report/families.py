"""Snakemake's report with rules drawn by family: one node `train`, not one for each batch of runs.

The workflow has a rule for every batch, which makes Snakemake's graph and its statistics pages
long. The report keeps them as JSON in scripts; these are rewritten, and all else is left as it is.
`python -m amg.report.families FILE` does it in place.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from amg.archive import write_bytes
from amg.errors import AmgError, FileError
from amg.stopping import run_process

FAMILIES = ("train",)
STEP = 50  # between nodes of the graph


def family(rule: str) -> str:
    """What stands for a rule in the report."""
    return next((name for name in FAMILIES if rule.startswith(f"{name}_")), rule)


def grouped(report: str) -> str:
    """The report with families instead of rules."""
    for name, change in {
        "rulegraph_spec": _graph,
        "runtimes_spec": _statistics,
        "timeline_spec": _statistics,
        "rules": _rules,
    }.items():
        report = _replace(report, name, change)
    return report


def _replace(report: str, name: str, change: Callable[[Any], Any]) -> str:
    """Change the value of one variable of the report's scripts."""
    found = re.search(rf"^ *var {name} = (.*);$", report, re.M)
    if found is None:
        raise FileError(f"no {name!r} in it: not a report of a Snakemake version known here")
    # As text of a script: what could end it is written so that it cannot.
    value = json.dumps(change(json.loads(found[1]))).replace("</", "<\\/")
    return report[: found.start(1)] + value + report[found.end(1) :]


def _graph(spec: dict[str, Any]) -> dict[str, Any]:
    data = {part["name"]: part for part in spec["data"]}
    names = [family(node["rule"]) for node in data["node-data"]["values"]]
    kept = list(dict.fromkeys(names))
    data["node-data"]["values"] = [
        {"rule": name, "fx": 10, "fy": j * STEP} for j, name in enumerate(kept)
    ]
    place = {name: j for j, name in enumerate(kept)}
    links = {
        (place[names[link["source"]]], place[names[link["target"]]]): None
        for part in ("link-data", "link-data-direct")
        for link in data[part]["values"]
    }
    for part, direct in (("link-data", False), ("link-data-direct", True)):
        data[part]["values"] = [
            {"source": s, "target": t, "sourcerule": kept[s], "targetrule": kept[t], "value": 1}
            for s, t in links
            if s != t and (t - s == 1) == direct
        ]
    return spec


def _statistics(spec: dict[str, Any]) -> dict[str, Any]:
    """Jobs by family. Those that took no time were touched, not run: a log scale has no place."""
    rows = [row for row in spec["data"]["values"] if row.get("runtime", 1) > 0]
    spec["data"]["values"] = [{**row, "rule": family(row["rule"])} for row in rows]
    return spec


def _rules(rules: dict[str, Any]) -> dict[str, Any]:
    """The first rule of a family speaks for it, with the jobs of all."""
    merged: dict[str, Any] = {}
    for name, rule in rules.items():
        if family(name) in merged:
            merged[family(name)]["n_jobs"] += rule["n_jobs"]
        else:
            merged[family(name)] = dict(rule)
    return merged


def main(arguments: list[str]) -> int:
    (path,) = map(Path, arguments)
    try:
        write_bytes(path, grouped(path.read_text(encoding="utf-8")).encode())
    except AmgError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    run_process("amg.report.families", lambda: main(sys.argv[1:]))
