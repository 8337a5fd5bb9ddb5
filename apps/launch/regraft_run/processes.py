"""Processes of a job, on this host."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def to_stderr() -> Iterator[None]:
    """A context that writes to standard error. If nobody reads that any more, the job goes on, and all that is still to come goes nowhere,
    also what Python has kept for its end: otherwise it would end with 120."""
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stderr.fileno())
        os.close(nowhere)


def say(text: str, who: str = "regraft-run") -> None:
    with to_stderr():
        print(f"{who}: {text}", file=sys.stderr, flush=True)


def is_gone(process: int) -> bool:
    return not pathlib.Path("/proc", str(process)).exists()


def kill(process: int, number: int = signal.SIGKILL) -> None:
    with contextlib.suppress(OSError):  # it has ended already, or belongs to another user
        os.kill(process, number)


def processes_that(condition: Callable[[pathlib.Path], bool]) -> list[int]:
    """condition: is given the folder of a process below /proc."""
    found = []
    for process in pathlib.Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):  # the process has ended already, or belongs to another user
                if condition(process):
                    found.append(int(process.name))
    return found


def processes_with(variable: str) -> list[int]:
    """Processes of a job. Ranks have process groups of their own, but all carry this variable in their environment."""
    return processes_that(lambda process: variable.encode() in (process / "environ").read_bytes().split(b"\0"))


def kill_job(job: subprocess.Popen, variable: str) -> None:
    """Kills what is left of a job."""
    if job.poll() is None:
        job.kill()
    for process in processes_with(variable):
        kill(process)


def end_session(job: subprocess.Popen) -> None:
    """Ends what an mpirun that is over has left in its session: remote shells to nodes that were lost, which would keep our output open."""
    for process in processes_that(lambda process: os.getsid(int(process.name)) == job.pid):
        kill(process, signal.SIGTERM)
