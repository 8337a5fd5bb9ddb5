"""Jobs in the background, for tests: every rank that lives to the end writes a verdict."""
import contextlib
import dataclasses
import itertools
import math
import os
import pathlib
import subprocess
import tempfile
import time

from regraft_run import openmpi
from regraft_run.caught import WHY_CAUGHT, Caught
from regraft_run.folders import job_folders
from regraft_run.processes import kill, kill_job, processes_that, say

GRACE = 5.0  # seconds until a job is ended in which a rank has failed; other ranks may wait for that rank for ever


@dataclasses.dataclass
class Outcome:
    verdicts: dict[int, str]  # by rank, e.g. "pass 3"; a rank that is missing was silent
    exit_code: int
    output: bytes
    cut_short: str  # why the job was killed; empty if it ended by itself
    caught: set[int] = dataclasses.field(default_factory=set)  # ranks that Open MPI would have kept for ever, and that were ended


def run_watched(mpirun: str, ranks: int, program: list[str], timeout: float, extra_env: dict[str, str],
                launcher: list[str] | None, deadline: float = math.inf) -> Outcome:
    """Runs a job in a session of its own and collects the verdicts. Nothing of it is left behind, whatever happens.
    timeout: seconds on a machine that does nothing else. launcher: used in place of mpirun and its flags if not empty. None: a single
    rank is started by itself, which takes a fraction of the time. deadline: when the job is killed however busy the machine is, by
    time.monotonic()."""
    words = openmpi.command(mpirun, ranks, program)
    if launcher is None:
        words = program
    elif launcher:
        words = [*launcher, "-n", str(ranks), *program]
    for _ in range(openmpi.ATTEMPTS):
        with job_folders() as folders, tempfile.TemporaryFile() as log:
            verdicts = pathlib.Path(folders.tmp, "verdicts")
            verdicts.mkdir()
            env = {**openmpi.environment(mpirun, folders), **extra_env, "REGRAFT_VERDICTS": str(verdicts)}
            job = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
            try:
                cut_short, ended = watch(job, ranks, verdicts, timeout, deadline)
            finally:
                kill_job(job, f"REGRAFT_VERDICTS={verdicts}")
            log.seek(0)
            outcome = Outcome(read_verdicts(verdicts), job.wait(), log.read(), cut_short, ended)
        if openmpi.LAUNCHER_FAULT not in outcome.output:
            break
        print(openmpi.TRY_AGAIN)
    return outcome


def watch(job: subprocess.Popen, ranks: int, verdicts: pathlib.Path, timeout: float, deadline: float = math.inf) -> tuple[str, set[int]]:
    """Waits for the end of a job, for its timeout, in seconds of a machine that does nothing else, or for the deadline. Returns why the job
    has to be killed, or an empty text if it has ended, and the ranks that were ended because Open MPI would have kept them for ever."""
    ended: set[int] = set()
    left, reason = timeout, f"hung: killed after {timeout:g} s"
    failed = False
    caught, processes = Caught(), []  # the ranks that were ever seen
    before = time.monotonic()
    for turn in itertools.count():
        if job.poll() is not None:
            break
        if turn % 50 == 0 and turn > 0:  # each second
            seen = ranks_of(verdicts)
            caught.after_a_death |= len(seen) < ranks  # also of one that nobody has ever seen
            processes = sorted({*processes, *seen})
        if turn % (5 if caught.after_a_death else 50) == 0:
            for process in caught.look(processes):
                rank = rank_of(process)
                ended.add(rank)
                say(f"rank {rank} {WHY_CAUGHT}")
                kill(process)
        now = time.monotonic()
        left -= (now - before) / slowdown(ranks)
        before = now
        if left < 0:
            return reason, ended
        if now > deadline:
            return "hung: killed at its deadline", ended
        if not failed and any(verdict.startswith("fail") for verdict in read_verdicts(verdicts).values()):
            failed = True
            left, reason = min(left, GRACE), f"killed {GRACE:g} s after a rank had failed"
        time.sleep(0.02)
    return "", ended


def ranks_of(verdicts: pathlib.Path) -> list[int]:
    """The processes that Open MPI has started as ranks of this job."""
    def is_rank(process: pathlib.Path) -> bool:
        variables = (process / "environ").read_bytes().split(b"\0")
        return f"REGRAFT_VERDICTS={verdicts}".encode() in variables and any(each.startswith(b"OMPI_COMM_WORLD_RANK=") for each in variables)

    return processes_that(is_rank)


def rank_of(process: int) -> int:
    """The rank of such a process; -1 if it has gone meanwhile."""
    with contextlib.suppress(OSError):
        for variable in pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0"):
            if variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                return int(variable.partition(b"=")[2])
    return -1


def slowdown(ranks: int) -> float:
    """A lower bound of the time that a job takes now, over its time on an idle machine. A job waits for its slowest rank at every step. So
    what counts is how many processes are before that rank in the queue for a core, and not the job's share of the cores."""
    runnable = int(pathlib.Path("/proc/loadavg").read_text(encoding="ascii").split()[3].split("/")[0])
    cores = os.cpu_count() or 1
    return 1 + max(0, runnable - max(ranks, cores)) / cores


def read_verdicts(directory: pathlib.Path) -> dict[int, str]:
    return {int(file.name): file.read_text(encoding="utf-8").strip() for file in directory.iterdir() if file.name.isdigit()}
