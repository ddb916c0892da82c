"""The profile for clusters names rules; a name that has gone or come must not go unnoticed."""

from __future__ import annotations

import pytest
import yaml
from workplace import ROOT, Workplace

from amg.process.costs import PHASES

DEFAULT, SLURM = (
    yaml.safe_load((ROOT / place / "config.yaml").read_text(encoding="utf-8"))
    for place in ("profiles/default", "workflow/profiles/slurm")
)
LONGEST_FILE_NAME = 255  # bytes, on every file system that matters


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Every rule of the study and of a sweep."""
    workplace = Workplace(tmp_path_factory.mktemp("profile") / "copy")
    lists = [
        workplace.snakemake("--list", *more).stdout.split()
        for more in ((), ("--config", "sweep=config/sweeps/bonus.yaml"))
    ]
    return {rule for rules in lists for rule in rules} - {"all", "default"}


def test_says_all_that_the_default_profile_says() -> None:
    assert DEFAULT.items() <= SLURM.items()


def test_names_rules_that_exist(rules: set[str]) -> None:
    assert {*SLURM["groups"]} <= rules


def test_leaves_no_rule_out(rules: set[str]) -> None:
    left = rules - {*SLURM["groups"]}
    assert not left, "name them under `groups` in workflow/profiles/slurm/config.yaml"


def test_every_rule_has_a_phase_on_the_terminal(rules: set[str]) -> None:
    """But those that account for the others and are no phase of their own."""
    left = {rule for rule in rules if not rule.startswith("table_")} - PHASES.keys()
    assert left == {"timing", "provenance", "report", "cost"}, "name them in process/costs.py"


def test_every_group_is_cut_into_submissions() -> None:
    assert {*SLURM["groups"].values()} == {*SLURM["group-components"]}


def test_names_of_groups_are_names_of_files(rules: set[str]) -> None:
    # Of five rules at most; where the name is too long, the plugin waits for ever and says nothing.
    for group in SLURM["group-components"]:
        mine = {rule for rule in rules if SLURM["groups"].get(rule) == group}
        longest = sorted(mine, key=len)[-5:]
        name = "_".join(["group", group, *longest, "..."])
        assert len(name.encode()) <= LONGEST_FILE_NAME, name
