"""Commands of Snakemake's that can be watched, stopped and killed, and what they leave behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
from workplace import Workplace

HERE = Path(__file__).parent
PHASES = {  # the script of a job tells what it does
    "compile": "compiling",
    "train": "training",
    "trace": "training",
    "certify": "evaluation",
    "figure": "drawing",
    "sweep": "drawing",  # and the table of a sweep
}
AGGREGATION = "aggregation"  # all others
WRITING = "writing"  # a checkpoint
TIMED = ("logs", "benchmarks", "compiled")  # directories of what may differ from run to run
DATED = ("timing.csv", "cost.csv", "provenance.json")
PATIENCE = 1800.0  # seconds, until something is taken to hang


def slowness() -> float:
    """How much longer things take because others are using the machine."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def heed_ctrl_c() -> None:
    """Shells make what they start in the background ignore it, and so would all that we start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Place(Workplace):
    """A scratch copy with an environment of its own."""

    def __init__(self, directory: Path, arguments: list[str], **environment: str) -> None:
        super().__init__(directory)
        self.arguments, self.said, self.umask = arguments, directory, -1
        self.environment = {**os.environ, "PYTHONPATH": str(self.source), **environment}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)

    @property
    def results(self) -> Path:
        return self.directory / "results"

    def slow_disk(self, seconds: float) -> None:
        """Every file takes this much longer to be written, and there are many checkpoints."""
        self.environment |= {
            "PYTHONPATH": os.pathsep.join([str(self.source), str(HERE / "slow_disk")]),
            "SLOW_DISK": str(seconds),
            "AMG_CHECKPOINT_SECONDS": "0.1",
        }

    def start(self, *more: str) -> Command:
        return Command(self, *more)

    def run(self, *more: str) -> str:
        """The command to its end, which is a good one; what it said."""
        command = self.start(*more)
        assert command.wait() == 0, command.said()[-6000:]
        return command.said()

    def made(self) -> dict[str, bytes]:
        """The content of all final files that do not depend on the clock."""
        return {
            str(path.relative_to(self.directory)): path.read_bytes()
            for place in (self.results, self.directory / "figures")
            for path in place.rglob("*")
            if path.is_file() and path.name not in DATED and not set(path.parts) & {*TIMED}
        }

    def logs(self) -> str:
        """What the jobs have written to their logs."""
        logs = (path for path in self.results.rglob("*.log") if path.is_file())
        return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in logs)

    def leftovers(self) -> list[Path]:
        """What nobody needs when a command has finished."""
        return [
            *self.directory.rglob("*.partial"),
            *self.directory.rglob("*.checkpoint"),
            *self.directory.rglob("*.finished"),
            *(self.directory / ".snakemake" / "locks").rglob("*.lock"),
        ]


class Command:
    """Snakemake at work in a place, with its jobs in a process group of their own."""

    def __init__(self, place: Place, *more: str) -> None:
        self.place = place
        self.log = place.said / f"said-{random.getrandbits(64):x}"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "snakemake", *more, *place.arguments],
                cwd=place.directory,
                env=place.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=heed_ctrl_c,
                umask=place.umask,
            )
        self.seen: dict[psutil.Process, str] = {}  # jobs with their phases

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait(self) -> int:
        return self.process.wait(PATIENCE)

    def jobs(self) -> dict[psutil.Process, str]:
        """The jobs that are running, each with its phase."""
        found = {}
        try:
            for process in psutil.Process(self.process.pid).children(recursive=True):
                words = process.cmdline()
                if len(words) > 1 and ".snakemake/scripts/" in words[-1] and "bash" not in words[0]:
                    script = words[-1].split(".")[-2]
                    found[process] = PHASES.get(script, AGGREGATION)
        except psutil.Error:
            pass  # ended meanwhile
        self.seen |= found
        return found

    def reach(self, phase: str) -> bool:
        """Wait until a job of this phase runs; whether one does before all is over."""
        until = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < until, self.said()[-4000:]
            if self._replaces_a_checkpoint() if phase == WRITING else phase in self.jobs().values():
                return True
            time.sleep(0.01 if phase == WRITING else 0.05)
        return False

    def _replaces_a_checkpoint(self) -> bool:
        """Whether one is being written over an earlier one."""
        found = list(self.place.results.rglob("*.checkpoint.*.partial"))
        return any(
            path.with_name(path.name.split(".checkpoint.")[0][1:] + ".checkpoint").exists()
            for path in found
        )

    def kill(self, how: str, phase: str) -> set[str]:
        """End it: its group, the parent, or one job of a phase; the phases it was in."""
        jobs = self.jobs()
        if how == "group":
            os.killpg(self.process.pid, signal.SIGKILL)
        elif how == "parent":
            self.process.kill()
        elif how == "ctrl-c":
            self.interrupt()
        else:
            for job in [job for job, at in jobs.items() if at == phase][:1]:
                job.kill()
        self.wait()
        return set(jobs.values())

    def interrupt(self) -> None:
        """Ctrl-C: it stops within two seconds and with a clean message."""
        patience, begun = 2.0 * slowness(), time.monotonic()
        os.killpg(self.process.pid, signal.SIGINT)
        self.wait()
        assert time.monotonic() - begun < patience
        said = self.said()
        assert self.process.returncode != 0
        assert "interrupted: stopping; the same command goes on from here" in said
        assert "Traceback" not in said
        assert "Error" not in said

    def orphans(self) -> list[psutil.Process]:
        """Jobs that outlive their command by more than a few seconds."""
        _, alive = psutil.wait_procs(list(self.seen), timeout=5 * slowness())
        return alive
