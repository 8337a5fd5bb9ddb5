/* any_source HOW [SECONDS]: rank 0 receives a message of each other rank by MPI_ANY_SOURCE, and prints what came.
 * Rank 1 dies before it sends one, and rank 3 sends its own SECONDS later. */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most = 16, tag = 4 };

static int data[most], errors;
static MPI_Status statuses[most];

static void count_error(MPI_Comm* comm, int* code, ...) {
    (void)comm;
    (void)code;
    ++errors;
}

static int is(char const* how, char const* name) {
    return !strcmp(how, name);
}

/* Receives the messages one after the other. */
static void receive(char const* how, int i, MPI_Comm comm) {
    MPI_Request request;
    int flag = 0, index;
    if (is(how, "probe")) {
        MPI_Probe(MPI_ANY_SOURCE, tag, comm, &statuses[i]);
        MPI_Recv(&data[i], 1, MPI_INT, statuses[i].MPI_SOURCE, tag, comm, &statuses[i]);
    } else if (is(how, "probe-sendrecv")) {
        MPI_Probe(MPI_ANY_SOURCE, tag, comm, &statuses[i]);
        MPI_Sendrecv(&i, 1, MPI_INT, MPI_PROC_NULL, tag, &data[i], 1, MPI_INT, statuses[i].MPI_SOURCE, tag, comm,
                     &statuses[i]);
    } else if (is(how, "probe-mprobe")) {
        MPI_Message message;
        MPI_Probe(MPI_ANY_SOURCE, tag, comm, &statuses[i]);
        MPI_Mprobe(statuses[i].MPI_SOURCE, tag, comm, &message, &statuses[i]);
        MPI_Mrecv(&data[i], 1, MPI_INT, &message, &statuses[i]);
    } else if (is(how, "iprobe")) {
        while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &statuses[i]);
        MPI_Recv(&data[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &statuses[i]);
    } else if (is(how, "mprobe")) {
        MPI_Message message;
        MPI_Mprobe(MPI_ANY_SOURCE, tag, comm, &message, &statuses[i]);
        MPI_Mrecv(&data[i], 1, MPI_INT, &message, &statuses[i]);
    } else if (is(how, "sendrecv")) {
        MPI_Sendrecv(&i, 1, MPI_INT, MPI_PROC_NULL, tag, &data[i], 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &statuses[i]);
    } else if (is(how, "recv")) {
        MPI_Recv(&data[i], 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &statuses[i]);
    } else {
        MPI_Irecv(&data[i], 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &request);
        if (is(how, "wait")) MPI_Wait(&request, &statuses[i]);
        while (is(how, "test") && !flag) MPI_Test(&request, &flag, &statuses[i]);
        if (is(how, "waitany")) MPI_Waitany(1, &request, &index, &statuses[i]);
    }
}

static void receive_all(char const* how, int count, MPI_Comm comm) {
    MPI_Request requests[most];
    int done = 0, some = 0, indices[most];
    if (!is(how, "waitall") && !is(how, "testall") && !is(how, "waitsome")) {
        for (int i = 0; i < count; ++i) receive(how, i, comm);
        return;
    }
    for (int i = 0; i < count; ++i) MPI_Irecv(&data[i], 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &requests[i]);
    if (is(how, "waitall")) MPI_Waitall(count, requests, statuses);
    while (is(how, "testall") && !done) MPI_Testall(count, requests, &done, statuses);
    for (MPI_Status now[most]; is(how, "waitsome") && done < count; done += some) {
        MPI_Waitsome(count, requests, &some, indices, now);
        for (int i = 0; i < some; ++i) statuses[indices[i]] = now[i];
    }
}

/* Takes whatever is there, for a while. */
static void drain(MPI_Comm comm) {
    int found = 1, taken = 0;
    double const end = MPI_Wtime() + 1;
    MPI_Status status;
    while (MPI_Wtime() < end) {
        for (MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &found, &status); found && MPI_Wtime() < end; ++taken) {
            MPI_Recv(data, 1, MPI_INT, status.MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE);
            MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &found, &status);
        }
    }
    printf("drained %d\n", taken);
}

int main(int argc, char** argv) {
    int rank, size;
    char const* how = argc > 1 ? argv[1] : "recv";
    int const seconds = argc > 2 ? atoi(argv[2]) : 0;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Barrier(comm);
    if (rank == 1) raise(SIGKILL);
    if (is(how, "dup")) { /* rank 1 never was there */
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        how = "recv";
    }
    if (rank == 3) sleep((unsigned)seconds);
    if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, tag, comm);
    /* A program that counts results, and not workers, does not wait for the dead. */
    int const awaited = is(how, "living") ? size - 2 : is(how, "again") ? size : size - 1;
    if (rank == 0) {
        for (int i = 0; i < most; ++i) data[i] = -1;
        if (is(how, "drain")) drain(comm);
        receive_all(is(how, "living") || is(how, "again") || is(how, "drain") ? "recv" : how, awaited, comm);
        for (int i = 0; i < awaited; ++i) {
            int count;
            MPI_Get_count(&statuses[i], MPI_INT, &count);
            printf("from %d tag %d count %d data %d\n", statuses[i].MPI_SOURCE, statuses[i].MPI_TAG, count, data[i]);
        }
        printf("errors %d\n", errors);
        for (int to = 1; to < size; ++to) MPI_Send(&rank, 1, MPI_INT, to, tag, comm);
    } else { /* no collective, because all ranks would learn of the death in it */
        MPI_Recv(data, 1, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
