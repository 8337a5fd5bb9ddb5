#!/usr/bin/env python3
"""All ranks of the last step of docs/mpi/resilient.md die, and its next start goes on: resilient_restarted.py --mpirun PATH --rank-library PATH PROGRAM

Each start is killed after five commits, that is after half of the steps. So a job that began again at the first step would never end.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

LAUNCHER = pathlib.Path(__file__).resolve().parents[2] / "apps/launch/launch.py"
RANKS, RESTARTS = 4, 3
TIMEOUT = 200  # seconds for what hangs


def main() -> int | str:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--rank-library", required=True)
    parser.add_argument("program")
    args = parser.parse_args()
    name = f"resilient-{os.getpid()}"

    def start(*words: str) -> tuple[list[str], str]:
        command = [sys.executable, str(LAUNCHER), "--mpirun", args.mpirun, "--rank-library", args.rank_library, "--job", name,
                   "--restarts", str(RESTARTS), "-n", str(RANKS), args.program, *words]
        job = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL)
        print(job.stdout, job.stderr)
        if job.returncode != 0:
            sys.exit(f"exit code {job.returncode}")
        return re.findall(r"^eigenvalue (\S+)$", job.stdout, re.M), job.stderr

    expected, _ = start()
    found, said = start(",".join(f"snapshot-swap:after:{rank}:4" for rank in range(RANKS)))
    if len(found) != 1 or found != expected:
        return f"{found} instead of {expected}"
    if "(restart 1 of" not in said:
        return "no start was lost"
    return f"left: {left}" if (left := list(pathlib.Path("/dev/shm").glob(f"regraft-{name}*"))) else 0


if __name__ == "__main__":
    sys.exit(main())
