/* seekers SEED STEPS: an MPI program that knows nothing of failures and looks for its messages in all ways: it polls,
 * it probes, it receives from any source, and it gathers unlike blocks. Its steps are traced as traced.h says; between
 * them one rank gives tasks to all others and receives results by MPI_ANY_SOURCE. An environment variable, NAIVE,
 * lets workers take an empty message for a task, for ever. */
#include <sched.h>

#include "traced.h"

enum { most_items = 3000, tasks_of_each = 3, task = 21, result = 22, stop = 23 };

static MPI_Comm own_comm;
static unsigned own; /* the random numbers of this rank alone */

static unsigned draw_own(unsigned below) {
    own = own * 1664525u + 1013904223u;
    return (own >> 10) % below;
}

/* What such loops do between two looks, or nothing. */
static void pass_time(unsigned how) {
    if (how == 1) sched_yield();
    if (how == 2) usleep(200);
}

enum way { recv, probe, mprobe, iprobe, improbe, test, status_test, testany, testsome, testall, waitany, ways };

/* Receives one message from there in this way. Returns its source; *count: its items. An error has a source, too. */
static int receive(int* data, int items, int from, int tag, enum way way, MPI_Status* status, int* count) {
    int flag = 0, code = MPI_SUCCESS, index = 0, some = 0;
    unsigned const how = draw_own(4);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message;
    if (way >= test) code = MPI_Irecv(data, items, MPI_INT, from, tag, comm, &request);
    switch (code == MPI_SUCCESS ? way : ways) {
        case recv:
            code = MPI_Recv(data, items, MPI_INT, from, tag, comm, status);
            break;
        case probe:
            code = MPI_Probe(from, tag, comm, status);
            if (code == MPI_SUCCESS)
                code = MPI_Recv(data, items, MPI_INT, status->MPI_SOURCE, status->MPI_TAG, comm, status);
            break;
        case mprobe:
            code = MPI_Mprobe(from, tag, comm, &message, status);
            if (code == MPI_SUCCESS) code = MPI_Mrecv(data, items, MPI_INT, &message, status);
            break;
        case iprobe:
            for (; !flag && code == MPI_SUCCESS; pass_time(how)) code = MPI_Iprobe(from, tag, comm, &flag, status);
            if (code == MPI_SUCCESS)
                code = MPI_Recv(data, items, MPI_INT, status->MPI_SOURCE, status->MPI_TAG, comm, status);
            break;
        case improbe:
            for (; !flag && code == MPI_SUCCESS; pass_time(how))
                code = MPI_Improbe(from, tag, comm, &flag, &message, status);
            if (code == MPI_SUCCESS) code = MPI_Mrecv(data, items, MPI_INT, &message, status);
            break;
        case test:
            for (; !flag && code == MPI_SUCCESS; pass_time(how)) code = MPI_Test(&request, &flag, status);
            break;
        case status_test:
            for (; !flag; pass_time(how)) MPI_Request_get_status(request, &flag, status);
            code = MPI_Wait(&request, status);
            break;
        case testany:
            for (; !flag && code == MPI_SUCCESS; pass_time(how)) code = MPI_Testany(1, &request, &index, &flag, status);
            break;
        case testsome:
            for (; !some && code == MPI_SUCCESS; pass_time(how))
                code = MPI_Testsome(1, &request, &some, &index, status);
            if (code == MPI_ERR_IN_STATUS) code = status->MPI_ERROR;
            break;
        case testall:
            for (; !flag && code == MPI_SUCCESS; pass_time(how)) code = MPI_Testall(1, &request, &flag, status);
            if (code == MPI_ERR_IN_STATUS) code = status->MPI_ERROR;
            break;
        case waitany:
            code = MPI_Waitany(1, &request, &index, status);
            break;
        default:
            break;
    }
    MPI_Get_count(status, MPI_INT, count);
    if (code != MPI_SUCCESS) *count = 0;
    return status->MPI_SOURCE;
}

/* Gives each worker tasks, one after the other, and the task of one that is dead to another. */
static void lead(void) {
    int tasks = tasks_of_each * (size - 1), left = tasks, done = 0, has[most_ranks] = {0}, is_gone[most_ranks] = {0};
    int busy = 0, data[2], count;
    MPI_Status status;
    enum way const way = (enum way)draw_own(ways);
    for (;;) {
        for (int to = 0; to < size && left > 0; ++to) {
            if (to == me || has[to] || is_gone[to]) continue;
            int const number[2] = {left, me};
            MPI_Send(number, 2, MPI_INT, to, task, comm);
            has[to] = left--;
            ++busy;
        }
        if (busy == 0) break;
        int const from = receive(data, 2, MPI_ANY_SOURCE, result, way, &status, &count);
        if (from < 0 || from >= size) {
            complain("a result of %d", from);
            break;
        }
        if (count == 2) {
            if (data[0] != has[from] || data[1] != from) complain("a result of %d that is not its own", from);
            ++done;
        } else if (has[from]) {
            ++left; /* its number may be another's, but the sum is right */
        }
        if (has[from]) --busy;
        has[from] = 0;
        if (count == 0) is_gone[from] = 1;
    }
    if (done != tasks && done > tasks) complain("%d of %d tasks done", done, tasks);
    for (int to = 0; to < size; ++to)
        if (to != me) MPI_Send(data, 0, MPI_INT, to, stop, comm);
}

static void work_for(int leader) {
    int data[2] = {0, 0}, count, flag = 0, const_from = (int)draw_own(2) ? leader : MPI_ANY_SOURCE;
    MPI_Status status;
    MPI_Request request;
    enum way const way = (enum way)draw_own(ways);
    unsigned const how = draw_own(4);
    int const is_naive = getenv("NAIVE") != NULL;
    for (;;) {
        int const from =
            receive(data, 2, is_naive ? leader : const_from, MPI_ANY_TAG, is_naive ? recv : way, &status, &count);
        if (from == leader && status.MPI_TAG == stop) break;
        if (count == 0 && !is_naive) {
            if (from == leader) break;
            continue; /* another rank, from which this one wants nothing */
        }
        if (count == 2 && (data[1] != leader || status.MPI_TAG != task)) complain("a task of %d", data[1]);
        data[1] = me;
        if (draw_own(5) == 0) usleep(draw_own(500));
        if (draw_own(2)) {
            MPI_Send(data, 2, MPI_INT, leader, result, comm);
            continue;
        }
        MPI_Isend(data, 2, MPI_INT, leader, result, comm, &request);
        for (flag = 0; !flag; pass_time(how)) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
}

/* A rank that leaves it early must not send to one that is still in it. */
static void farm(void) {
    int const leader = (int)draw((unsigned)size);
    use(own_comm);
    if (me == leader)
        lead();
    else
        work_for(leader);
    MPI_Barrier(comm);
}

/* Exchanges messages with both neighbours, in ways that do not block. */
static void neighbours(void) {
    int out[2][4], in[2][4], with[2], left = 4, index = 0, flag = 0, some = 0, indices[4];
    unsigned const way = draw(5), how = draw_own(4);
    MPI_Request requests[4];
    MPI_Status statuses[4];
    if (size < 3) return;
    with[0] = (me + size - 1) % size;
    with[1] = (me + 1) % size;
    for (int i = 0; i < 2; ++i) {
        soil(in[i], 4);
        fill(out[i], 4, with[i], 0);
        MPI_Irecv(in[i], 4, MPI_INT, with[i], 6, comm, &requests[i]);
    }
    for (int i = 0; i < 2; ++i) MPI_Isend(out[i], 4, MPI_INT, with[i], 6, comm, &requests[2 + i]);
    if (way == 0)
        for (; !flag; pass_time(how)) MPI_Testall(4, requests, &flag, statuses);
    if (way == 1)
        for (; left > 0; pass_time(how), left -= flag) MPI_Testany(4, requests, &index, &flag, &statuses[0]);
    if (way == 2)
        for (; left > 0; pass_time(how), left -= some) MPI_Testsome(4, requests, &some, indices, statuses);
    for (int i = 0; i < 4 && way > 2; ++i) {
        for (flag = 0; !flag; pass_time(how)) {
            if (way == 3) MPI_Test(&requests[i], &flag, &statuses[i]);
            if (way == 4) MPI_Request_get_status(requests[i], &flag, &statuses[i]);
        }
        if (way == 4) MPI_Wait(&requests[i], &statuses[i]);
    }
    for (int i = 0; i < 2; ++i) is_there("neighbours", in[i], 4, with[i], me, 0);
}

/* A ring in which each rank looks for what comes. */
static void ring(void) {
    int out[4], in[4], count = -1, to = (me + 1) % size, from = (me + size - 1) % size;
    MPI_Request request;
    MPI_Status status;
    fill(out, 4, to, 0);
    soil(in, 4);
    MPI_Isend(out, 4, MPI_INT, to, 5, comm, &request);
    /* A rank that looks for a message of the dead by MPI_Iprobe finds it when no rank makes a step any more. */
    enum way ways_here[] = {recv, probe, mprobe, test, status_test, testany, testsome, testall, waitany};
    int const source = receive(in, 4, from, 5, ways_here[draw_own(9)], &status, &count);
    if (source != from) complain("a message of %d, not %d", source, from);
    if (is_there("ring", in, 4, from, me, 0) != (count == 4)) complain("%d items received", count);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int count_of(int rank, unsigned kind) {
    if (kind == 0) return 1;
    if (kind == 1) return rank % 3; /* some have nothing */
    if (kind == 2) return rank % 2 ? 2 : 700;
    return rank == 1 ? most_items : 5;
}

/* Unlike blocks, with a gap before each. */
static void gatherv_to(int root) {
    static int data[most_ranks * (most_items + 1)], out[most_items];
    int counts[most_ranks], places[most_ranks], there[most_ranks], in_place = (int)draw(2), strided = (int)draw(4) == 0;
    unsigned const kind = draw(4);
    for (int i = 0, at = 1; i < size; at += counts[i++] + 1) counts[i] = count_of(i, kind), places[i] = at;
    soil(data, places[size - 1] + counts[size - 1] + 1);
    fill(out, counts[me], 0, 0);
    if (me == root && in_place) fill(data + places[me], counts[me], 0, 0);
    MPI_Datatype type = MPI_INT;
    if (strided) MPI_Type_contiguous(1, MPI_INT, &type), MPI_Type_commit(&type);
    MPI_Gatherv(me == root && in_place ? MPI_IN_PLACE : (void*)out, counts[me], type, data, counts, places, MPI_INT,
                root, comm);
    if (strided) MPI_Type_free(&type);
    if (me != root) return;
    for (int i = 0; i < size; ++i) {
        if (data[places[i] - 1] != -1) complain("gatherv: the gap before %d is overwritten", i);
        there[i] = counts[i] == 0 || is_there("gatherv", data + places[i], counts[i], i, 0, 0);
    }
    for (int i = 0; i < size; ++i)
        if (counts[i] == 0 && i != me) return; /* nothing tells which ranks were there */
    saw("gatherv", "root", there);
}

static void gatherv(void) {
    gatherv_to((int)draw((unsigned)size));
}

/* Nothing in it makes ranks wait, except the roots, and large blocks. */
static void gathervs(void) {
    int const first = (int)draw((unsigned)size);
    for (int k = 0; k < 8; ++k) gatherv_to((first + k / 3) % size);
}

static void reduce(void) {
    double out[most_ranks], in[most_ranks];
    int const root = (int)draw((unsigned)size);
    contribution(out);
    MPI_Reduce(out, in, size, MPI_DOUBLE, MPI_SUM, root, comm);
    if (me == root) saw_sum("reduce", "root", in);
}

static void allreduce(void) {
    double out[most_ranks], in[most_ranks];
    contribution(out);
    MPI_Allreduce(out, in, size, MPI_DOUBLE, MPI_SUM, comm);
    saw_sum("allreduce", "all", in);
}

static void bcast(void) {
    int data[5], root = (int)draw((unsigned)size);
    soil(data, 5);
    if (me == root) fill(data, 5, 0, 0);
    MPI_Bcast(data, 5, MPI_INT, root, comm);
    saw_data("bcast", is_there("bcast", data, 5, root, 0, 0));
}

static void (*const operations[])(void) = {neighbours, ring, gatherv, gathervs, gathervs, reduce, allreduce, bcast};

static void act(void) {
    if (step == 1) { /* errors tell of the dead, too */
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_dup(MPI_COMM_WORLD, &own_comm);
    }
    own = (unsigned)(step * 7907 + me * 104729) ^ state;
    draw_own(2);
    if (step % 12 == 8) {
        farm();
    } else {
        operations[draw(sizeof operations / sizeof *operations)]();
    }
}

int main(int argc, char** argv) {
    return run_traced(argc, argv, act, 0);
}
