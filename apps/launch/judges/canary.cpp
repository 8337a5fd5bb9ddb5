// Tells whether this MPI survives. Kills 1-3 ranks at a time by SIGKILL while messages are in flight, shrinks, and goes
// on down to one survivor, which writes its verdict. Plain MPI on purpose: it judges the MPI, not this library.
//
// canary outside|collectives|point-to-point SEED
#include <mpi.h>

#include <mpi-ext.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

using Ints = std::vector<int>;
constexpr int num_ints = 25000;  // in a message: too long to be sent eagerly

struct Member {
    MPI_Comm comm;
    int rank, size;
    bool victim;
    void die_if(bool now = true) const {
        if (victim && now) raise(SIGKILL);
    }
};

/// Buffers of requests that a failure left behind may be written later: they live for ever.
int* buffer(int value = 0) {
    static std::deque<Ints> all;
    return all.emplace_back(num_ints, value).data();
}

/// The dead make no call, and the others hear of them where they shrink.
void outside(Member const& me) {
    me.die_if();
}

void allreduce(Member const& me) {
    int one = 1, sum = 0;
    me.die_if(me.rank % 2 == 0);  // the others die between the collective and shrink
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, me.comm);
}

void agreement(Member const& me) {
    int one = 1;
    me.die_if();
    MPIX_Comm_agree(me.comm, &one);
}

/// Some ranks are dead before the agreement; the others die while all wait for the dead to be detected.
void agreement_with_late_deaths(Member const& me) {
    int one = 1;
    me.die_if(me.rank % 2 == 0);
    if (me.victim) {
        std::thread([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            kill(getpid(), SIGKILL);
        }).detach();
    }
    MPIX_Comm_agree(me.comm, &one);
}

void alltoallv(Member const& me) {
    auto const size = static_cast<std::size_t>(me.size);
    Ints counts(size, num_ints), starts(size), out(size * num_ints, me.rank), in(size * num_ints);
    for (std::size_t i = 0; i < size; ++i) starts[i] = static_cast<int>(i) * num_ints;
    me.die_if();
    MPI_Alltoallv(out.data(), counts.data(), starts.data(), MPI_INT, in.data(), counts.data(), starts.data(), MPI_INT,
                  me.comm);
}

void ring_of_isend_irecv(Member const& me) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(buffer(), num_ints, MPI_INT, (me.rank + me.size - 1) % me.size, 3, me.comm, &requests[0]);
    me.die_if();
    MPI_Isend(buffer(me.rank), num_ints, MPI_INT, (me.rank + 1) % me.size, 3, me.comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPIX_Comm_revoke(me.comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

void rounds_of_sendrecv(Member const& me) {
    int code = MPI_SUCCESS;
    for (int k = 1; k < me.size && code == MPI_SUCCESS; ++k) {
        me.die_if(k == me.size / 2);
        code = MPI_Sendrecv(buffer(me.rank), num_ints, MPI_INT, (me.rank + k) % me.size, 7, buffer(), num_ints, MPI_INT,
                            (me.rank + me.size - k) % me.size, 7, me.comm, MPI_STATUS_IGNORE);
    }
}

/// Only the flag is the same everywhere; the return code is not.
bool agreed(MPI_Comm comm, bool mine) {
    int flag = mine;
    MPIX_Comm_agree(comm, &flag);
    return flag;
}

/// Shrinks until all survivors see the expected size: a late death needs another round.
MPI_Comm shrunk(MPI_Comm comm, int expected) {
    for (;;) {
        MPI_Comm next;
        if (MPIX_Comm_shrink(comm, &next) != MPI_SUCCESS) continue;
        agreed(comm, true);  // no rank uses the new communicator before all have left shrink
        MPI_Comm_set_errhandler(next, MPI_ERRORS_RETURN);
        MPI_Comm_free(&comm);
        comm = next;
        int size = 0;
        MPI_Comm_size(comm, &size);
        if (size < expected) _exit(4);  // a rank died that was not killed
        if (agreed(comm, size == expected)) return comm;
    }
}

bool chosen(int rank, int size, int deaths, std::mt19937& random) {
    Ints order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    return std::find(order.begin(), order.begin() + deaths, rank) != order.begin() + deaths;
}

}  // namespace

int main(int argc, char** argv) {
    std::string_view const mode = argc > 1 ? argv[1] : "";
    unsigned const seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;
    using Operation = void (*)(Member const&);
    std::vector<Operation> const operations =
        mode == "outside"       ? std::vector<Operation>{outside}
        : mode == "collectives" ? std::vector<Operation>{allreduce, agreement, agreement_with_late_deaths, alltoallv}
                                : std::vector<Operation>{ring_of_isend_irecv, rounds_of_sendrecv};

    std::signal(SIGPIPE, SIG_IGN);
    MPI_Init(&argc, &argv);
    int world_rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    agreed(MPI_COMM_WORLD, true);

    std::mt19937 random(seed);  // the same on all ranks
    int cycles = 0;
    for (Member me{comm, 0, 0, false};; ++cycles) {
        me.comm = comm;
        MPI_Comm_rank(comm, &me.rank);
        MPI_Comm_size(comm, &me.size);
        if (me.size == 1) break;
        int const deaths = std::min(1 + static_cast<int>(random() % 3), me.size - 1);
        me.victim = chosen(me.rank, me.size, deaths, random);
        operations[random() % operations.size()](me);
        MPIX_Comm_revoke(comm);
        me.die_if();
        comm = shrunk(comm, me.size - deaths);
        int one = 1, sum = 0;
        if (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS || sum != me.size - deaths) _exit(5);
        agreed(comm, true);  // leave the cycle together
    }

    if (char const* directory = std::getenv("REGRAFT_VERDICTS")) {
        std::string const path = std::string(directory) + '/' + std::to_string(world_rank);
        if (std::FILE* file = std::fopen(path.c_str(), "w")) {
            std::fprintf(file, "pass %d\n", cycles);
            std::fclose(file);
        }
    }
    MPI_Finalize();
}
