#!/usr/bin/env python3
"""Says which collectives of an MPI can be trusted: runs jobs of tests/support/trust.cpp, in which ranks are killed inside calls, and
counts the deaths after which a call returned MPI_SUCCESS and wrong data on some survivor.

trust.py --mpirun PATH --exe TRUST [--deaths N] [CALL...]: writes a table. The exit code is 1 if one of the calls was wrong. Without a
CALL it tries those that the library uses. --seed decides which ranks die and when, as far as the machine's scheduling allows. If a job
hangs, all are repeated: an agreement of Open MPI rarely does not end when the rank dies that tells its result.

With --algorithms the table has a row for each algorithm that Open MPI has for the call, so that users can force one that is right. If no
algorithm of Bcast or Allreduce is right, programs under the shield need --policy COMMIT=confirm. The shield then confirms their results
by a barrier. A rank that died in the call does not come to the barrier, so wrong data are not returned.
"""
import argparse
import collections
import dataclasses
import pathlib
import subprocess
import sys

import canary

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/launch"))
from regraft_run import watched

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
            timeout: float = TIMEOUT) -> dict[str, Tally]:
    """The tally of each call, after at least so many deaths in all, evenly dealt to the calls. Throws canary.Failed."""
    found: dict[str, Tally] = collections.defaultdict(Tally)
    job = done = 0
    while done < deaths:
        first = done % len(calls)
        program = [exe, str(seed + job), *calls[first:], *calls[:first]]
        for name, tally in one_job(mpirun, program, RANKS[job % len(RANKS)], env or {}, timeout).items():
            found[name] += tally
        job, done = job + 1, sum(tally.deaths for tally in found.values())
    return dict(found)


def one_job(mpirun: str, program: list[str], ranks: int, env: dict[str, str], timeout: float) -> dict[str, Tally]:
    outcome = watched.run_watched(mpirun, ranks, program, timeout, env, [])
    said = set(outcome.verdicts.values())
    if len(said) != 1 or outcome.cut_short:
        symptom = outcome.cut_short or f"the survivors say {sorted(said)}"
        raise canary.Failed(f"{' '.join(program[1:])}, {ranks} ranks", symptom, outcome.cut_short.startswith("hung"))
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


def judge_algorithms(args: argparse.Namespace) -> bool:
    """Writes a row for each algorithm. Returns whether each call has one that was right."""
    all_have = True
    for call in args.calls or NEEDED:
        known = algorithms(args.mpirun, call) or {0: "the only one"}
        right = False
        for number, name in known.items():
            env = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", f"OMPI_MCA_coll_tuned_{tuned_name(call)}_algorithm": str(number)}
            try:
                tally = tallies(args.mpirun, args.exe, [call], args.deaths, args.seed, env)[call]
                right = right or not tally.wrong
                said = str(tally)
            except canary.Failed as failure:
                said = str(failure)
            print(f"{call:<21} {number:>2} {name:<32} {said}", flush=True)
        all_have = all_have and right
    return all_have


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--exe", required=True)
    parser.add_argument("--deaths", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--default-algorithms", action="store_true", help="try the algorithms that Open MPI picks by itself")
    parser.add_argument("--algorithms", action="store_true", help="try each algorithm of each call by itself, with so many deaths")
    parser.add_argument("calls", nargs="*")
    parser.add_argument("--canary", type=pathlib.Path, help="result file of canary.py; if no survivor can be trusted, this is skipped")
    args = parser.parse_args()
    if skip := canary.reason_to_skip(args.canary):
        print(f"SKIPPED: {skip}")
        return canary.SKIPPED
    if args.algorithms:
        return 0 if judge_algorithms(args) else 1
    env = DEFAULT_ALGORITHMS if args.default_algorithms else {}
    hangs: list[str] = []
    try:
        found = canary.patiently(
            lambda timeout: tallies(args.mpirun, args.exe, args.calls or NEEDED, args.deaths, args.seed, env, timeout), hangs)
    except canary.Failed as failure:
        sys.exit(str(failure))
    for hang in hangs:
        print(f"repeated: {hang}")
    for name, tally in sorted(found.items()):
        print(f"{name:<21} {tally}")
    return 1 if any(tally.wrong for tally in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
