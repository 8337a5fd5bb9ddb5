#!/usr/bin/env python3
"""Says which collectives of an MPI can be trusted: runs jobs of apps/launch/judges/trust.cpp, in which ranks are killed inside calls, and
counts the deaths after which a call returned MPI_SUCCESS and wrong data on some survivor.

trust.py --mpirun PATH --exe TRUST [--deaths N] [CALL...]: writes a table. The exit code is 1 if one of the calls was wrong. Without a
CALL it tries those that the library uses. --seed decides which ranks die and when, as far as the machine's scheduling allows. If a job
hangs, all are repeated: an agreement of Open MPI rarely does not end when the rank dies that tells its result.

With --algorithms the table has a row for each algorithm that Open MPI has for the call, so that users can force one that is right. If no
algorithm of Bcast or Allreduce is right, programs under the shield need --policy COMMIT=confirm. The shield then confirms their results
by a barrier. A rank that died in the call does not come to the barrier, so wrong data are not returned.
"""
import argparse
import pathlib
import sys

import canary

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/launch"))
from regraft_run.canary_jobs import Failed, patiently
from regraft_run.trust_jobs import DEFAULT_ALGORITHMS, NEEDED, algorithms, tallies, tuned_name


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
            except Failed as failure:
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
        found = patiently(
            lambda timeout: tallies(args.mpirun, args.exe, args.calls or NEEDED, args.deaths, args.seed, env, timeout), hangs)
    except Failed as failure:
        sys.exit(str(failure))
    for hang in hangs:
        print(f"repeated: {hang}")
    for name, tally in sorted(found.items()):
        print(f"{name:<21} {tally}")
    return 1 if any(tally.wrong for tally in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
