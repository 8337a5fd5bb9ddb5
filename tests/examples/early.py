#!/usr/bin/env python3
"""Programs have the same result if a rank dies before they have made their communicator.

early.py --mpirun PATH --rank-library PATH --dies-early PATH RESULT PROGRAM [ARGS...]   RESULT: a pattern, with a group that is the same
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

LAUNCH = pathlib.Path(__file__).resolve().parents[2] / "apps/launch/launch.py"
RANKS = 4


def result(args: argparse.Namespace, env: dict[str, str]) -> tuple[str, str]:
    """What the program says is its result, and all that it prints."""
    name = f"early-{os.getpid()}"
    command = [sys.executable, LAUNCH, "--mpirun", args.mpirun, "--rank-library", args.rank_library, "--job", name, "-n", str(RANKS), args.program,
               *args.arguments]
    job = subprocess.run(command, env=os.environ | env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         timeout=200, check=False)
    found = re.findall(args.result, job.stdout, re.M)
    if job.returncode != 0 or len(found) != 1:
        sys.exit(f"{job.stdout}\nexit code {job.returncode}, expected 0 and one result")
    if left := list(pathlib.Path("/dev/shm").glob(f"regraft-{name}*")):
        sys.exit(f"{job.stdout}\n{left}: expected that nothing is left of a job that has ended well")
    return found[0], job.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--mpirun", "--rank-library", "--dies-early"):
        parser.add_argument(name, required=True)
    parser.add_argument("result")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    right, _ = result(args, {})
    for victim in range(RANKS):
        found, text = result(args, {"LD_PRELOAD": args.dies_early, "DIES_EARLY": str(victim)})
        print(f"rank {victim} dies early: {found}")
        if found != right or f"rank {victim} dies early\n" not in text:
            sys.exit(f"{text}\nexpected the death of rank {victim}, and {right}")


if __name__ == "__main__":
    main()
