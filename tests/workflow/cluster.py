"""A real Slurm of one node on this machine, for as long as a test takes.

All that it reads and writes lies in one directory, so a Slurm that is at work here is left alone.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol")
NODE, PARTITION, CPUS, MEMORY = "here", "main", 2, 8000
SECONDS = 60.0  # for everything to come up, and to end

CONFIG = """\
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={worker}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
CredType=cred/munge
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd.log
JobCompType=jobcomp/filetxt
JobCompLoc={place}/finished.txt
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
# As configured, not as found: the same cluster on every machine.
SlurmdParameters=config_overrides
NodeName={node} NodeAddr=127.0.0.1 NodeHostname={host} CPUs={cpus} RealMemory={memory}
PartitionName={partition} Nodes={node} Default=YES MaxTime=INFINITE
"""


class Cluster:
    """Where it is, and the environment in which Slurm's commands find it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        # Inside a job the plugin takes SLURM_CONF away, and `srun` would look in /etc/slurm.
        path = f"{place / 'bin'}:{os.environ['PATH']}"
        self.environment = {**os.environ, "SLURM_CONF": str(place / "slurm.conf"), "PATH": path}

    def command(self, *arguments: str) -> str:
        """What one of Slurm's commands prints."""
        done = subprocess.run(
            arguments, env=self.environment, capture_output=True, text=True, timeout=SECONDS
        )
        return done.stdout.strip()

    def finished(self) -> list[dict[str, str]]:
        """The account of every job that has ended, such as JobId, JobState and Name."""
        path = self.place / "finished.txt"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]


def missing() -> list[str]:
    """Programs that are not installed."""
    return [name for name in PROGRAMS if not shutil.which(name, path=_system_path())]


@contextlib.contextmanager
def running(place: Path) -> Iterator[Cluster]:
    """Start a cluster in this new directory; stop just what was started, whatever happens."""
    _lay_out(place)
    cluster = Cluster(place)
    config = str(place / "slurm.conf")
    daemons = {
        "munged": (
            *("--foreground", "--force", f"--socket={place}/munge.socket"),
            *(f"--key-file={place}/munge.key", f"--seed-file={place}/munge.seed"),
            *(f"--pid-file={place}/munged.pid", f"--log-file={place}/munged.log"),
        ),
        "slurmctld": ("-D", "-c", "-f", config),
        "slurmd": ("-D", "-c", "-f", config, "-N", NODE),
    }
    with contextlib.ExitStack() as stack:
        for name, arguments in daemons.items():
            daemon = stack.enter_context(_daemon(place, name, arguments))
            if name == "munged":
                _wait(lambda: (place / "munge.socket").exists(), daemon, place, name)
        stack.callback(_cancel, cluster)  # while the daemons are still there
        idle = ("sinfo", "--noheader", "--format=%T")
        _wait(lambda: cluster.command(*idle) == "idle", daemon, place, "slurmd")
        yield cluster


def _lay_out(place: Path) -> None:
    for name in ("state", "spool", "bin"):
        (place / name).mkdir(parents=True)
    key = place / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(1024))
    controller, worker = _free_ports(2)
    config = CONFIG.format(
        place=place,
        controller=controller,
        worker=worker,
        user=getpass.getuser(),
        host=socket.gethostname(),
        node=NODE,
        cpus=CPUS,
        memory=MEMORY,
        partition=PARTITION,
    )
    (place / "slurm.conf").write_text(config, encoding="utf-8")
    srun = place / "bin" / "srun"
    real = shutil.which("srun", path=_system_path())
    srun.write_text(f'#!/bin/sh\nSLURM_CONF={place}/slurm.conf exec {real} "$@"\n')
    srun.chmod(0o755)


@contextlib.contextmanager
def _daemon(place: Path, name: str, arguments: tuple[str, ...]) -> Iterator[subprocess.Popen]:
    """A child that stays in the foreground, out of reach of the terminal's Ctrl-C."""
    with (place / f"{name}.out").open("w") as output:
        program = shutil.which(name, path=_system_path()) or name
        child = subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _wait(ready: Callable[[], bool], daemon: subprocess.Popen, place: Path, name: str) -> None:
    """Until it is ready; if that takes too long or the daemon ends, say what it said last."""
    deadline = time.monotonic() + SECONDS
    while not ready():
        if daemon.poll() is not None or time.monotonic() > deadline:
            said = [(place / f"{name}.{suffix}") for suffix in ("out", "log")]
            lines = [line for path in said if path.exists() for line in path.open(errors="replace")]
            raise RuntimeError(f"{name} did not come up:\n{''.join(lines[-20:])}")
        time.sleep(0.2)


def _cancel(cluster: Cluster) -> None:
    """End the jobs that are left, which would outlive the daemons."""
    queue = ("squeue", "--noheader", "--format=%A")
    deadline = time.monotonic() + SECONDS
    while (jobs := cluster.command(*queue).split()) and time.monotonic() < deadline:
        cluster.command("scancel", *jobs)
        time.sleep(1)


def _free_ports(number: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _system_path() -> str:
    """Daemons lie where a user's path may not lead."""
    return f"{os.environ['PATH']}:/usr/sbin:/sbin"
