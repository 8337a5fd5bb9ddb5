#!/usr/bin/env python3
"""Says whether an MPI survives: runs jobs of apps/launch/judges/canary.cpp, in which ranks are killed, until one goes wrong.

canary.py MODE --mpirun PATH --exe CANARY: the exit code is 0 if all jobs were good, else 77 (skip, with the reason). With
REGRAFT_CANARY=required it is 1 in place of 77. ./run sets this, because it has chosen an MPI that passed.
"""
import argparse
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/launch"))
from regraft_run.canary_jobs import MODES, Failed, check

SKIPPED = 77


def reason_to_skip(result: pathlib.Path | None) -> str:
    """Why real deaths cannot be tested on this MPI, according to the file of a run with --result. Empty if they can."""
    if result is None or not result.exists():
        return ""
    said = json.loads(result.read_text(encoding="utf-8"))
    return "" if said["passed"] else f"the canary found that this MPI does not survive: {said['reason']}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--exe", required=True)
    parser.add_argument("--jobs", type=int, default=6)
    parser.add_argument("--result", type=pathlib.Path, help="write the outcome as JSON, for other tests")
    args = parser.parse_args()
    reason = ""
    try:
        check(args.mpirun, args.exe, args.mode, args.jobs)
    except Failed as failure:
        reason = str(failure)
    if args.result:
        args.result.write_text(json.dumps({"passed": not reason, "reason": reason}), encoding="utf-8")
    if not reason:
        print(f"{args.mode}: {args.jobs} jobs shrank to one survivor")
        return 0
    print("SKIPPED: this MPI does not survive deaths:", reason)
    return 1 if os.environ.get("REGRAFT_CANARY") == "required" else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
