#!/usr/bin/env python3
"""caught.py MPIRUN RANK_LIBRARY CAUGHT LOOP: of four ranks one dies and one is caught in a loop. The launcher ends that one, and says so."""
import pathlib
import subprocess
import sys

LAUNCH = pathlib.Path(__file__).resolve().parents[2] / "apps/launch/launch.py"


def main(mpirun: str, rank_library: str, program: str, loop: str) -> int:
    words = [sys.executable, str(LAUNCH), "--mpirun", mpirun, "--rank-library", rank_library, "-n", "4", "--", program, loop]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr, f"exit code {done.returncode}")
    told = [line for line in done.stderr.splitlines() if "rank 2 waits in Open MPI for ever" in line]
    return 0 if done.returncode == 0 and done.stdout == "2 go on\n" and len(told) == 1 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
