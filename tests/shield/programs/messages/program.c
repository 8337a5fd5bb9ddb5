/* program SEED STEPS: an MPI program that knows nothing of failures. Each step is an operation that is drawn, on a
 * communicator that is drawn. What a rank saw is checked and traced as traced.h says. */
#include "traced.h"

enum { most_items = 3000 };

static MPI_Comm twin = MPI_COMM_NULL; /* of the same members as MPI_COMM_WORLD */

static void barrier(void) {
    MPI_Barrier(comm);
}

static void allreduce(void) {
    double out[most_ranks], in[most_ranks];
    contribution(out);
    if (draw(2)) {
        MPI_Allreduce(out, in, size, MPI_DOUBLE, MPI_SUM, comm);
        saw_sum("allreduce", "all", in);
    } else {
        MPI_Allreduce(MPI_IN_PLACE, out, size, MPI_DOUBLE, MPI_SUM, comm);
        saw_sum("allreduce-in-place", "all", out);
    }
}

static void reduce_to(int root) {
    double out[most_ranks], in[most_ranks];
    int in_place = (int)draw(2);
    contribution(out);
    memcpy(in, out, sizeof in);
    MPI_Reduce(in_place && me == root ? MPI_IN_PLACE : (void*)out, in, size, MPI_DOUBLE, MPI_SUM, root, comm);
    if (me == root) saw_sum("reduce", "root", in);
}

static void reduce(void) {
    reduce_to((int)draw((unsigned)size));
}

static void bcast(void) {
    static int data[2 * most_items];
    int root = (int)draw((unsigned)size), count = draw(2) ? 5 : most_items, strided = (int)draw(2);
    soil(data, 2 * count);
    if (me == root) fill(data, count, 0, 0);
    if (strided) { /* every other one */
        MPI_Datatype type;
        MPI_Type_vector(count, 1, 2, MPI_INT, &type);
        MPI_Type_commit(&type);
        if (me == root)
            for (int i = count - 1; i > 0; --i) data[2 * i] = data[i];
        MPI_Bcast(data, 1, type, root, comm);
        MPI_Type_free(&type);
        for (int i = 1; i < count; ++i) data[i] = data[2 * i];
    } else {
        MPI_Bcast(data, count, MPI_INT, root, comm);
    }
    saw_data("bcast", is_there("bcast", data, count, root, 0, 0));
}

/* A rank that is ahead waits for one that may be behind. */
static void ring(void) {
    int out[4], in[4], received = -1, to = (me + 1) % size, from = (me + size - 1) % size, exchange = (int)draw(2);
    MPI_Status status;
    fill(out, 4, to, 0);
    soil(in, 4);
    if (exchange) {
        MPI_Sendrecv(out, 4, MPI_INT, to, 5, in, 4, MPI_INT, from, 5, comm, &status);
    } else if (me % 2) {
        MPI_Recv(in, 4, MPI_INT, from, 5, comm, &status);
        MPI_Send(out, 4, MPI_INT, to, 5, comm);
    } else {
        MPI_Send(out, 4, MPI_INT, to, 5, comm);
        MPI_Recv(in, 4, MPI_INT, from, 5, comm, &status);
    }
    MPI_Get_count(&status, MPI_INT, &received);
    if (status.MPI_SOURCE != from) complain("a message from %d, not %d", status.MPI_SOURCE, from);
    if (is_there("ring", in, 4, from, me, 0) != (received == 4) || (received != 4 && received != 0))
        complain("%d items received", received);
}

/* Messages to both neighbours at once; and one message from each rank, by MPI_ANY_SOURCE. */
static void neighbours(void) {
    int out[2][4], in[2][4], with[2], how = (int)draw(4), left = 4, at = 0, flag = 0, count = 0, some[4];
    MPI_Request requests[4];
    MPI_Status statuses[4];
    if (size < 3) return;
    with[0] = (me + size - 1) % size;
    with[1] = (me + 1) % size;
    for (int i = 0; i < 2; ++i) {
        soil(in[i], 4);
        MPI_Irecv(in[i], 4, MPI_INT, with[i], 6, comm, &requests[i]);
    }
    for (int i = 0; i < 2; ++i) {
        fill(out[i], 4, with[i], 0);
        MPI_Isend(out[i], 4, MPI_INT, with[i], 6, comm, &requests[2 + i]);
    }
    if (how == 0) MPI_Waitall(4, requests, statuses);
    if (how == 1)
        for (; left > 0; --left) MPI_Waitany(4, requests, &at, &statuses[0]);
    if (how == 2)
        while (!flag) MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE);
    if (how == 3)
        for (; left > 0; left -= count) MPI_Waitsome(4, requests, &count, some, statuses);
    for (int i = 0; i < 4; ++i)
        if (requests[i] != MPI_REQUEST_NULL) complain("a request is left");
    for (int i = 0; i < 2; ++i) {
        int there = is_there("neighbours", in[i], 4, with[i], me, 0);
        if (how != 0) continue;
        MPI_Get_count(&statuses[i], MPI_INT, &count);
        if (statuses[i].MPI_SOURCE != with[i]) complain("a message from %d, not %d", statuses[i].MPI_SOURCE, with[i]);
        if (there != (count == 4) || (count != 4 && count != 0)) complain("%d items received", count);
    }
}

/* Nothing in it makes ranks wait, except the roots. */
static void broadcasts(void) {
    int data[5], first = (int)draw((unsigned)size);
    for (int k = 0; k < 6; ++k) {
        int root = (first + k * 3) % size;
        soil(data, 5);
        if (me == root) fill(data, 5, k, 0);
        MPI_Bcast(data, 5, MPI_INT, root, comm);
        saw_data("broadcasts", is_there("broadcasts", data, 5, root, k, 0));
        if (k == 3 && draw(2)) ring();
    }
}

static int count_of(int rank, int v) {
    return v ? 1 + rank % 3 : 4;
}
static int place_of(int rank, int v) {
    return v ? (size - 1 - rank) * 5 : rank * 4;
}

static void gather_to(int root, int v, int all) {
    char const* name = all ? v ? "allgatherv" : "allgather" : v ? "gatherv" : "gather";
    static int data[most_ranks * 5];
    int out[5], counts[most_ranks], places[most_ranks], there[most_ranks], in_place = (int)draw(2);
    for (int i = 0; i < size; ++i) counts[i] = count_of(i, v), places[i] = place_of(i, v);
    soil(data, most_ranks * 5);
    fill(out, counts[me], 0, 0);
    memcpy(data + places[me], out, (size_t)counts[me] * sizeof(int));
    void* from = in_place && (all || me == root) ? MPI_IN_PLACE : (void*)out;
    if (all && v) MPI_Allgatherv(from, counts[me], MPI_INT, data, counts, places, MPI_INT, comm);
    if (all && !v) MPI_Allgather(from, 4, MPI_INT, data, 4, MPI_INT, comm);
    if (!all && v) MPI_Gatherv(from, counts[me], MPI_INT, data, counts, places, MPI_INT, root, comm);
    if (!all && !v) MPI_Gather(from, 4, MPI_INT, data, 4, MPI_INT, root, comm);
    if (!all && me != root) return;
    for (int i = 0; i < size; ++i) there[i] = is_there(name, data + places[i], counts[i], i, 0, 0);
    saw(name, all ? "all" : "root", there);
}

static void gather(void) {
    int root = (int)draw((unsigned)size), v = (int)draw(2), all = (int)draw(2);
    gather_to(root, v, all);
}

/* The order matters: x -> a x + b is not the same as the other way round. */
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
    unsigned const* before = in;
    unsigned* after = inout;
    (void)type;
    for (int i = 0; i < *count; ++i, before += 3, after += 3) {
        unsigned sum = before[2] * after[0] + after[2];
        after[0] *= before[0], after[2] = sum;
    }
}

/* An operation that does not commute, on a type with a gap. */
static void compose_to(int root) {
    static unsigned const primes[most_ranks] = {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59};
    struct {
        unsigned factor, gap, sum;
    } one = {primes[me], 9, (unsigned)me + 1}, all = {0, 7, 0};
    int there[most_ranks], matches = 0;
    MPI_Datatype pair;
    MPI_Op op;
    MPI_Type_vector(2, 1, 2, MPI_UNSIGNED, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(compose, 0, &op);
    MPI_Reduce(&one, &all, 1, pair, op, root, comm);
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
    if (me != root) return;
    if (all.gap != 7) complain("a gap is overwritten");
    for (unsigned set = 0; set < 1u << size; ++set) {
        unsigned factor = 1, sum = 0;
        for (int i = 0; i < size; ++i)
            if (set >> i & 1) sum = sum * primes[i] + (unsigned)i + 1, factor *= primes[i];
        if (factor != all.factor || sum != all.sum) continue;
        ++matches;
        for (int i = 0; i < size; ++i) there[i] = set >> i & 1;
    }
    if (matches != 1) complain("composed in %d ways", matches);
    if (matches == 1) saw("compose", "root", there);
}

/* Nothing in it makes ranks wait, except the roots. */
static void collections(void) {
    int first = (int)draw((unsigned)size);
    for (int k = 0; k < 6; ++k) {
        int root = (first + k / 2 * 3) % size;
        switch (draw(3)) {
            case 0:
                reduce_to(root);
                break;
            case 1:
                gather_to(root, 0, 0);
                break;
            default:
                compose_to(root);
        }
        if (k == 3 && draw(2)) ring();
    }
}

static void scatter(void) {
    static int data[most_ranks * 5];
    int in[5], counts[most_ranks], places[most_ranks];
    int root = (int)draw((unsigned)size), v = (int)draw(2);
    for (int i = 0; i < size; ++i) {
        counts[i] = count_of(i, v), places[i] = place_of(i, v);
        if (me == root) fill(data + places[i], counts[i], i, 0);
    }
    soil(in, 5);
    if (v) MPI_Scatterv(data, counts, places, MPI_INT, in, counts[me], MPI_INT, root, comm);
    if (!v) MPI_Scatter(data, 4, MPI_INT, in, 4, MPI_INT, root, comm);
    saw_data("scatter", is_there("scatter", in, counts[me], root, me, 0));
}

static void alltoall(void) {
    static int out[most_ranks * 5], in[most_ranks * 5];
    int counts[most_ranks], places[most_ranks], mine[most_ranks], there[most_ranks];
    int v = (int)draw(2), in_place = (int)draw(2);
    char const* name = v ? "alltoallv" : "alltoall";
    for (int i = 0; i < size; ++i)
        counts[i] = count_of(i, v && !in_place), places[i] = place_of(i, v), mine[i] = count_of(me, v && !in_place);
    soil(in, most_ranks * 5);
    for (int i = 0; i < size; ++i) {
        fill(out + places[i], mine[i], i, 0);
        if (in_place) memcpy(in + places[i], out + places[i], (size_t)mine[i] * sizeof(int));
    }
    void* from = in_place ? MPI_IN_PLACE : (void*)out;
    if (v) MPI_Alltoallv(from, mine, places, MPI_INT, in, counts, places, MPI_INT, comm);
    if (!v) MPI_Alltoall(from, 4, MPI_INT, in, 4, MPI_INT, comm);
    for (int i = 0; i < size; ++i) there[i] = is_there(name, in + places[i], counts[i], i, me, 0);
    saw(name, "all", there);
}

static void (*const operations[])(void) = {allreduce, bcast,   ring,     gather,     barrier,     neighbours,
                                           reduce,    scatter, alltoall, broadcasts, collections, collections};

static void use_child(MPI_Comm parent) {
    MPI_Comm child;
    int duplicate = (int)draw(2), parts = 1 + (int)draw(2), reverse = (int)draw(2);
    use(parent);
    int odd = !duplicate && me % parts;
    if (duplicate) {
        MPI_Comm_dup(parent, &child);
    } else {
        MPI_Comm_split(parent, odd, reverse ? -me : me, &child);
    }
    unsigned common = state;
    scope = odd ? "part1" : "part0"; /* parts of the same colour have the same members */
    for (int i = 0; i < 2; ++i) {
        state = common + (unsigned)i;
        use(child);
        allreduce();
    }
    MPI_Comm_free(&child);
    if (child != MPI_COMM_NULL) complain("a communicator is not freed");
    state = common;
}

static void act(void) {
    if (step % 13 == 5) {
        if (twin != MPI_COMM_NULL) MPI_Comm_free(&twin);
        MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    }
    MPI_Comm on = twin != MPI_COMM_NULL && draw(3) == 0 ? twin : MPI_COMM_WORLD;
    scope = "world";
    if (draw(8) == 0) {
        use_child(on);
    } else {
        use(on);
        operations[draw(sizeof operations / sizeof *operations)]();
    }
}

int main(int argc, char** argv) {
    return run_traced(argc, argv, act, 0);
}
