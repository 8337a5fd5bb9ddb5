/* late_failure: three ranks over TCP on one host. Rank 0 decides an agreement, but its last messages cannot be sent:
 * the others are dead, and their connections broken. It learns of these deaths when the agreement is over. */
#define _GNU_SOURCE
#include <mpi.h>

#include <mpi-ext.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_broken;

/* Open MPI's TCP component calls this one, as the program comes before all libraries. */
__attribute__((visibility("default"))) ssize_t writev(int file, struct iovec const* parts, int count) {
    if (is_broken && gettid() == getpid()) {
        errno = ECONNRESET;
        return -1;
    }
    return syscall(SYS_writev, file, parts, count);
}

static void progress(double seconds) {
    int found = 0;
    for (double const start = MPI_Wtime(); MPI_Wtime() - start < seconds;)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    int rank = 0, flag = 1, process = getpid(), processes[3] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Allgather(&process, 1, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD);
    if (rank == 0) {
        progress(.2); /* what the others contribute arrives */
        kill(processes[1], SIGKILL);
        kill(processes[2], SIGKILL);
        is_broken = 1;
    }
    MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
    is_broken = 0;
    progress(.1);
    printf("goes on with %d\n", flag);
    return MPI_Finalize();
}
