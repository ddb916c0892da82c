"""A copy of the workflow in a scratch directory."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import yaml
from numba.core.caching import _CacheLocator
from terminal import Screen, in_terminal

from amg.kernels import VARIABLE

ROOT = Path(__file__).resolve().parents[2]
SNAKEMAKE = (sys.executable, "-m", "snakemake")
SMOKE = ("--configfile", "config/smoke.yaml")
MESSAGES = {  # how the messages of rules begin; the name of the job follows
    "Compile the kernels of ": "compile",
    "Train one short run ": "trace",
    "Train ": "train",
    "Evaluate exactly: ": "certify",
    "Tables of ": "table",
    "Figure ": "figure",
    "Table and figure of ": "experiment",
    "Judge ": "claims",
}


class Workplace:
    """A scratch copy in which Snakemake can be run.

    It uses the package where that is, or a copy of its own, with the kernels compiled so far.
    """

    screen: Screen  # of the smoke study, if it was run here

    def __init__(self, directory: Path, own_package: bool = False) -> None:
        self.directory = directory
        self.source = (directory if own_package else ROOT) / "src"
        directory.mkdir(parents=True)
        copied = ("Snakefile", "workflow", "profiles", "config", ".test", "environment.yml")
        for name in (*copied, "src") if own_package else copied:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(
                    source, directory / name, ignore=shutil.ignore_patterns("__pycache__")
                )
            else:
                shutil.copy2(source, directory / name)

        if own_package:
            self._take_kernels_along()

    def _take_kernels_along(self) -> None:
        """numba keeps compiled kernels by the place of their sources; a copy has others."""
        compiled = Path(os.environ[VARIABLE])  # a directory for these sources, see amg.kernels
        for source in {path.parent for path in self.source.rglob("*.py")}:
            original = ROOT / "src" / source.relative_to(self.source)
            here, there = map(
                _CacheLocator.get_suitable_cache_subpath, (original / "*", source / "*")
            )
            if (compiled / here).exists():
                shutil.copytree(compiled / here, self.kernels / compiled.name / there)

    @property
    def kernels(self) -> Path:
        """Where kernels are kept that are compiled here."""
        return self.source / "amg" / "__pycache__"

    @property
    def variables(self) -> dict[str, str]:
        """With the package first on the path."""
        return {**os.environ, "PYTHONPATH": str(self.source), VARIABLE: str(self.kernels)}

    def snakemake(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run Snakemake here."""
        done = subprocess.run(
            [*SNAKEMAKE, *arguments],
            cwd=self.directory,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr[-4000:]
        return done

    def said(self, *arguments: str) -> tuple[int, str]:
        """The exit code of a dry run and all it prints, but the note that a profile is used."""
        done = self.snakemake("-n", *arguments, check=False)
        lines = (done.stdout + done.stderr).splitlines(keepends=True)
        note = "Using workflow specific profile"
        return done.returncode, "".join(line for line in lines if not line.startswith(note))

    def smoke(self, *targets: str) -> Screen:
        """Run the smoke study in a terminal, or what its targets need."""
        profile = ["--workflow-profile", "none", "--profile", "profiles/default"]  # as in Makefile
        command = [*SNAKEMAKE, "-c2", *profile, *targets, *SMOKE]
        code, screen = in_terminal(command, self.directory, self.variables)
        assert code == 0, screen.text[-4000:]
        return screen

    def planned(self, *arguments: str) -> dict[str, set[str]]:
        """Return the jobs that a dry run would execute: rules, and the names of their jobs."""
        done = self.snakemake("-n", *SMOKE, *arguments)
        jobs: dict[str, set[str]] = {}
        for message in re.findall(r"^Job \d+: (.*)$", done.stdout + done.stderr, re.M):
            rule = next((rule for start, rule in MESSAGES.items() if message.startswith(start)), "")
            jobs.setdefault(rule or message, set()).add(message.split()[-1])
        return jobs

    def planned_rules(self) -> set[str]:
        """Return the rules in Snakemake's list of jobs for the default study."""
        done = self.snakemake("-n", "--quiet", "rules")
        rows = re.findall(r"^(\w+) +\d+$", done.stdout + done.stderr, re.M)
        return set(rows) - {"total"}

    def edit(self, name: str, change: Callable[[dict], None]) -> None:
        """Change a YAML file."""
        path = self.directory / name
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        change(content)
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")

    def digests(self, *patterns: str) -> dict[str, str]:
        """SHA-256 of every file below the results that matches."""
        base = self.directory / "results"
        files = [path for pattern in patterns for path in base.rglob(pattern) if path.is_file()]
        return {
            str(path.relative_to(base)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(files)
        }
