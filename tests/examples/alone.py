#!/usr/bin/env python3
"""A program that no launcher has started leaves nothing in the folder through whose files Open MPI's ranks share memory.

alone.py PROGRAM [ARGS...]
"""
import os
import pathlib
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory(prefix="rg") as folder:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_MCA_btl", "PMIX_", "PMI_"))}
    done = subprocess.run(sys.argv[1:], env={**env, "OMPI_MCA_btl_sm_backing_directory": folder}, capture_output=True, text=True, check=False)
    left = [path.name for path in pathlib.Path(folder).iterdir()]
print(done.stdout[-200:])
if done.returncode != 0 or left:
    sys.exit(f"{done.stderr}\nexit code {done.returncode}, left: {left}")
