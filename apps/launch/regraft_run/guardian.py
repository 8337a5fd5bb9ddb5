#!/usr/bin/env python3
"""Ends a job whose launcher was killed: a process that outlives the launcher and hears of its end by a pipe."""
import atexit
import contextlib
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))  # it is started as a program, too
from regraft_run.processes import kill, processes_with, say

LOOKS = 100  # at what is left of the job
LOOK_EVERY = 0.05  # seconds


def prefix_of(launcher: int) -> str:
    """How the names of all temporary folders of this process begin."""
    return f"rg{launcher}_"


class Guardian:
    """The launcher's end of the pipe."""

    def __init__(self) -> None:
        # It has a session of its own, because signals of a terminal are not for it.
        self.process = subprocess.Popen([sys.executable, "-S", __file__, str(os.getpid()), tempfile.gettempdir()], stdin=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL, start_new_session=True)

    def watch(self, variable: str) -> None:
        """variable: NAME=VALUE, in the environment of all processes of the job on this host."""
        self.tell(variable)

    def forget(self) -> None:
        """The job has ended, and nothing is left of it."""
        self.tell("")

    def tell(self, line: str) -> None:
        assert self.process.stdin
        with contextlib.suppress(OSError):  # if it was killed, the job goes on without it
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()

    def close(self) -> None:
        assert self.process.stdin
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.wait()


@functools.cache
def of_this_process() -> Guardian:
    """The guardian, which begins when it is needed for the first time."""
    guardian = Guardian()
    atexit.register(guardian.close)
    return guardian


def end_job(variable: str) -> None:
    for _ in range(LOOKS):
        left = processes_with(variable)
        if not left:
            return
        for process in left:
            kill(process)
        time.sleep(LOOK_EVERY)


def main() -> None:
    launcher, temporary = sys.argv[1:]
    job = ""
    for line in sys.stdin:  # until the launcher is gone
        job = line.strip()
    if job:
        say("the launcher was killed; the job is ended")
        end_job(job)
    for place in {"/tmp", "/dev/shm", temporary}:
        for folder in pathlib.Path(place).glob(prefix_of(int(launcher)) + "*"):
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
