"""A process of its own for what might take too much: memory and time are limited and measured."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

# Reads a good file first, so that what imports and compiled code take is not counted.
PROGRAM = """
import importlib, json, resource, sys, time
from pathlib import Path
from amg.base.errors import AmgError

unit = 1 if sys.platform == "darwin" else 1024

def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

module, function, good, *files = sys.argv[1:]
read = getattr(importlib.import_module(module), function)
read(Path(good))
for file in files:
    begun, before, refusal = time.process_time(), used(), None
    try:
        read(Path(file))
    except AmgError as error:
        refusal = str(error)
    print(json.dumps([refusal, time.process_time() - begun, used() - before]), flush=True)
"""


def limited(*arguments: str, memory: int, seconds: int) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments; more address space or time than this ends it."""

    def limit() -> None:
        if sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    return subprocess.run(
        [sys.executable, *arguments], preexec_fn=limit, capture_output=True, text=True, check=False
    )


def measured(
    reader: str, good: str, files: Sequence[str], memory: int = 8 << 30, seconds: int = 120
) -> list[tuple[str | None, float, int]]:
    """What `module:function` refuses each file with, in how many seconds and more bytes."""
    done = limited("-c", PROGRAM, *reader.split(":"), good, *files, memory=memory, seconds=seconds)
    lines: list[Any] = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"died at file {len(lines)}: {done.stderr[-2000:]}"
    return [tuple(line) for line in lines]
