#!/usr/bin/env python3
"""All ranks of a program die again and again, and each start goes on from what the one before has kept on the node: the result is that of a
job without deaths, no start begins anew, and nothing is left in the folder. A job without a name tells it, and goes on by it. A job that
outlives a death leaves nothing either.

restarted.py --mpirun PATH --rank-library PATH [--ranks N] [--deaths N] [--restarts N] PROGRAM [OPTION...]

--deaths N     all ranks die when they have committed for the N-th time in a start, counted from 0 (default: 3)
--restarts N   how often the job has to start again (default: 2)
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

LAUNCHER = pathlib.Path(__file__).resolve().parents[2] / "apps/launch/launch.py"
TIMEOUT = 120  # seconds for what hangs


def main() -> int | str:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--rank-library", required=True)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--deaths", type=int, default=3)
    parser.add_argument("--restarts", type=int, default=2)
    args, program = parser.parse_known_args()
    run = [sys.executable, str(LAUNCHER), "--mpirun", args.mpirun, "--rank-library", args.rank_library]
    ranks = ["-n", str(args.ranks), "--"]

    def start(words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL)

    def result(words: list[str]) -> tuple[str, str]:
        job = start(words)
        found = re.findall(r"^result (\S+)", job.stdout, re.M)
        if job.returncode != 0 or len(found) != 1:
            sys.exit(f"{' '.join(words)}\n{job.stdout}{job.stderr}exit code {job.returncode}")
        return found[0], job.stderr

    expected, _ = result([*run, *ranks, *program])
    plan = ",".join(f"snapshot-swap:after:{rank}:{args.deaths}" for rank in range(args.ranks))
    with tempfile.TemporaryDirectory() as folder:
        found, said = result([*run, "--restarts", str(args.restarts), *ranks, *program, "--keep", folder, "--fail", plan])
        print(said)
        if found != expected:
            return f"{found} instead of {expected}"
        if f"(restart {args.restarts} of" not in said:
            return f"fewer than {args.restarts} restarts"
        if left := list(pathlib.Path(folder).iterdir()):
            return f"left: {left}"
        keep = [*ranks, *program, "--keep", folder]
        lost = start([*run, *keep, "--fail", plan])
        named = re.search(r"--job (\S+) --resume", lost.stderr)
        if lost.returncode == 0 or not named:
            return f"not told how to go on:\n{lost.stderr}"
        died = f"snapshot-swap:after:{args.ranks - 1}:1"
        found, said = result([*run, "--job", named[1], "--resume", *keep, "--fail", died])
        if found != expected or "the job has left" in said:
            return f"{found} instead of {expected}, and it said:\n{said}"
        if left := list(pathlib.Path(folder).iterdir()):
            return f"left after a death: {left}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
