/* last_calls VICTIM: what MPI_Finalize calls of the program first. MPI is whole there, whichever ranks have died. */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static MPI_Comm other;

static int tell(MPI_Comm comm, int keyval, void* value, void* state) {
    int rank, size, one = 1, sum = -1;
    (void)comm, (void)keyval, (void)state;
    MPI_Comm_rank(other, &rank);
    MPI_Comm_size(other, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, other);
    if (rank == 0) printf("%s: rank %d of %d, %d add up\n", (char const*)value, rank, size, sum);
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    int rank, first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && rank == atoi(argv[1])) raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell, &first, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell, &second, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, second, "set first");
    MPI_Comm_set_attr(MPI_COMM_SELF, first, "set then");
    MPI_Finalize();
    return 0;
}
