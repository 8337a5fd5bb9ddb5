/* A program with a profiler linked into it, which answers a call and then calls MPI's profiling interface. */
#include <mpi.h>

static int calls;

int MPI_Allreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    ++calls;
    return PMPI_Allreduce(send, receive, count, type, op, comm);
}

int main(int argc, char** argv) {
    int one = 1, sum = 0, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != size || calls != 1;
}
