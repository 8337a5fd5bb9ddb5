#!/usr/bin/env python3
"""caught.py MPIRUN RANK_LIBRARY CAUGHT LOOP: of four ranks one dies and one is caught in a loop. The launcher ends that one, and says so."""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/launch"))
import launch
from regraft_run.caught import can_look

SKIPPED = 77
LIMIT = 300  # seconds; it takes four


def main(mpirun: str, rank_library: str, program: str, loop: str) -> int:
    if not can_look():
        print("SKIPPED: ptrace is not allowed here, so ranks that are caught cannot be found")
        return SKIPPED
    words = [sys.executable, launch.__file__, "--mpirun", mpirun, "--rank-library", rank_library, "-n", "4", "--", program, loop]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        try:
            out, err = job.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            job.terminate()  # twice: the second one ends the job at once
            job.terminate()
            out, err = job.communicate()
    print(out, err, f"exit code {job.returncode}")
    told = [line for line in err.splitlines() if "rank 2 waits in Open MPI for ever" in line]
    return 0 if job.returncode == 0 and out == "2 go on\n" and len(told) == 1 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
