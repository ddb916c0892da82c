"""What jobs will take: known from earlier runs or estimated, corrected by those that are done."""

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PRIOR_SECONDS = 5.0  # of work that counts for the estimate, beside the jobs that are done
LEAST_SHARE = 0.1  # of its time that a job is taken to have left while it runs

PHASES = {  # by rule: the phase, and the seconds of a job of which nothing is known
    "compile": ("compile", 20.0),
    "train": ("train", 2.0),
    "trace": ("train", 2.0),
    "certify": ("certify", 3.0),
    "table": ("tables", 2.0),
    "figure": ("figures", 3.0),
    "experiment": ("figures", 4.0),
    "sweep": ("figures", 4.0),
    "specification_curve": ("figures", 3.0),
    "claims": ("claims", 4.0),
    "universes": ("claims", 60.0),
}


@dataclass
class Job:
    """One job of a command."""

    phase: str
    seconds: float  # that it is expected to take
    begun: float | None = None
    taken: float | None = None

    def run_for(self) -> float:
        """Return for how many seconds it has been running."""
        return 0.0 if self.begun is None else time.monotonic() - self.begun


@dataclass
class Jobs:
    """All jobs of a command."""

    by_id: dict[int, Job] = field(default_factory=dict)
    cores: int | None = None  # that share them; None if that is not known, as on a cluster

    @property
    def done(self) -> list[Job]:
        """Return the jobs that are done."""
        return [job for job in self.by_id.values() if job.taken is not None]

    def left(self) -> float | None:
        """Return the seconds until all jobs are done, or None as long as nothing can tell."""
        if not self.done or self.cores is None:
            return None
        pace = self._pace()
        waits = [
            max(pace[job.phase] * job.seconds - job.run_for(), LEAST_SHARE * job.run_for())
            for job in self.by_id.values()
            if job.taken is None
        ]
        return max(sum(waits) / self.cores, *waits, 0.0)

    def share(self) -> float:
        """Return the share of all work that is done, by the time that it takes."""
        done = sum(job.seconds for job in self.done)
        running = sum(
            min(job.run_for(), (1 - LEAST_SHARE) * job.seconds)
            for job in self.by_id.values()
            if job.taken is None
        )
        total = sum(job.seconds for job in self.by_id.values())
        return (done + running) / total if total else 1.0

    def _pace(self) -> dict[str, float]:
        """Return by which factor the jobs of each phase take longer than expected."""
        taken: defaultdict[str, float] = defaultdict(lambda: PRIOR_SECONDS)
        expected: defaultdict[str, float] = defaultdict(lambda: PRIOR_SECONDS)
        for job in self.done:
            taken[job.phase] += job.taken or 0.0
            expected[job.phase] += job.seconds
        return {phase: taken[phase] / expected[phase] for phase in self._phases()}

    def _phases(self) -> set[str]:
        return {job.phase for job in self.by_id.values()}


def expected(rule: str, benchmark: str, estimates: Mapping[str, float]) -> Job:
    """Return a job with its phase and what it will take: as before, or as estimated."""
    phase, typical = PHASES.get("table" if rule.startswith("table_") else rule, ("", 1.0))
    try:
        before = float(Path(benchmark).read_text(encoding="utf-8").split("\n")[1].split()[0])
    except (OSError, ValueError, LookupError):
        before = estimates.get(benchmark, typical)
    return Job(phase, before)
