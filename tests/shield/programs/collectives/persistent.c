/* persistent SEED STEPS: persistent requests that are started again and again, and the rarer kinds of messages. What a
 * rank saw is checked and traced as traced.h says. */
#include "traced.h"

static MPI_Request to_right, from_left, both[2], sums, rows, prefix;
static int out, in, buffered[2], row[4], all_rows[most_ranks * 4];
static double mine[most_ranks], sum[most_ranks], before[most_ranks];
static char attached[100000];

static void begin(void) {
    int right = (me + 1) % size, left = (me + size - 1) % size;
    MPI_Datatype four;
    MPI_Type_contiguous(4, MPI_INT, &four);
    MPI_Type_commit(&four);
    MPI_Buffer_attach(attached, sizeof attached);
    MPI_Ssend_init(&out, 1, MPI_INT, right, 1, comm, &to_right);
    MPI_Recv_init(&in, 1, MPI_INT, left, 1, comm, &from_left);
    MPI_Bsend_init(&buffered[0], 1, MPI_INT, right, 2, comm, &both[0]);
    MPI_Recv_init(&buffered[1], 1, MPI_INT, left, 2, comm, &both[1]);
    MPI_Allreduce_init(mine, sum, size, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &sums);
    MPI_Allgather_init(row, 1, four, all_rows, 1, four, comm, MPI_INFO_NULL, &rows);
    MPI_Scan_init(mine, before, size, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &prefix);
    MPI_Type_free(&four);
}

static void end(void) {
    MPI_Request* const requests[] = {&to_right, &from_left, &both[0], &both[1], &sums, &rows, &prefix};
    for (unsigned i = 0; i < sizeof requests / sizeof *requests; ++i) {
        int flag = 0;
        MPI_Test(requests[i], &flag, MPI_STATUS_IGNORE);
        if (!flag || *requests[i] == MPI_REQUEST_NULL) complain("an inactive request does not stay");
        MPI_Request_free(requests[i]);
        if (*requests[i] != MPI_REQUEST_NULL) complain("a request is not freed");
    }
    void* address;
    int bytes;
    MPI_Buffer_detach(&address, &bytes);
}

/* What came from a rank that may be dead: its data, or a hole and an empty status. */
static void check(char const* name, int value, int from, int tag, MPI_Status const* status) {
    int received = -1, there = is_there(name, &value, 1, from, me, tag);
    MPI_Get_count(status, MPI_INT, &received);
    if (status->MPI_SOURCE != from || status->MPI_TAG != tag)
        complain("%s: source %d, tag %d", name, status->MPI_SOURCE, status->MPI_TAG);
    if (received != there) complain("%s: %d items received", name, received);
}

static void ring(void) {
    int right = (me + 1) % size, left = (me + size - 1) % size, how = (int)draw(4), flag = 0, at, done;
    MPI_Request requests[2] = {to_right, from_left};
    MPI_Status status, statuses[2];
    out = item(me, right, 0, 1);
    in = -1;
    if (how % 2) {
        MPI_Startall(2, requests);
    } else {
        MPI_Start(&from_left);
        MPI_Start(&to_right);
    }
    if (how == 0) {
        MPI_Wait(&from_left, &status);
        MPI_Wait(&to_right, MPI_STATUS_IGNORE);
    } else if (how == 1) {
        MPI_Waitall(2, requests, statuses);
        status = statuses[1];
    } else if (how == 2) {
        while (!flag) MPI_Testall(2, requests, &flag, statuses);
        status = statuses[1];
    } else {
        for (int i = 0; i < 2; ++i) {
            MPI_Waitany(2, requests, &at, &statuses[0]);
            if (at == 1) status = statuses[0];
            if (at != 0 && at != 1) complain("an active request is not seen");
        }
        MPI_Waitsome(2, requests, &done, &at, statuses);
        if (done != MPI_UNDEFINED) complain("an inactive request is seen");
    }
    if (requests[0] != to_right || requests[1] != from_left) complain("a persistent request has changed");
    check("persistent", in, left, 1, &status);
}

static void buffered_ring(void) {
    int right = (me + 1) % size, left = (me + size - 1) % size;
    MPI_Status statuses[2];
    buffered[0] = item(me, right, 0, 2);
    buffered[1] = -1;
    MPI_Startall(2, both);
    MPI_Waitall(2, both, statuses);
    check("buffered", buffered[1], left, 2, &statuses[1]);
}

/* Nothing comes to this receive: it can be cancelled, and freed while it is active. */
static void withdraw(void) {
    static int never;
    int cancelled = 0;
    MPI_Request request;
    MPI_Status status;
    never = -1;
    MPI_Recv_init(&never, 1, MPI_INT, me, 9, comm, &request);
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    if (!cancelled || never != -1) complain("a receive is not cancelled");
    MPI_Start(&request);
    MPI_Send(&me, 1, MPI_INT, me, 9, comm);
    MPI_Request_free(&request);
    if (request != MPI_REQUEST_NULL) complain("an active request is not freed");
}

static void collectives(void) {
    int there[most_ranks], how = (int)draw(3), at;
    MPI_Request requests[] = {sums, MPI_REQUEST_NULL, rows, prefix};
    contribution(mine);
    for (int i = 0; i < 4; ++i) row[i] = item(me, 0, i, 3);
    soil(all_rows, most_ranks * 4);
    if (how == 0) {
        MPI_Start(&sums);
        MPI_Start(&rows);
        MPI_Start(&prefix);
        MPI_Wait(&prefix, MPI_STATUS_IGNORE);
        MPI_Wait(&rows, MPI_STATUS_IGNORE);
        MPI_Wait(&sums, MPI_STATUS_IGNORE);
    } else {
        MPI_Start(&requests[0]);
        MPI_Startall(2, requests + 2);
        if (how == 1) MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        if (how == 2)
            for (int i = 0; i < 3; ++i) MPI_Waitany(4, requests, &at, MPI_STATUS_IGNORE);
    }
    scope = "together"; /* deaths come between them in any order */
    part = 1;
    saw_sum("allreduce_init", "all", sum);
    part = 2;
    for (int i = 0; i < size; ++i) there[i] = is_there("allgather_init", all_rows + 4 * i, 4, i, 0, 3);
    saw("allgather_init", "all", there);
    part = 0;
    scope = "world";
    if (before[me] != 1.0) complain("scan_init without this rank");
}

/* Messages that a probe finds first. */
static void matched(void) {
    int right = (me + 1) % size, left = (me + size - 1) % size, value = item(me, right, 0, 4), got = -1, flag = 0;
    int how = (int)draw(3), count = -1;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request, sent;
    MPI_Status status, found;
    MPI_Isend(&value, 1, MPI_INT, right, 4, comm, &sent);
    if (how == 0) {
        MPI_Mprobe(left, 4, comm, &message, &found);
        MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
    } else if (how == 1) {
        MPI_Mprobe(left, 4, comm, &message, &found);
        MPI_Imrecv(&got, 1, MPI_INT, &message, &request);
        MPI_Wait(&request, &status);
    } else {
        for (int i = 0; i < 200 && !flag; ++i) {
            MPI_Improbe(left, 4, comm, &flag, &message, &found);
            if (!flag) usleep(100);
        }
        if (!flag) MPI_Mprobe(left, 4, comm, &message, &found); /* it waits, or says that nothing will come */
        MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
    }
    MPI_Get_count(&found, MPI_INT, &count);
    if (found.MPI_SOURCE != left || (count != 1 && count != 0)) complain("%d items of %d", count, found.MPI_SOURCE);
    if (message != MPI_MESSAGE_NULL) complain("a message is left");
    check("matched", got, left, 4, &status);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

static void exchange(void) {
    int right = (me + 1) % size, left = (me + size - 1) % size, how = (int)draw(3), done = 0;
    int value = item(me, right, 0, 5), got = -1;
    MPI_Request request;
    MPI_Status status;
    if (how == 0) {
        MPI_Sendrecv_replace(&value, 1, MPI_INT, right, 5, left, 5, comm, &status);
        got = value;
    } else if (how == 1) {
        MPI_Isendrecv(&value, 1, MPI_INT, right, 5, &got, 1, MPI_INT, left, 5, comm, &request);
        MPI_Wait(&request, &status);
    } else {
        MPI_Isendrecv_replace(&value, 1, MPI_INT, right, 5, left, 5, comm, &request);
        while (!done) MPI_Test(&request, &done, &status);
        got = value;
    }
    check("exchange", got, left, 5, &status);
}

static void (*const steps[])(void) = {ring, buffered_ring, collectives, matched, exchange, withdraw, collectives};

static void act(void) {
    if (step == 1) begin();
    steps[draw(sizeof steps / sizeof *steps)]();
}

int main(int argc, char** argv) {
    return run_traced(argc, argv, act, end);
}
