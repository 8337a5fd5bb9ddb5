/* groups SEED STEPS: communicators of groups, made from one another by all or, if MEMBERS is set, by their members
 * alone, whichever members are dead. They have the size and the ranks of the group that was asked for. What a rank
 * saw is checked and traced as traced.h says. */
#include "traced.h"

enum { by_all, duplicated, later, by_members, ways };
enum { crosswise = 64, crossing = 7 }; /* in one step, because the shield may take seconds to find out */

static MPI_Comm twin = MPI_COMM_NULL; /* of MPI_COMM_WORLD */
static int ranks[most_ranks], count;  /* of the group, in the parent */

/* The ranks whose number in `bits` is set, or a rotation of them. */
static void choose(unsigned bits, int rotation) {
    int chosen[most_ranks];
    count = 0;
    for (int i = 0; i < size; ++i)
        if (bits >> i & 1u) chosen[count++] = i;
    for (int i = 0; i < count; ++i) ranks[i] = chosen[(i + rotation) % count];
}

static int place_of_this(void) {
    for (int i = 0; i < count; ++i)
        if (ranks[i] == me) return i;
    return MPI_UNDEFINED;
}

/* Size, ranks and group are those that were asked for. */
static void check(MPI_Comm made, MPI_Group group) {
    int rank, members, same;
    MPI_Group theirs;
    MPI_Comm_rank(made, &rank);
    MPI_Comm_size(made, &members);
    MPI_Comm_group(made, &theirs);
    MPI_Group_compare(group, theirs, &same);
    MPI_Group_free(&theirs);
    if (rank != place_of_this() || members != count || same != MPI_IDENT)
        complain("rank %d of %d in place of %d of %d, group %d", rank, members, place_of_this(), count, same);
}

/* Members use the communicator: messages around, a sum, and rows at the places of their ranks. */
static void exercise(MPI_Comm made) {
    int right, left, out, in = -1, row[2], rows[2 * most_ranks], there[most_ranks];
    double mine[most_ranks], sum[most_ranks];
    MPI_Status status;
    use(made);
    right = (me + 1) % size, left = (me + size - 1) % size;
    out = item(me, right, 0, 1);
    MPI_Sendrecv(&out, 1, MPI_INT, right, 3, &in, 1, MPI_INT, left, 3, made, &status);
    is_there("ring", &in, 1, left, me, 1);
    if (status.MPI_SOURCE != left) complain("a message from %d in place of %d", status.MPI_SOURCE, left);
    for (int i = 0; i < size; ++i) mine[i] = i == me;
    MPI_Allreduce(mine, sum, size, MPI_DOUBLE, MPI_SUM, made);
    saw_sum("sum", "all", sum);
    fill(row, 2, 0, 2);
    MPI_Allgather(row, 2, MPI_INT, rows, 2, MPI_INT, made);
    for (int i = 0; i < size; ++i) there[i] = is_there("rows", rows + 2 * i, 2, i, 0, 2);
    saw("rows", "all", there);
}

static void sum_over(MPI_Comm on) {
    double mine[most_ranks], sum[most_ranks];
    use(on);
    for (int i = 0; i < size; ++i) mine[i] = i == me;
    MPI_Allreduce(mine, sum, size, MPI_DOUBLE, MPI_SUM, on);
    saw_sum("meanwhile", "all", sum);
}

/* What is done with the parent, or with other communicators, until it is there; `meanwhile` is the same for all. */
static MPI_Comm duplicate_later(MPI_Comm parent, int meanwhile) {
    MPI_Comm made = MPI_COMM_NULL, second = MPI_COMM_NULL;
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int flag = 0, out = 5, in = -1, right = (me + 1) % size, left = (me + size - 1) % size;
    double sums[2] = {0, 0}, one = 1;
    if (meanwhile & 1 && me % 2) MPI_Send(&out, 1, MPI_INT, left, 8, parent); /* others have not started it */
    if (meanwhile & 1 && (me + 1) % size % 2) MPI_Recv(&in, 1, MPI_INT, right, 8, parent, MPI_STATUS_IGNORE);
    if (meanwhile & crosswise) {
        if (me % 2) MPI_Comm_idup_with_info(twin, MPI_INFO_NULL, &second, &requests[2]);
        MPI_Comm_idup(parent, &made, &requests[0]);
        if (me % 2 == 0) MPI_Comm_idup_with_info(twin, MPI_INFO_NULL, &second, &requests[2]);
    } else {
        MPI_Comm_idup(parent, &made, &requests[0]);
        if (meanwhile & 8) MPI_Comm_idup_with_info(parent, MPI_INFO_NULL, &second, &requests[2]);
    }
    if (meanwhile & 2) sum_over(parent);
    if (meanwhile & 4) MPI_Iallreduce(&one, sums, 1, MPI_DOUBLE, MPI_SUM, parent, &requests[1]);
    if (meanwhile & 16) MPI_Sendrecv(&out, 1, MPI_INT, right, 9, &in, 1, MPI_INT, left, 9, parent, MPI_STATUS_IGNORE);
    if (meanwhile & 32) MPI_Wait(&requests[me % 2 ? 2 : 0], MPI_STATUS_IGNORE);
    while (!flag) MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
    if (meanwhile & 8) {
        sum_over(second);
        MPI_Comm_free(&second);
    }
    return made;
}

static MPI_Comm make(MPI_Comm parent, int how, MPI_Group group, int tag) {
    MPI_Comm made = MPI_COMM_NULL;
    int is_member = place_of_this() != MPI_UNDEFINED;
    if (how == by_all) MPI_Comm_create(parent, is_member ? group : MPI_GROUP_EMPTY, &made);
    if (how == by_members && is_member) MPI_Comm_create_group(parent, group, tag, &made);
    if (how == duplicated) MPI_Comm_dup(parent, &made);
    if (how == later) made = duplicate_later(parent, tag);
    if (is_member != (made != MPI_COMM_NULL)) complain("a communicator for %s", is_member ? "no member" : "others");
    return made;
}

static void act(void) {
    static char name[40];
    unsigned bits[2] = {1 + draw(15), 1 + draw(15)}; /* among the lowest four */
    int rotation[2] = {(int)draw(3), (int)draw(3)}, all_ways = getenv("MEMBERS") ? ways : by_members;
    int how[2] = {(int)draw((unsigned)all_ways), (int)draw((unsigned)all_ways)};
    int tag = (int)draw(64), halves = (int)draw(2), in_first, depth = 1 + (int)draw(2);
    MPI_Comm parent = MPI_COMM_WORLD, made[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
    if (step == crossing) how[0] = later, tag |= crosswise | 8;
    if (twin == MPI_COMM_NULL) MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    strcpy(name, "of");
    for (int i = 0; i < depth && parent != MPI_COMM_NULL; ++i) {
        MPI_Group all, group;
        use(parent);
        /* These ranks and, perhaps, the others; or all. */
        in_first = bits[i] >> me & 1u;
        choose(how[i] == duplicated || how[i] == later ? ~0u : in_first || !halves ? bits[i] : ~bits[i], rotation[i]);
        if (count == size || count == 0) choose(~0u, 0);
        snprintf(name + strlen(name), 8, "-%d", ranks[0]);
        scope = name;
        MPI_Comm_group(parent, &all);
        MPI_Group_incl(all, count, ranks, &group);
        made[i] = make(parent, how[i], group, i == 0 ? tag : tag & ~crosswise);
        if (made[i] != MPI_COMM_NULL) {
            check(made[i], group);
            exercise(made[i]);
        }
        MPI_Group_free(&group);
        MPI_Group_free(&all);
        parent = made[i];
    }
    for (int i = 1; i >= 0; --i)
        if (made[i] != MPI_COMM_NULL) MPI_Comm_free(&made[i]);
}

int main(int argc, char** argv) {
    return run_traced(argc, argv, act, 0);
}
