"""The rules of the Snakemake workflow catalogue for workflows of standard usage.

They are: workflow/Snakefile, rules in .smk files, config/README.md, and a card that says what is
true; and what its pages tell users to do works: `--directory .test`, and snakedeploy, which copies
config/ and writes a Snakefile that uses this workflow as a module from its host.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from platformdirs import user_cache_dir
from workplace import ROOT, Workplace

from amg.base import VERSION

CARD = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))
CI = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
SNAKEMAKE = "from snakemake.cli import main; main()"
DEPLOYED = """
configfile: "config/config.yaml"

module amg:
    snakefile:
        github("someone/amg", path="workflow/Snakefile", tag="v1")
    config:
        config

use rule * from amg
"""


def test_what_the_catalogue_looks_for_is_there() -> None:
    for path in ("workflow/Snakefile", "config/README.md", "config/config.yaml", "LICENSE"):
        assert (ROOT / path).is_file()
    assert {path.suffix for path in (ROOT / "workflow/rules").iterdir()} == {".smk"}
    assert f"\n## {VERSION} (" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    assert "snakemake" in readme
    assert "workflow" in readme


def test_the_card_has_the_keys_that_the_catalogue_reads() -> None:
    assert CARD.keys() == {"usage"}
    assert CARD["usage"].keys() == {"mandatory-flags", "software-stack-deployment", "report"}
    assert CARD["usage"]["mandatory-flags"].keys() == {"desc", "flags"}
    methods = CARD["usage"]["software-stack-deployment"]
    assert methods.keys() == {"conda", "apptainer"}
    assert all(isinstance(works, bool) for works in methods.values())


@pytest.mark.parametrize(
    ("method", "works"), CARD["usage"]["software-stack-deployment"].items(), ids=str
)
def test_the_card_says_truly_how_software_is_deployed(
    workplace: Workplace, method: str, works: bool
) -> None:
    code, said = workplace.said("--sdm", method)
    assert (code == 0) == works
    if not works:
        assert said.startswith(f"error: --sdm {method}: Snakemake cannot make")
        assert said.count("\n") == 1


def test_without_the_package_one_line_says_what_to_do(tmp_path: Path) -> None:
    command = f"import sys; sys.path.remove({str(ROOT / 'src')!r}); {SNAKEMAKE}"
    done = subprocess.run(
        [sys.executable, "-c", command, "-n", "--snakefile", ROOT / "workflow/Snakefile"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("error: Python has no package amg; make the workflow's env")
    assert done.stderr.count("\n") == 1


def test_the_directory_for_tests_runs_the_study_in_miniature(workplace: Workplace) -> None:
    """Elsewhere a config of the working directory is laid over the workflow's."""
    small = jobs(workplace, "--directory", ".test")
    assert small == jobs(workplace, "--configfile", "config/smoke.yaml")


def jobs(workplace: Workplace, *arguments: str) -> dict[str, int]:
    """How many jobs of each rule a dry run lists."""
    catalogue = ("--snakefile", "workflow/Snakefile")
    done = workplace.snakemake(*catalogue, *arguments, "-n", "--quiet", "rules")
    rows = re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, re.M)
    return {rule: int(count) for rule, count in rows}


def test_as_snakedeploy_puts_it_into_an_empty_directory(
    workplace: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repository is where Snakemake keeps it once it has got it from its host."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache = Path(user_cache_dir("snakemake", "snakemake"))
    kept = cache / "snakemake/source-cache/snakemake-git-cache/github.com/someone/amg"
    (workplace.directory / "docs").mkdir()
    shutil.copy(ROOT / "docs/deviations.md", workplace.directory / "docs")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a", "-C", workplace.directory]
    clone = ["clone", "-q", "--bare", ".", kept]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "1"], ["tag", "v1"], clone):
        subprocess.run([*git, *command], check=True)

    here = tmp_path / "here"
    shutil.copytree(ROOT / "config", here / "config")
    (here / "workflow").mkdir()
    (here / "workflow/Snakefile").write_text(DEPLOYED, encoding="utf-8")
    where = ("--snakefile", str(here / "workflow/Snakefile"), "--directory", str(here))
    workplace.snakemake("-c1", "results/tables/payoffs.csv", *where)
    assert (here / "results/tables/payoffs.csv").exists()
    assert jobs(workplace, "all", "report", *where)["report"] == 1


# --- continuous integration ----------------------------------------------------------------------


def test_ci_runs_make_targets_and_actions_of_one_version() -> None:
    steps = [step for job in CI["jobs"].values() for step in job["steps"]]
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    commands = [step["run"].split() for step in steps if "run" in step]
    assert all(command[0] == "make" and command[1] in targets for command in commands)
    assert {"lint", "smoke", "test", "report"} <= {command[1] for command in commands}
    actions = [step["uses"] for step in steps if "uses" in step]
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+\.\d+\.\d+", action) for action in actions)
