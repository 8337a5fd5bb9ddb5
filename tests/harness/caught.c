/* caught LIBRARY: rank 1 dies, and rank 2 runs for ever in a loop of LIBRARY (caught_loop.c), whose name is like that
   of a library of Open MPI. The others wait for rank 2 until the launcher ends it, and print how many they are. */
#include <mpi.h>

#include <mpi-ext.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void loop_for_ever(char const* library) {
    void (*loop)(void) = NULL;
    void* const found = dlsym(dlopen(library, RTLD_NOW), "loop_for_ever");
    memcpy(&loop, &found, sizeof loop);
    loop();
}

int main(int argc, char** argv) {
    int rank = 0, size = 0, flag = 1;
    if (argc != 2) return 2;
    MPI_Comm left = MPI_COMM_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        sleep(1); /* all others have left the barrier */
        kill(getpid(), SIGKILL);
    }
    if (rank == 2) loop_for_ever(argv[1]);
    MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
    MPIX_Comm_shrink(MPI_COMM_WORLD, &left);
    MPI_Comm_size(left, &size);
    if (rank == 0) printf("%d go on\n", size);
    MPI_Comm_free(&left);
    MPI_Finalize();
    return 0;
}
