#!/bin/sh
# Expected: Comm.Shrink, Comm.Agree and Comm.Get_failed are those of ULFM (mpi4py documentation: "Shrink: shrink a communicator to remove all
# failed processes"), or raise NotImplementedError, and error classes of different meaning have different numbers.
# What happens: with MPICH, where the wheel of mpi4py has no such calls, they are made of others without a word: Shrink is a duplicate,
# Get_failed an empty group, Agree a reduction. ERR_PROC_FAILED, ERR_PROC_FAILED_PENDING and ERR_REVOKED are all ERR_UNKNOWN.
# A program cannot tell by them that this MPI survives nothing.
# Versions: mpi4py 4.1.2 on MPICH 5.0.2 (both PyPI). Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet mpich==5.0.2 mpi4py==4.1.2
cat > asks.py <<'END'
from mpi4py import MPI

comm = MPI.COMM_WORLD
shrunk, failed = comm.Shrink(), comm.Get_failed()
kind = {MPI.IDENT: "identical", MPI.CONGRUENT: "congruent"}.get(MPI.Comm.Compare(comm, shrunk), "other")
classes = {MPI.ERR_PROC_FAILED, MPI.ERR_PROC_FAILED_PENDING, MPI.ERR_REVOKED}
if comm.rank == 0:
    print(f"Shrink: {kind}, size {shrunk.size}; Get_failed: {failed.size}; three classes are ERR_UNKNOWN: {classes == {MPI.ERR_UNKNOWN}}", flush=True)
END
venv/bin/mpiexec -n 2 venv/bin/python asks.py | tee said.txt
grep -q "Shrink: congruent, size 2; Get_failed: 0; three classes are ERR_UNKNOWN: True" said.txt
echo "as described"
