#!/usr/bin/env python3
"""The import of regraft.mpi refuses an mpi4py that has loaded another MPI library, and what it says to type helps.

other_library.py FOLDER: an environment with MPICH, which comes from PyPI; skipped without network. The environment names regraft and mpi4py."""
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
PROGRAM = "from mpi4py import MPI; import regraft.mpi; print('both on', MPI.Get_library_version()[:8])"


def run(library: str) -> str:
    env = {**os.environ, "MPI4PY_LIBMPI": library}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout


def without_paths() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LD_LIBRARY_PATH")}


def main(folder: pathlib.Path) -> int | str:
    if not any(folder.glob("lib/libmpi.so.12*")):  # it is kept: fetched once
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        command = [folder / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:", "--retries", "1", "mpich"]
        if subprocess.run(command, env=without_paths(), check=False).returncode:
            print("SKIPPED: pip cannot install mpich")
            return SKIPPED
    said = run(str(next(folder.glob("lib/libmpi.so.12*"))))
    if not (found := re.search(r"ImportError: mpi4py and regraft use different MPI libraries: .* Type MPI4PY_LIBMPI=(\S+) before", said)):
        return f"not refused: {said}"
    said = run(found[1])
    return 0 if "both on Open MPI" in said else f"does not help: MPI4PY_LIBMPI={found[1]}: {said}"


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
