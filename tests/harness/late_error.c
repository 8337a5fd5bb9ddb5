/* late_error KIND: under regraft-run, what Open MPI does when a transport reports an error that a request has already
 * (late), and what it does at any other error (fatal). */
#include <mpi.h>

#include <stdio.h>
#include <string.h>

void ompi_mpi_errors_are_fatal_comm_handler(MPI_Comm* communicator, int* code, ...);

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int error = MPI_ERR_REQUEST, number = 0;
    if (argc == 2 && strcmp(argv[1], "late") == 0)
        ompi_mpi_errors_are_fatal_comm_handler(NULL, &error, "Send error after request freed");
    else
        MPI_Send(&number, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    printf("goes on\n");
    return MPI_Finalize();
}
