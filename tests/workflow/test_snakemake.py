"""Snakemake: bad configs in one line, settings that reach jobs, other directories, modules."""

from __future__ import annotations

from pathlib import Path

import pytest
from workplace import ROOT, Workplace

from amg.study.config import CONFIG as PATH
from amg.study.config import read_config


def said(workplace: Workplace, *arguments: str) -> str:
    """What a refused dry run says, all of it; nothing is left behind."""
    before = set(workplace.directory.rglob("*"))
    code, said = workplace.said(*arguments)
    assert code != 0
    made = set(workplace.directory.rglob("*")) - before
    assert not [path for path in made if not {".snakemake", "__pycache__"} & set(path.parts)]
    return said


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"seeds: 3\nseeds: 4\n", "2: seeds: repeats the key of line 1; keep one"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [
                (b"seeds: [\n", "2: not YAML: did not find expected node content"),
                (b"\xff\xfe", " byte 0 is not UTF-8; save it as UTF-8"),
                (b"__use_yte__: true\nseeds: ?open('ran', 'w')", "1: __use_yte__: unknown key"),
            ]
        ),
    ],
)
def test_snakemake_refuses_a_bad_config_in_one_line(
    workplace: Workplace, content: bytes, says: str
) -> None:
    (workplace.directory / PATH).write_bytes(content)
    message = said(workplace)
    assert message.startswith(f"error: {PATH}:{says}")
    assert message.count("\n") == 1


@pytest.mark.slow
def test_snakemake_names_the_file_and_the_line(workplace: Workplace) -> None:
    (workplace.directory / "mine.yaml").write_text("batch: 2\nlearners:\n  v-cv: {p: 2}\n")
    message = said(workplace, "--configfile", "config/smoke.yaml", "mine.yaml")
    assert message.startswith("error: config/config.yaml:36: experiments.rewards: game 'fishermen'")
    assert "p = 2 must lie in (0, 1]" in message
    message = said(workplace, "--configfile", "mine.yaml", "--config", "seeds=5", "batch=0")
    assert message.startswith("error: --config:2: batch: '0' must be greater than or equal to 1")
    (workplace.directory / PATH).unlink()
    assert said(workplace).startswith(f"error: {PATH}: cannot be read: No such file")


def test_settings_reach_the_jobs(workplace: Workplace) -> None:
    """Jobs read the Snakefile again, in a process of their own; 0.10 stays 0.10."""
    mine = workplace.directory / "mine.yaml"
    mine.write_text("seeds: 4\nbatch: 3\nresults: elsewhere\nlearners: {explorer: {rate: 0.10}}\n")
    given = ("seeds=5", "confidence=0.90")
    target = "elsewhere/tables/references.csv"
    workplace.snakemake("-c1", target, "--configfile", "mine.yaml", "--config", *given)
    assert (workplace.directory / target).exists()
    code, said = workplace.said("--configfile", "mine.yaml", "--config", *given)
    assert code == 0
    assert "Train fishermen/explorer/seeds-4-5" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    "target", ["evaluations/../../x.csv", "evaluations/x.csv", "compiled/os", "runs/../x.npz"]
)
def test_files_that_the_study_has_not_are_made_by_no_rule(
    workplace: Workplace, target: str
) -> None:
    message = said(workplace, f"results/{target}")
    assert "No rule to produce" in message
    assert "Traceback" not in message


# --- elsewhere -----------------------------------------------------------------------------------

MODULE = """
module amg:
    snakefile: "{root}/workflow/Snakefile"
    config: {{"seeds": 1, "experiments": {{"rewards": {{"episodes": [500]}}}}}}

use rule * from amg
"""


@pytest.mark.parametrize("snakefile", ["Snakefile", "workflow/Snakefile"])
def test_a_working_directory_that_is_empty(
    workplace: Workplace, tmp_path: Path, snakefile: str
) -> None:
    """Every file of the study goes below the working directory."""
    empty = tmp_path / "empty"
    empty.mkdir()
    path = workplace.directory / snakefile
    target = "results/smoke/tables/payoffs.csv"
    smoke = str(workplace.directory / "config" / "smoke.yaml")
    where = ("-s", str(path), "--directory", str(empty), "--configfile", smoke)
    workplace.snakemake("-c1", target, *where)
    assert (empty / target).exists()
    assert not (workplace.directory / "results").exists()


def test_as_a_module_of_another_workflow(workplace: Workplace, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "Snakefile").write_text(MODULE.format(root=workplace.directory), encoding="utf-8")
    where = ("-s", str(other / "Snakefile"), "--directory", str(other))
    workplace.snakemake("-c1", "results/tables/payoffs.csv", *where)
    assert (other / "results/tables/payoffs.csv").exists()
    code, said = workplace.said(*where)
    assert code == 0
    assert "Train fishermen/centralized-q/seeds-1-1" in said
    text = (other / "Snakefile").read_text(encoding="utf-8")
    (other / "Snakefile").write_text(text.replace('"seeds": 1', '"seeds": 0'), encoding="utf-8")
    code, said = workplace.said(*where)
    assert code != 0
    assert said.startswith("error: config:1: seeds: '0' must be greater than or equal to 1")


def test_the_list_of_jobs_reads_like_the_study(workplace: Workplace) -> None:
    rules = workplace.planned_rules()
    assert {"compile", "train", "certify", "table_games", "figure", "claims"} <= rules
    assert len(rules) <= 20
    assert all(rule.replace("_", "").isalpha() for rule in rules)


def test_the_shipped_config_is_the_default(workplace: Workplace) -> None:
    config, _ = read_config([ROOT / PATH])
    assert (config.results, config.figures) == ("results", "figures")
