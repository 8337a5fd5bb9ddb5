/* A profiler: programs find its functions before those of MPI, which it calls by MPI's profiling interface. */
#include <mpi.h>

int MPI_Init(int* argc, char*** argv) {
    return PMPI_Init(argc, argv);
}

int MPI_Abort(MPI_Comm comm, int code) {
    return PMPI_Abort(comm, code);
}
