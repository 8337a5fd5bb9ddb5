/* nonblocking SEED STEPS: collectives that are under way at the same time. In each step some are started, on two
 * communicators; in between there are messages and collectives that block; then all are waited for, in one of many
 * ways. What a rank saw is checked and traced as traced.h says. */
#include "traced.h"

enum { most_started = 5, most_items = 3000 };

struct started {
    void (*check)(struct started*);
    char const* name;
    MPI_Request request;
    MPI_Comm comm;
    int salt, root, count, strided, v, all, in_place;
    double sums[most_ranks * most_ranks], results[most_ranks * most_ranks];
    int out[most_ranks * 5], in[most_ranks * 5];
    int counts[most_ranks], places[most_ranks], mine[most_ranks], offsets[most_ranks];
    MPI_Datatype types[most_ranks];
    int large[2 * most_items];
};

static MPI_Comm twin = MPI_COMM_NULL; /* of the same members as MPI_COMM_WORLD */

static void check_nothing(struct started* it) {
    (void)it;
}

static void ibarrier(struct started* it) {
    it->check = check_nothing;
    MPI_Ibarrier(comm, &it->request);
}

static void check_sums(struct started* it) {
    if (!it->all && me != it->root) return;
    saw_sum(it->name, it->all ? "all" : "root", it->results);
}

static void add(void* in, void* sums, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((double*)sums)[i] += ((double*)in)[i];
}

static void ireduce(struct started* it) {
    MPI_Op op = MPI_SUM;
    int own = (int)draw(2);
    it->all = (int)draw(2), it->in_place = (int)draw(2), it->root = (int)draw((unsigned)size);
    it->check = check_sums;
    it->name = it->all ? "iallreduce" : "ireduce";
    contribution(it->sums);
    contribution(it->results);
    if (own) MPI_Op_create(add, 1, &op);
    void* from = it->in_place && (it->all || me == it->root) ? MPI_IN_PLACE : (void*)it->sums;
    if (it->all) MPI_Iallreduce(from, it->results, size, MPI_DOUBLE, op, comm, &it->request);
    if (!it->all) MPI_Ireduce(from, it->results, size, MPI_DOUBLE, op, it->root, comm, &it->request);
    if (own) MPI_Op_free(&op); /* MPI keeps what it needs */
    if (own && op != MPI_OP_NULL) complain("an operation is not freed");
}

/* Sums over the ranks before each one, with or without itself: what survivors have must come from one execution. */
static void check_scan(struct started* it) {
    static double all[most_ranks * most_ranks];
    int own = it->all;                                               /* counts */
    if (!own && me == 0) memset(it->results, 0, sizeof it->results); /* undefined */
    for (int i = 0; i < size; ++i) {
        double most = i < me + own ? 1.0 : 0.0;
        if (it->results[i] != 0.0 && it->results[i] != most) complain("%s: %d has %g", it->name, i, it->results[i]);
    }
    it->results[me] += own ? 0.0 : 1.0;
    if (it->results[me] != 1.0) complain("%s without this rank", it->name);
    MPI_Allgather(it->results, size, MPI_DOUBLE, all, size, MPI_DOUBLE, comm);
    for (int rank = 0; rank < size; ++rank) {
        if (all[rank * size + rank] != 1.0) continue; /* dead */
        for (int i = 0; i < rank && i < me; ++i)
            if (all[rank * size + i] != it->results[i]) complain("%s: %d has another %d", it->name, rank, i);
    }
}

static void iscan(struct started* it) {
    it->in_place = (int)draw(2), it->all = (int)draw(2);
    it->check = check_scan;
    it->name = it->all ? "iscan" : "iexscan";
    contribution(it->sums);
    contribution(it->results);
    void* from = it->in_place ? MPI_IN_PLACE : (void*)it->sums;
    if (it->all) MPI_Iscan(from, it->results, size, MPI_DOUBLE, MPI_SUM, comm, &it->request);
    if (!it->all) MPI_Iexscan(from, it->results, size, MPI_DOUBLE, MPI_SUM, comm, &it->request);
}

static void ireduce_scatter(struct started* it) {
    it->in_place = (int)draw(2), it->v = (int)draw(2), it->all = 1;
    it->check = check_sums;
    it->name = it->v ? "ireduce_scatter" : "ireduce_scatter_block";
    for (int i = 0; i < size; ++i) {
        it->counts[i] = size;
        for (int j = 0; j < size; ++j) it->sums[i * size + j] = j == me;
    }
    memcpy(it->results, it->sums, sizeof it->results);
    void* from = it->in_place ? MPI_IN_PLACE : (void*)it->sums;
    if (it->v) MPI_Ireduce_scatter(from, it->results, it->counts, MPI_DOUBLE, MPI_SUM, comm, &it->request);
    if (!it->v) MPI_Ireduce_scatter_block(from, it->results, size, MPI_DOUBLE, MPI_SUM, comm, &it->request);
}

static void check_bcast(struct started* it) {
    if (it->strided)
        for (int i = 1; i < it->count; ++i) it->large[i] = it->large[2 * i];
    saw_data("ibcast", is_there("ibcast", it->large, it->count, it->root, 0, it->salt));
}

static void ibcast(struct started* it) {
    it->root = (int)draw((unsigned)size), it->count = draw(2) ? 5 : most_items, it->strided = (int)draw(2);
    it->check = check_bcast;
    soil(it->large, 2 * it->count);
    if (me == it->root) fill(it->large, it->count, 0, it->salt);
    if (it->strided) { /* every other one */
        MPI_Datatype type;
        MPI_Type_vector(it->count, 1, 2, MPI_INT, &type);
        MPI_Type_commit(&type);
        for (int i = it->count - 1; i > 0; --i) it->large[2 * i] = it->large[i];
        MPI_Ibcast(it->large, 1, type, it->root, comm, &it->request);
        MPI_Type_free(&type);
        if (type != MPI_DATATYPE_NULL) complain("a type is not freed");
    } else {
        MPI_Ibcast(it->large, it->count, MPI_INT, it->root, comm, &it->request);
    }
}

static void draw_rows(struct started* it) {
    it->v = (int)draw(2), it->all = (int)draw(2), it->in_place = (int)draw(2), it->root = (int)draw((unsigned)size);
    for (int i = 0; i < size; ++i) {
        it->counts[i] = it->v ? 1 + i % 3 : 4;
        it->places[i] = it->v ? (size - 1 - i) * 5 : i * 4;
        it->mine[i] = it->v ? 1 + me % 3 : 4;
        it->offsets[i] = it->places[i] * (int)sizeof(int);
        it->types[i] = MPI_INT;
    }
    soil(it->in, most_ranks * 5);
}

static void check_rows(struct started* it) {
    int there[most_ranks];
    if (!it->all && me != it->root) return;
    for (int i = 0; i < size; ++i) there[i] = is_there(it->name, it->in + it->places[i], it->counts[i], i, 0, it->salt);
    saw(it->name, it->all ? "all" : "root", there);
}

static void igather(struct started* it) {
    draw_rows(it);
    it->check = check_rows;
    it->name = it->all ? it->v ? "iallgatherv" : "iallgather" : it->v ? "igatherv" : "igather";
    fill(it->out, it->counts[me], 0, it->salt);
    memcpy(it->in + it->places[me], it->out, (size_t)it->counts[me] * sizeof(int));
    void* from = it->in_place && (it->all || me == it->root) ? MPI_IN_PLACE : (void*)it->out;
    int const *counts = it->counts, *places = it->places;
    if (it->all && it->v)
        MPI_Iallgatherv(from, counts[me], MPI_INT, it->in, counts, places, MPI_INT, comm, &it->request);
    if (it->all && !it->v) MPI_Iallgather(from, 4, MPI_INT, it->in, 4, MPI_INT, comm, &it->request);
    if (!it->all && it->v)
        MPI_Igatherv(from, counts[me], MPI_INT, it->in, counts, places, MPI_INT, it->root, comm, &it->request);
    if (!it->all && !it->v) MPI_Igather(from, 4, MPI_INT, it->in, 4, MPI_INT, it->root, comm, &it->request);
}

static void check_scatter(struct started* it) {
    int* data = it->in_place && me == it->root ? it->out + it->places[me] : it->in;
    saw_data("iscatter", is_there("iscatter", data, it->counts[me], it->root, me, it->salt));
}

static void iscatter(struct started* it) {
    draw_rows(it);
    it->check = check_scatter;
    if (me == it->root)
        for (int i = 0; i < size; ++i) fill(it->out + it->places[i], it->counts[i], i, it->salt);
    void* to = it->in_place && me == it->root ? MPI_IN_PLACE : (void*)it->in;
    if (it->v)
        MPI_Iscatterv(it->out, it->counts, it->places, MPI_INT, to, it->counts[me], MPI_INT, it->root, comm,
                      &it->request);
    if (!it->v) MPI_Iscatter(it->out, 4, MPI_INT, to, 4, MPI_INT, it->root, comm, &it->request);
}

static void check_alltoall(struct started* it) {
    int there[most_ranks];
    for (int i = 0; i < size; ++i)
        there[i] = is_there(it->name, it->in + it->places[i], it->counts[i], i, me, it->salt);
    saw(it->name, "all", there);
}

static void ialltoall(struct started* it) {
    int w = (int)draw(2);
    draw_rows(it);
    it->check = check_alltoall;
    it->name = w ? "ialltoallw" : it->v ? "ialltoallv" : "ialltoall";
    if (it->in_place && it->v) /* both sides of a pair must have as many items */
        for (int i = 0; i < size; ++i) it->counts[i] = it->mine[i] = 1 + (i + me) % 3;
    for (int i = 0; i < size; ++i) {
        fill(it->out + it->places[i], it->mine[i], i, it->salt);
        if (it->in_place) fill(it->in + it->places[i], it->mine[i], i, it->salt);
    }
    void* from = it->in_place ? MPI_IN_PLACE : (void*)it->out;
    if (w)
        MPI_Ialltoallw(from, it->mine, it->offsets, it->types, it->in, it->counts, it->offsets, it->types, comm,
                       &it->request);
    if (!w && it->v)
        MPI_Ialltoallv(from, it->mine, it->places, MPI_INT, it->in, it->counts, it->places, MPI_INT, comm,
                       &it->request);
    if (!w && !it->v) MPI_Ialltoall(from, 4, MPI_INT, it->in, 4, MPI_INT, comm, &it->request);
}

static void (*const starts[])(struct started*) = {ibarrier, ireduce, iscan,    ireduce_scatter,
                                                  ibcast,   igather, iscatter, ialltoall};

static void ring(void) {
    int out = item(me, 0, 0, 99), in = -1, from = (me + size - 1) % size;
    MPI_Sendrecv(&out, 1, MPI_INT, (me + 1) % size, 5, &in, 1, MPI_INT, from, 5, comm, MPI_STATUS_IGNORE);
    is_there("ring", &in, 1, from, 0, 99);
}

static void allreduce(void) {
    double in[most_ranks];
    contribution(in);
    MPI_Allreduce(MPI_IN_PLACE, in, size, MPI_DOUBLE, MPI_SUM, comm);
}

static void wait_for(int count, MPI_Request* requests) {
    int how = (int)draw(7), at = 0, flag = 0, done = 0, some[most_started];
    MPI_Status statuses[most_started];
    if (how == 0) MPI_Waitall(count, requests, statuses);
    if (how == 1)
        for (int i = count; i-- > 0;) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    if (how == 2)
        while (!flag) MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
    if (how == 3)
        for (int left = count; left > 0; --left) MPI_Waitany(count, requests, &at, &statuses[0]);
    if (how == 4)
        for (int left = count; left > 0; left -= done) MPI_Waitsome(count, requests, &done, some, statuses);
    if (how == 5)
        for (int i = 0; i < count; ++i)
            for (flag = 0; !flag;) {
                MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
                if (!flag) usleep(20);
            }
    if (how == 6)
        for (int i = 0; i < count; ++i) {
            for (flag = 0; !flag;) MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
    for (int i = 0; i < count; ++i)
        if (requests[i] != MPI_REQUEST_NULL) complain("a request is left");
}

static void act(void) {
    static struct started started[most_started];
    MPI_Request requests[most_started];
    int count = 1 + (int)draw(most_started);
    if (twin == MPI_COMM_NULL) MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    for (int i = 0; i < count; ++i) {
        struct started* it = &started[i];
        it->salt = i;
        it->all = 0;
        it->comm = draw(3) ? MPI_COMM_WORLD : twin;
        use(it->comm);
        starts[draw(sizeof starts / sizeof *starts)](it);
        if (draw(4) == 0) ring();
        if (draw(8) == 0) allreduce();
        use(MPI_COMM_WORLD);
        if (draw(8) == 0) allreduce();
        requests[i] = it->request;
    }
    if (draw(16) == 0) MPI_Comm_free(&twin); /* it goes when all that is under way on it is over */
    wait_for(count, requests);
    for (part = 0; part < count; ++part) {
        scope = started[part].comm == MPI_COMM_WORLD ? "world" : "twin"; /* deaths come between them in any order */
        started[part].check(&started[part]);
    }
    part = 0;
}

int main(int argc, char** argv) {
    return run_traced(argc, argv, act, 0);
}
