#!/usr/bin/env python3
"""Jobs of kept_killed.cpp, one after the other on the same nodes' folders and other numbers of ranks, all of them killed at unplanned moments.
Each must find what the one before said that it submitted, or something newer; what it finds must be right in every byte. Only if the
folder of a node was removed in between, it may find something older, or say that blocks are lost; with a code whose pieces are on different
nodes, only if two were. A node all of whose ranks have died counts as removed: no survivor is there to open its folder."""
import argparse
import itertools
import pathlib
import random
import re
import shlex
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "apps/launch"))
sys.path.insert(0, str(HERE.parents[1] / "support"))
import run_mpi  # noqa: E402
from regraft_run import watched  # noqa: E402

EVENT = r"^(opened|nothing after|lost after|saved) (\d+) with (\d+) ranks, (\d+) nodes dead$"
RANKS = (8, 5, 4, 7, 6)
SPREAD = (8, 4)  # ranks of which each node has so few that a stripe has one piece on each
MOST = 5  # times as many jobs as were asked for, if too little happens in these


def has_seen_enough(counts: dict[str, int], jobs: int) -> bool:
    return counts["opened"] >= jobs // 3 and counts["saved"] >= 3 * jobs // 2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--launcher", default="")
    parser.add_argument("--exe", required=True)
    parser.add_argument("--jobs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--coded", action="store_true", help="an erasure code in place of copies")
    args = parser.parse_args()
    choice = random.Random(args.seed)
    makers = [0]  # numbers of ranks of the job that said so last, and of those since
    saved, counts = 0, {"opened": 0, "nothing after": 0, "lost after": 0, "saved": 0}
    with tempfile.TemporaryDirectory(dir="/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None) as folder:
        nodes_lost, slowness, lives = 0, 1.0, False
        for number in itertools.count():
            lives = number >= args.jobs and (number >= MOST * args.jobs or has_seen_enough(counts, args.jobs))
            ranks = RANKS[number % len(RANKS)]
            delay = int(slowness * choice.uniform(20_000, 700_000))
            deaths = ",".join(f"{rank}:{delay + choice.randrange(2000)}" for rank in range(ranks))
            env = {"REGRAFT_ARCHIVE": folder, "GTEST_COLOR": "no",
                   "REGRAFT_CAMPAIGN": f"checked={args.seed % 2} coded={int(args.coded)} " + ("saves=2" if lives else f"random={deaths}")}
            outcome = watched.run_watched(args.mpirun, ranks, [args.exe], 60, env, shlex.split(args.launcher))
            text = outcome.output.decode(errors="replace")
            bad = run_mpi.judge(outcome, ranks, set() if lives else set(range(ranks)))
            before, dead_before = counts["saved"], 0
            for event, *numbers in re.findall(EVENT, text, re.M):
                count, present, dead = map(int, numbers)
                counts[event] += 1
                gone = nodes_lost + dead - dead_before
                may_be_lost = gone > 1 or gone == 1 and not (args.coded and set(makers) <= set(SPREAD))
                if event != "saved" and count < saved and not may_be_lost:
                    bad.append(f"job {number}: {event} {count}, but {saved} was submitted and {gone} nodes were lost")
                makers = [present if present == ranks else 0]
                saved, nodes_lost, dead_before = count, 0, dead
            print(f"job {number}: {ranks} ranks, {'none' if lives else 'all'} killed, {saved} submitted so far")
            if bad:
                print(text, *bad, sep="\n")
                return 1
            if lives:
                break
            makers.append(ranks)
            if counts["saved"] == before:  # a busy machine, or a sanitizer: the next jobs live longer
                slowness *= 1.5
            if choice.random() < 0.3:
                shutil.rmtree(pathlib.Path(folder) / str(choice.randrange(4)), ignore_errors=True)
                nodes_lost += 1
    print(counts)
    if not has_seen_enough(counts, args.jobs):
        print("too little happened")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
