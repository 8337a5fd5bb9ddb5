#!/usr/bin/env python3
"""Jobs of disk_killed.cpp or snapshot_killed.cpp, one after the other on the same archive and other numbers of ranks, all of them killed at
unplanned moments. Each must find what the one before said that it saved, or something newer; the last one lives."""
import argparse
import pathlib
import random
import re
import shlex
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "apps/launch"))
sys.path.insert(0, str(HERE.parents[1] / "support"))
import run_mpi  # noqa: E402
from regraft_run import watched  # noqa: E402

RANKS = (8, 5, 3, 1, 4)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--launcher", default="")
    parser.add_argument("--canary", type=pathlib.Path)
    parser.add_argument("--exe", required=True)
    parser.add_argument("--jobs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if skip := run_mpi.reason_to_skip(args.canary):
        print(f"SKIPPED: {skip}")
        return run_mpi.SKIPPED
    choice = random.Random(args.seed)
    saved, found_any, bad = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.jobs + 1):
            lives = number == args.jobs
            ranks = RANKS[number % len(RANKS)]
            delay = int(choice.uniform(20_000, 700_000))
            deaths = ",".join(f"{rank}:{delay + choice.randrange(2000)}" for rank in range(ranks))
            env = {"REGRAFT_ARCHIVE": str(pathlib.Path(folder) / "archive"), "GTEST_COLOR": "no",
                   "REGRAFT_CAMPAIGN": "saves=2" if lives else f"random={deaths}"}
            outcome = watched.run_watched(args.mpirun, ranks, [args.exe], 60, env, shlex.split(args.launcher))
            text = outcome.output.decode(errors="replace")
            bad += run_mpi.judge(outcome, ranks, set() if lives else set(range(ranks)))
            for event, count in re.findall(r"^(opened|nothing after|saved) (\d+)$", text, re.M):
                found_any += event == "opened"
                if event != "saved" and int(count) < saved:
                    bad.append(f"job {number}: {event} {count}, but {saved} was saved")
                saved = max(saved, int(count))
            print(f"job {number}: {ranks} ranks, {'none' if lives else 'all'} killed, {saved} saved so far")
            if bad:
                print(text, *bad, sep="\n")
                return 1
    if found_any < args.jobs // 2 or saved < 3:
        print(f"too little happened: {found_any} jobs found something, {saved} saves")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
