#!/usr/bin/env python3
"""Runs one MPI test and judges it by what each rank says, not by mpirun's exit code.

With fault tolerance mpirun exits 0 whichever ranks die, and why, so a crash would pass. Here every rank of the job writes
a verdict (mpi_main.cpp), and the silent ranks must be exactly the victims that the test announced.

Exit codes: 0 passed, 1 failed, 77 skipped (with the reason).
"""
import argparse
import pathlib
import shlex
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "apps/launch"))
sys.path.insert(0, str(ROOT / "tools/setup"))
from canary import SKIPPED, reason_to_skip  # noqa: E402
from regraft_run import watched  # noqa: E402


def judge(outcome: watched.Outcome, ranks: int, victims: set[int]) -> list[str]:
    """What is wrong with this job; empty if nothing."""
    bad = []
    # A campaign ends when as many ranks are dead as were to die. If one of them was caught instead, a victim may live.
    may_live = len(outcome.caught - victims)
    for rank in range(ranks):
        verdict = outcome.verdicts.get(rank, "silent")
        if rank in victims:
            if verdict.startswith("pass ") and may_live > 0:
                may_live -= 1
            elif verdict != "silent":
                bad.append(f"rank {rank}: should have died, but says: {verdict}")
        elif verdict == "silent" and rank in outcome.caught:
            continue  # a fault of Open MPI that the launcher has answered: one more rank is dead, and the others went on
        elif verdict == "silent":
            bad.append(f"rank {rank}: silent, though nobody planned its death")
        elif verdict == "pass 0":
            bad.append(f"rank {rank}: ran no test")
        elif not verdict.startswith("pass "):
            bad.append(f"rank {rank}: {verdict}")
    if outcome.cut_short:
        silent = [str(rank) for rank in range(ranks) if rank not in outcome.verdicts]
        bad.append(f"{outcome.cut_short}; silent ranks: {', '.join(silent) or 'none'}")
    elif not victims and outcome.exit_code != 0:
        bad.append(f"the launcher exited with {outcome.exit_code}")
    return bad


def rank_set(text: str) -> set[int]:
    return {int(rank) for rank in text.split(",") if rank}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, required=True, help="number of ranks")
    parser.add_argument("--victims", type=rank_set, default=set(), help="ranks that must die, e.g. 1,3")
    parser.add_argument("--fail", default="", help="failure plan for the ranks: point:rank:occurrence,...")
    parser.add_argument("--simulated", action="store_true", help="deaths are simulated: works on any MPI")
    parser.add_argument("--timeout", type=float, default=50, help="seconds on a machine that does nothing else")
    parser.add_argument("--canary", type=pathlib.Path, help="result file of the canary for collectives")
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--launcher", default="", help="command to use in place of mpirun and its usual flags")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    program = args.program[1:] if args.program[:1] == ["--"] else args.program

    skip = "" if args.simulated or not args.victims else reason_to_skip(args.canary)
    if skip:
        print(f"SKIPPED: {skip}")
        return SKIPPED
    extra_env = {"REGRAFT_FAIL": args.fail, "GTEST_COLOR": "no"}  # no colours: mpirun gives ranks a terminal of its own
    outcome = watched.run_watched(args.mpirun, args.n, program, args.timeout, extra_env, shlex.split(args.launcher))
    sys.stdout.buffer.write(outcome.output)
    bad = judge(outcome, args.n, args.victims)
    print("\n".join(bad) or f"{args.n - len(args.victims)} ranks passed, {len(args.victims)} died as planned")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
