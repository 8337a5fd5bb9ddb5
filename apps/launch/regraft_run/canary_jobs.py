"""Jobs of judges/canary.cpp, in which ranks are killed. They say whether an MPI survives."""
import math
import os
import typing

from regraft_run import watched

RANKS = [16, 8, 4]  # of the jobs, in turn; with more ranks there are more messages in flight
TIMEOUT = 15  # seconds; a good job takes half a second
# The same in turn. A hang counts only if it has come with each of these limits: a single one may be the fault of a busy machine.
PATIENCE = [TIMEOUT, 4 * TIMEOUT, 4 * TIMEOUT]
MODES = ["outside", "collectives", "point-to-point"]


class Failed(Exception):
    """A job did not end as it should."""

    def __init__(self, job: str, symptom: str, hung: bool):
        super().__init__(f"{job}: {symptom}")
        self.hung = hung


def patiently(judge: typing.Callable[[float], typing.Any], hangs: list[str], patience: typing.Sequence[float] = ()) -> typing.Any:
    """What judge(timeout) returns. If a job hangs, all jobs are repeated with more time. Each hang is added to hangs, with how busy the
    machine was. patience: the timeouts in turn, in place of PATIENCE."""
    *timeouts, last = patience or PATIENCE
    for timeout in timeouts:
        try:
            return judge(timeout)
        except Failed as failure:
            if not failure.hung:
                raise
            hangs.append(f"{failure}, while {os.getloadavg()[0]:.0f} processes wanted {os.cpu_count()} cores")
    return judge(last)


def check(mpirun: str, exe: str, mode: str, jobs: int, timeout: float = TIMEOUT, deadline: float = math.inf) -> None:
    """Throws Failed for the first job that does not end with exactly one survivor that found nothing wrong.
    deadline: that of run_watched."""
    for seed in range(jobs):
        ranks = RANKS[seed % len(RANKS)]
        outcome = watched.run_watched(mpirun, ranks, [exe, mode, str(seed)], timeout, {}, [], deadline)
        if len(outcome.verdicts) != 1 or outcome.cut_short:
            raise Failed(f"{mode}, {ranks} ranks, seed {seed}", symptom(outcome), outcome.cut_short.startswith("hung"))


def symptom(outcome: watched.Outcome) -> str:
    """The line of the output that is most likely to name the cause."""
    if outcome.cut_short:
        return outcome.cut_short
    lines = outcome.output.decode(errors="replace").splitlines()
    for clue in ["request freed", "Signal:", "rror"]:
        for line in lines:
            if clue in line:
                return line.strip()[-100:]
    return f"{len(outcome.verdicts)} ranks say that they are the last survivor, launcher exited with {outcome.exit_code}"
