"""Jobs of judges/trust.cpp, in which ranks are killed inside calls. They say which collectives give wrong data then."""
import collections
import dataclasses
import math
import pathlib
import subprocess

from regraft_run import watched
from regraft_run.canary_jobs import Failed

# The library and its programs call these. tests/lint/layers.py checks that they call no other.
NEEDED = ["Allgather", "Allreduce", "Alltoallv", "Barrier", "Bcast", "Gather", "Gatherv", "Reduce", "Scatter", "Scatterv"]
# These are wrong in some versions of Open MPI. Users may call them on native().
NOT_USED = ["Allgatherv", "Reduce_scatter"]
# Open MPI picks its algorithms by itself, in place of those of the launcher.
DEFAULT_ALGORITHMS = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "0"}
RANKS = [6, 10, 16]  # of the jobs, in turn
TIMEOUT = 15  # seconds; a good job takes one


@dataclasses.dataclass
class Tally:
    deaths: int = 0
    wrong: int = 0
    longest_row: int = 0  # the longest row that was wrong, in numbers of eight bytes

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.deaths + other.deaths, self.wrong + other.wrong, max(self.longest_row, other.longest_row))

    def __str__(self) -> str:
        rows = f", with rows of up to {self.longest_row} numbers" if self.wrong else ""
        return f"wrong in {self.wrong} of {self.deaths} deaths{rows}"


def tallies(mpirun: str, exe: str, calls: list[str], deaths: int, seed: int = 1, env: dict[str, str] | None = None,
            timeout: float = TIMEOUT, deadline: float = math.inf) -> dict[str, Tally]:
    """The tally of each call, after at least so many deaths in all, evenly dealt to the calls. Throws Failed.
    deadline: that of run_watched."""
    found: dict[str, Tally] = collections.defaultdict(Tally)
    job = done = 0
    while done < deaths:
        first = done % len(calls)
        program = [exe, str(seed + job), *calls[first:], *calls[:first]]
        for name, tally in one_job(mpirun, program, RANKS[job % len(RANKS)], env or {}, timeout, deadline).items():
            found[name] += tally
        job, done = job + 1, sum(tally.deaths for tally in found.values())
    return dict(found)


def one_job(mpirun: str, program: list[str], ranks: int, env: dict[str, str], timeout: float,
            deadline: float = math.inf) -> dict[str, Tally]:
    outcome = watched.run_watched(mpirun, ranks, program, timeout, env, [], deadline)
    said = set(outcome.verdicts.values())
    if len(said) != 1 or outcome.cut_short:
        symptom = outcome.cut_short or f"the survivors say {sorted(said)}"
        raise Failed(f"{' '.join(program[1:])}, {ranks} ranks", symptom, outcome.cut_short.startswith("hung"))
    words = said.pop().split()[1:]
    return {name: Tally(*map(int, numbers)) for name, *numbers in (word.split(":") for word in words)}


def algorithms(mpirun: str, call: str) -> dict[int, str]:
    """The names of the algorithms that Open MPI has for a call, by the numbers that force them; empty for other MPIs."""
    info = pathlib.Path(mpirun).with_name("ompi_info")
    if not info.exists():
        return {}
    words = [str(info), "--param", "coll", "tuned", "--level", "9", "--parsable"]
    lines = subprocess.run(words, capture_output=True, text=True, check=False).stdout.splitlines()
    mark = f"param:coll_tuned_{tuned_name(call)}_algorithm:enumerator:value:"
    values = [line.split(mark)[1].split(":", 1) for line in lines if mark in line]
    return {int(number): name for number, name in values if int(number) > 0}


def tuned_name(call: str) -> str:
    return call.removesuffix("_strided").lower()
