#!/usr/bin/env python3
"""Ends a job whose launcher was killed: a process that outlives the launcher and hears of its end by a pipe."""
import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))  # it is started as a program, too
from regraft_run.processes import kill, processes_with, say

LOOKS = 100  # at what is left of the job
LOOK_EVERY = 0.05  # seconds


class Guardian:
    """The launcher's end of the pipe."""

    def __init__(self, folders: list[str]):
        """folders: they go with the launcher."""
        self.folders = folders
        # It has a session of its own, because signals of a terminal are not for it.
        self.process = subprocess.Popen([sys.executable, "-S", __file__], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                        start_new_session=True)

    def watch(self, variable: str, folders: list[str]) -> None:
        """variable: NAME=VALUE, in the environment of all processes of the job on this host. folders: those of the job."""
        self.tell({"variable": variable, "folders": [*folders, *self.folders]})

    def forget(self) -> None:
        """The job has ended, and nothing is left of it."""
        self.tell({})

    def tell(self, words: dict) -> None:
        assert self.process.stdin
        with contextlib.suppress(OSError):  # if it was killed, the job goes on without it
            self.process.stdin.write(json.dumps(words).encode() + b"\n")
            self.process.stdin.flush()

    def close(self) -> None:
        assert self.process.stdin
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.wait()


def end_job(variable: str) -> None:
    for _ in range(LOOKS):
        left = processes_with(variable)
        if not left:
            return
        for process in left:
            kill(process)
        time.sleep(LOOK_EVERY)


def main() -> None:
    job: dict = {}
    for line in sys.stdin:  # until the launcher is gone
        job = json.loads(line)
    if job:
        say("the launcher was killed; the job is ended")
        end_job(job["variable"])
        for folder in job["folders"]:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
