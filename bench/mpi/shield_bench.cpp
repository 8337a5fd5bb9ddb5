// The time of calls of MPI. The same program with and without the shield measures what the shield costs. It knows
// nothing of the shield: tools/bench/shield_bench.py preloads the library, or not.
//
//   shield_bench BATCHES   rank 0 prints NAME BYTES NANOSECONDS per operation, of the fastest of so many batches
//   shield_bench --die R   rank R dies on the way; rank 0 prints how long the others were held up: pause NANOSECONDS
//
// A batch begins with a barrier and takes as long as its slowest rank. What an operation does is checked before it is
// timed.
#include <mpi.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

namespace {

constexpr double batch_seconds = 1e-3;
constexpr int most_calls = 1000;

struct Job {
    int rank = 0;
    int size = 0;
    std::vector<double> in, out;
    std::vector<int> counts, places;

    void arrange(int count) {
        if (counts.size() == static_cast<std::size_t>(size) && counts[0] == count) return;
        counts.assign(static_cast<std::size_t>(size), count);
        places.resize(counts.size());
        for (int i = 0; i < size; ++i) places[static_cast<std::size_t>(i)] = i * count;
    }
};

/// One call, and whether its result is right. count: doubles; root: of those that have one.
struct Operation {
    char const* name;
    int count;
    void (*call)(Job&, int count);
    bool (*is_right)(Job const&, int count);
    bool (*takes_part)(Job const&) = nullptr;  // nullptr: all members do
};

double sum_of_ranks(Job const& job) {
    return 0.5 * job.size * (job.size - 1);
}

bool are_all(std::vector<double> const& values, std::size_t count, double value) {
    return std::all_of(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count),
                       [&](double x) { return x == value; });
}

void allreduce(Job& job, int count) {
    MPI_Allreduce(job.out.data(), job.in.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
bool all_have_sum(Job const& job, int count) {
    return are_all(job.in, static_cast<std::size_t>(count), sum_of_ranks(job));
}

void reduce(Job& job, int count) {
    MPI_Reduce(job.out.data(), job.in.data(), count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}
bool root_has_sum(Job const& job, int count) {
    return job.rank != 0 || all_have_sum(job, count);
}

void bcast(Job& job, int count) {
    MPI_Bcast(job.rank == 1 ? job.out.data() : job.in.data(), count, MPI_DOUBLE, 1, MPI_COMM_WORLD);
}
bool all_have_one(Job const& job, int count) {
    return job.rank == 1 || are_all(job.in, static_cast<std::size_t>(count), 1);
}

void gather(Job& job, int count) {
    MPI_Gather(job.out.data(), count, MPI_DOUBLE, job.in.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
bool root_has_all(Job const& job, int count) {
    for (int i = 0; job.rank == 0 && i < job.size * count; ++i)
        if (job.in[static_cast<std::size_t>(i)] != i / count) return false;
    return true;
}

/// counts and places: of equal blocks, one after the other.
void gatherv(Job& job, int count) {
    job.arrange(count);
    MPI_Gatherv(job.out.data(), count, MPI_DOUBLE, job.in.data(), job.counts.data(), job.places.data(), MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
}
void alltoallv(Job& job, int count) {
    job.arrange(count);
    MPI_Alltoallv(job.out.data(), job.counts.data(), job.places.data(), MPI_DOUBLE, job.in.data(), job.counts.data(),
                  job.places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
}
bool all_have_all(Job const& job, int count) {
    for (int i = 0; i < job.size * count; ++i)
        if (job.in[static_cast<std::size_t>(i)] != i / count) return false;
    return true;
}

void dup(Job&, int) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_free(&made);
}

void barrier(Job&, int) {
    MPI_Barrier(MPI_COMM_WORLD);
}
bool always(Job const&, int) {
    return true;
}

void ping_pong(Job& job, int count) {
    if (job.rank == 0) {
        MPI_Send(job.out.data(), count, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(job.in.data(), count, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(job.in.data(), count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(job.out.data(), count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
}
bool has_what_other_sent(Job const& job, int count) {
    return are_all(job.in, static_cast<std::size_t>(count), 1 - job.rank);
}
bool are_two(Job const& job) {
    return job.rank < 2;
}

/// Around a ring.
void sendrecv(Job& job, int count) {
    int const to = (job.rank + 1) % job.size;
    int const from = (job.rank + job.size - 1) % job.size;
    MPI_Sendrecv(job.out.data(), count, MPI_DOUBLE, to, 0, job.in.data(), count, MPI_DOUBLE, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}
bool has_what_left_sent(Job const& job, int count) {
    return are_all(job.in, static_cast<std::size_t>(count), (job.rank + job.size - 1) % job.size);
}

/// To and from both neighbours in a ring.
void halo(Job& job, int count) {
    int const right = (job.rank + 1) % job.size;
    int const left = (job.rank + job.size - 1) % job.size;
    MPI_Request requests[4];
    MPI_Irecv(job.in.data(), count, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(job.in.data() + count, count, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(job.out.data(), count, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(job.out.data(), count, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}
bool has_both_halos(Job const& job, int count) {
    bool const right = job.in[static_cast<std::size_t>(count)] == (job.rank + 1) % job.size;
    return right && has_what_left_sent(job, count);
}

constexpr int kibi = 1024 / sizeof(double);
constexpr Operation operations[] = {
    {"barrier", 0, barrier, always},
    {"allreduce", 1, allreduce, all_have_sum},
    {"allreduce", 64 * kibi, allreduce, all_have_sum},
    {"bcast", 1, bcast, all_have_one},
    {"bcast", 64 * kibi, bcast, all_have_one},
    {"bcast", 1024 * kibi, bcast, all_have_one},
    {"reduce", 1, reduce, root_has_sum},
    {"reduce", 25, reduce, root_has_sum},
    {"gather", 1, gather, root_has_all},
    {"gatherv", 1, gatherv, root_has_all},
    {"gatherv", 64 * kibi, gatherv, root_has_all},
    {"alltoallv", 1, alltoallv, all_have_all},
    {"dup", 0, dup, always},
    {"ping-pong", 1, ping_pong, has_what_other_sent, are_two},
    {"ping-pong", 64 * kibi, ping_pong, has_what_other_sent, are_two},
    {"sendrecv", 1, sendrecv, has_what_left_sent},
    {"halo", 1, halo, has_both_halos},
    {"halo", 64 * kibi, halo, has_both_halos},
};

/// The time of the slowest rank.
double seconds_of_batch(Job& job, Operation const& operation, int calls) {
    MPI_Barrier(MPI_COMM_WORLD);
    double const start = MPI_Wtime();
    bool const takes_part = operation.takes_part == nullptr || operation.takes_part(job);
    for (int i = 0; takes_part && i < calls; ++i) operation.call(job, operation.count);
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

void check(Job& job, Operation const& operation) {
    std::fill(job.in.begin(), job.in.end(), -1);
    bool const takes_part = operation.takes_part == nullptr || operation.takes_part(job);
    if (!takes_part) return;
    operation.call(job, operation.count);
    if (operation.is_right(job, operation.count)) return;
    std::fprintf(stderr, "shield_bench: rank %d has a wrong result of %s\n", job.rank, operation.name);
    std::abort();
}

void measure(Job& job, Operation const& operation, int batches) {
    check(job, operation);
    int calls = 1;
    for (double seconds = 0; calls < most_calls && seconds < batch_seconds; calls *= 2)
        seconds = seconds_of_batch(job, operation, calls);
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < batches; ++i) least = std::min(least, seconds_of_batch(job, operation, calls) / calls);
    if (job.rank == 0)
        std::printf("%s %zu %.2f\n", operation.name, static_cast<std::size_t>(operation.count) * sizeof(double),
                    least * 1e9);
}

/// The longest of many calls is the one in which a rank died.
void pause_of_death(Job& job, int victim) {
    constexpr int calls = 2000;
    double longest = 0;
    for (int i = 0; i < calls; ++i) {
        if (job.rank == victim && i == calls / 2) std::raise(SIGKILL);
        double const start = MPI_Wtime();
        allreduce(job, 1);
        if (i > 0) longest = std::max(longest, MPI_Wtime() - start);
    }
    if (job.in[0] != sum_of_ranks(job) - victim) {
        std::fprintf(stderr, "shield_bench: rank %d has a wrong sum of the survivors\n", job.rank);
        std::abort();
    }
    if (job.rank == 0) std::printf("pause %.0f\n", longest * 1e9);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Job job;
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.size);
    constexpr std::size_t most_doubles = 1024 * kibi;
    job.in.resize(most_doubles);
    job.out.assign(most_doubles, job.rank);
    if (argc == 3 && std::string_view(argv[1]) == "--die") {
        pause_of_death(job, std::atoi(argv[2]));
    } else {
        int const batches = argc > 1 ? std::atoi(argv[1]) : 200;
        for (auto const& operation : operations)
            if (argc <= 2 || std::string_view(argv[2]) == operation.name) measure(job, operation, batches);
    }
    MPI_Finalize();
}
