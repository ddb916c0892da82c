"""A slow disk: on the path of a process, so that it can be killed while it writes."""

import os
import time

_fsync = os.fsync


def fsync(file: int) -> None:
    _fsync(file)
    time.sleep(float(os.environ["SLOW_DISK"]))


os.fsync = fsync
