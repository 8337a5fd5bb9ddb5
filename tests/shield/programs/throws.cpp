// throws VICTIM: a program whose error handler throws, and which goes on.
#include <mpi.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace {

void complain(MPI_Comm*, int*, ...) {
    throw std::runtime_error("the handler");
}

}  // namespace

int main(int argc, char** argv) {
    int rank = 0;
    int size = 0;
    int one = 1;
    int sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(complain, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    int caught = 0;
    for (int i = 0; i < 3; ++i) try {
            MPI_Send(&one, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
        } catch (std::runtime_error const&) {
            ++caught;
        }
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && rank == std::atoi(argv[1])) std::raise(SIGKILL);
    // A dead rank is no error, so nothing is thrown.
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int other = 1; rank == 0 && other < size; ++other) {
        MPI_Send(&one, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        MPI_Recv(&one, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank != 0) MPI_Recv(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0) MPI_Send(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) std::printf("caught %d, %d of %d\n", caught, sum, size);
    MPI_Finalize();
}
