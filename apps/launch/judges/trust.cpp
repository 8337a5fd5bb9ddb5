// Tells whether a collective that returns MPI_SUCCESS while a member dies inside it can be believed. Ranks call it over
// and over with data that differ in every step, one of them is killed meanwhile, and each rank that got MPI_SUCCESS
// checks its data. Then the ranks that are left try the next call. Plain MPI on purpose: it judges the MPI, not this
// library.
//
// trust SEED CALL...; the ranks that live to the end write, per call, how many deaths it saw and after how many of them
// a rank had wrong data. Without CALL it prints the names of all calls.
#include <mpi.h>

#include <mpi-ext.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using Number = std::uint64_t;
using Numbers = std::vector<Number>;
using Counts = std::vector<int>;
MPI_Datatype const type = MPI_UINT64_T;

constexpr int longest = 3000;
constexpr int most_ranks = 64;
constexpr Number nothing = ~Number{0};                   // what stands where nothing arrived
constexpr auto patience = std::chrono::milliseconds(3);  // the latest moment of a death, from the first step on

/// One step of one rank: which ranks take part, how much they send, and what each has to send.
struct Step {
    MPI_Comm comm;
    int rank, size, length, root;
    Number number;

    /// No two numbers of a step are alike, nor those of different steps.
    Number sent(int from, int to, int index) const {
        return number << 40 | Number(from) << 28 | Number(to) << 16 | Number(index);
    }
    /// Rows of different lengths, the longest last.
    int row(int owner) const { return 1 + (length - 1) * (owner + 1) / size; }
    Number sum(int to, int index) const { return sum_of(size, to, index); }
    /// The sum over the first ranks.
    Number sum_of(int ranks, int to, int index) const {
        Number all = 0;
        for (int from = 0; from < ranks; ++from) all += sent(from, to, index);
        return all;
    }
};

/// The data that went out and came in, and that should have come in. Kept between steps.
struct Buffers {
    Numbers out, in, expected;
    Counts counts, starts;
    void clear() {
        for (Numbers* numbers : {&out, &in, &expected}) numbers->clear();
        counts.clear();
        starts.clear();
    }
    /// The rows of all ranks, one after the other: shape in, and where they begin.
    void lay_out(Step const& step, bool alike) {
        int start = 0;
        for (int rank = 0; rank < step.size; ++rank) {
            counts.push_back(alike ? step.length : step.row(rank));
            starts.push_back(start);
            start += counts.back();
        }
    }
    void send(Step const& step, int to, int length) {
        for (int i = 0; i < length; ++i) out.push_back(step.sent(step.rank, to, i));
    }
    void expect(Step const& step, int from, int to, int length) {
        for (int i = 0; i < length; ++i) expected.push_back(step.sent(from, to, i));
    }
    void expect_all(Step const& step, int to) {
        for (int from = 0; from < step.size; ++from) expect(step, from, to, counts[static_cast<std::size_t>(from)]);
    }
    void receive() { in.assign(expected.size(), nothing); }
};

using Call = int (*)(Step const&, Buffers&);

int allgather(Step const& step, Buffers& b) {
    b.lay_out(step, true);
    b.send(step, 0, step.length);
    b.expect_all(step, 0);
    b.receive();
    return MPI_Allgather(b.out.data(), step.length, type, b.in.data(), step.length, type, step.comm);
}

int allgatherv(Step const& step, Buffers& b) {
    b.lay_out(step, false);
    b.send(step, 0, step.row(step.rank));
    b.expect_all(step, 0);
    b.receive();
    return MPI_Allgatherv(b.out.data(), step.row(step.rank), type, b.in.data(), b.counts.data(), b.starts.data(), type,
                          step.comm);
}

int allreduce(Step const& step, Buffers& b) {
    b.send(step, 0, step.length);
    for (int i = 0; i < step.length; ++i) b.expected.push_back(step.sum(0, i));
    b.receive();
    return MPI_Allreduce(b.out.data(), b.in.data(), step.length, type, MPI_SUM, step.comm);
}

int alltoall(Step const& step, Buffers& b) {
    b.lay_out(step, true);
    for (int to = 0; to < step.size; ++to) b.send(step, to, step.length);
    b.expect_all(step, step.rank);
    b.receive();
    return MPI_Alltoall(b.out.data(), step.length, type, b.in.data(), step.length, type, step.comm);
}

int alltoallv(Step const& step, Buffers& b) {
    // Each row is as long as the sender's.
    Counts out_counts, out_starts;
    for (int to = 0; to < step.size; ++to) {
        out_counts.push_back(step.row(step.rank));
        out_starts.push_back(to * step.row(step.rank));
        b.send(step, to, step.row(step.rank));
    }
    b.lay_out(step, false);
    b.expect_all(step, step.rank);
    b.receive();
    return MPI_Alltoallv(b.out.data(), out_counts.data(), out_starts.data(), type, b.in.data(), b.counts.data(),
                         b.starts.data(), type, step.comm);
}

int alltoallw(Step const& step, Buffers& b) {
    b.lay_out(step, true);
    for (int to = 0; to < step.size; ++to) b.send(step, to, step.length);
    b.expect_all(step, step.rank);
    b.receive();
    Counts places(b.starts);
    for (int& place : places) place *= static_cast<int>(sizeof(Number));
    std::vector<MPI_Datatype> const types(b.counts.size(), type);
    return MPI_Alltoallw(b.out.data(), b.counts.data(), places.data(), types.data(), b.in.data(), b.counts.data(),
                         places.data(), types.data(), step.comm);
}

/// The last step in which each rank was, in a file that all ranks map: it shows what a barrier promises.
std::atomic<Number>* arrivals() {
    static auto* const mapped = [] {
        char const* directory = std::getenv("REGRAFT_VERDICTS");
        std::string const path = std::string(directory ? directory : ".") + "/arrivals";
        int const file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
        if (file < 0 || ftruncate(file, most_ranks * sizeof(Number)) != 0) std::abort();
        void* memory = mmap(nullptr, most_ranks * sizeof(Number), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory == MAP_FAILED) std::abort();
        close(file);
        return static_cast<std::atomic<Number>*>(memory);
    }();
    return mapped;
}

int barrier(Step const& step, Buffers& b) {
    arrivals()[step.rank] = step.number;
    int const code = MPI_Barrier(step.comm);
    for (int rank = 0; rank < step.size; ++rank) {
        b.in.push_back(std::min<Number>(arrivals()[rank], step.number));
        b.expected.push_back(step.number);
    }
    return code;
}

int bcast(Step const& step, Buffers& b) {
    b.expect(step, step.root, 0, step.length);
    b.receive();
    if (step.rank == step.root) b.in = b.expected;
    return MPI_Bcast(b.in.data(), step.length, type, step.root, step.comm);
}

/// A broadcast of the numbers at every other place.
int bcast_strided(Step const& step, Buffers& b) {
    auto const spread = [](Numbers const& numbers) {
        Numbers places(2 * numbers.size(), nothing);
        for (std::size_t i = 0; i < numbers.size(); ++i) places[2 * i] = numbers[i];
        return places;
    };
    b.expect(step, step.root, 0, step.length);
    b.receive();
    b.expected = spread(b.expected);
    b.in = step.rank == step.root ? b.expected : spread(b.in);
    MPI_Datatype every_other = MPI_DATATYPE_NULL;
    MPI_Type_vector(step.length, 1, 2, type, &every_other);
    MPI_Type_commit(&every_other);
    int const code = MPI_Bcast(b.in.data(), 1, every_other, step.root, step.comm);
    MPI_Type_free(&every_other);
    return code;
}

int gather(Step const& step, Buffers& b) {
    b.lay_out(step, true);
    b.send(step, 0, step.length);
    if (step.rank == step.root) b.expect_all(step, 0);
    b.receive();
    return MPI_Gather(b.out.data(), step.length, type, b.in.data(), step.length, type, step.root, step.comm);
}

int gatherv(Step const& step, Buffers& b) {
    b.lay_out(step, false);
    b.send(step, 0, step.row(step.rank));
    if (step.rank == step.root) b.expect_all(step, 0);
    b.receive();
    return MPI_Gatherv(b.out.data(), step.row(step.rank), type, b.in.data(), b.counts.data(), b.starts.data(), type,
                       step.root, step.comm);
}

int reduce(Step const& step, Buffers& b) {
    b.send(step, 0, step.length);
    if (step.rank == step.root)
        for (int i = 0; i < step.length; ++i) b.expected.push_back(step.sum(0, i));
    b.receive();
    return MPI_Reduce(b.out.data(), b.in.data(), step.length, type, MPI_SUM, step.root, step.comm);
}

int reduce_scatter(Step const& step, Buffers& b) {
    b.lay_out(step, false);
    for (int to = 0; to < step.size; ++to) b.send(step, to, step.row(to));
    for (int i = 0; i < step.row(step.rank); ++i) b.expected.push_back(step.sum(step.rank, i));
    b.receive();
    return MPI_Reduce_scatter(b.out.data(), b.in.data(), b.counts.data(), type, MPI_SUM, step.comm);
}

int reduce_scatter_block(Step const& step, Buffers& b) {
    for (int to = 0; to < step.size; ++to) b.send(step, to, step.length);
    for (int i = 0; i < step.length; ++i) b.expected.push_back(step.sum(step.rank, i));
    b.receive();
    return MPI_Reduce_scatter_block(b.out.data(), b.in.data(), step.length, type, MPI_SUM, step.comm);
}

int exscan(Step const& step, Buffers& b) {
    b.send(step, 0, step.length);
    for (int i = 0; i < step.length && step.rank > 0; ++i) b.expected.push_back(step.sum_of(step.rank, 0, i));
    b.receive();
    Number unused[longest];  // rank 0 gets what MPI likes
    return MPI_Exscan(b.out.data(), step.rank > 0 ? b.in.data() : unused, step.length, type, MPI_SUM, step.comm);
}

int scan(Step const& step, Buffers& b) {
    b.send(step, 0, step.length);
    for (int i = 0; i < step.length; ++i) b.expected.push_back(step.sum_of(step.rank + 1, 0, i));
    b.receive();
    return MPI_Scan(b.out.data(), b.in.data(), step.length, type, MPI_SUM, step.comm);
}

int scatter(Step const& step, Buffers& b) {
    if (step.rank == step.root)
        for (int to = 0; to < step.size; ++to) b.send(step, to, step.length);
    b.expect(step, step.root, step.rank, step.length);
    b.receive();
    return MPI_Scatter(b.out.data(), step.length, type, b.in.data(), step.length, type, step.root, step.comm);
}

int scatterv(Step const& step, Buffers& b) {
    b.lay_out(step, false);
    if (step.rank == step.root)
        for (int to = 0; to < step.size; ++to) b.send(step, to, step.row(to));
    b.expect(step, step.root, step.rank, step.row(step.rank));
    b.receive();
    return MPI_Scatterv(b.out.data(), b.counts.data(), b.starts.data(), type, b.in.data(), step.row(step.rank), type,
                        step.root, step.comm);
}

/// A call that is wrong whenever a rank dies in it: it returns success whatever happened. For the test of this program.
int careless(Step const& step, Buffers& b) {
    return allgather(step, b), MPI_SUCCESS;
}

std::map<std::string, Call> const calls{
    {"Allgather", allgather},
    {"Allgatherv", allgatherv},
    {"Allreduce", allreduce},
    {"Alltoall", alltoall},
    {"Alltoallv", alltoallv},
    {"Alltoallw", alltoallw},
    {"Barrier", barrier},
    {"Bcast", bcast},
    {"Bcast_strided", bcast_strided},
    {"Exscan", exscan},
    {"Gather", gather},
    {"Gatherv", gatherv},
    {"Reduce", reduce},
    {"Reduce_scatter", reduce_scatter},
    {"Reduce_scatter_block", reduce_scatter_block},
    {"Scan", scan},
    {"Scatter", scatter},
    {"Scatterv", scatterv},
    {"careless", careless},
};

/// Only the flag is the same everywhere; the return code is not.
bool agreed(MPI_Comm comm, bool mine) {
    int flag = mine;
    MPIX_Comm_agree(comm, &flag);
    return flag != 0;
}

bool knows_the_dead(MPI_Comm comm) {
    MPI_Group dead = MPI_GROUP_NULL;
    int size = 0;
    MPIX_Comm_get_failed(comm, &dead);
    MPI_Group_size(dead, &size);
    MPI_Group_free(&dead);
    return size > 0;
}

/// Makes a communicator without the rank that died. Shrinking begins when all know of that death: otherwise, once in a
/// thousand deaths, ranks leave MPIX_Comm_shrink with different results or never.
MPI_Comm shrunk(MPI_Comm comm) {
    MPI_Comm next = MPI_COMM_NULL;
    do {
        while (!agreed(comm, knows_the_dead(comm))) {
        }
    } while (!agreed(comm, MPIX_Comm_shrink(comm, &next) == MPI_SUCCESS));
    MPI_Comm_set_errhandler(next, MPI_ERRORS_RETURN);
    MPI_Comm_free(&comm);
    agreed(next, true);  // a rank that dies while others still make a communicator may never be noticed on it
    return next;
}

/// Lets MPI look at what has come. Over TCP the first rank of MPI_Scan, which only sends, would never hear of a death.
void make_progress() {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}

/// Calls until it fails or the data are wrong. Returns whether they were right each time it returned MPI_SUCCESS.
bool right_until_failure(Call call, Step step, Buffers& buffers) {
    for (;; ++step.number, step.root = (step.root + 1) % step.size) {
        buffers.clear();
        if (call(step, buffers) != MPI_SUCCESS) return true;
        if (buffers.in != buffers.expected) return false;
        make_progress();
    }
}

struct Tally {
    int deaths = 0;
    int wrong = 0;
    int longest_row = 0;  // of those that were wrong
};

/// One death inside the call: whether data were wrong anywhere, and the communicator of those left.
bool survive(Call call, Step& step, std::mt19937& random, Buffers& buffers) {
    std::uniform_int_distribution<long> delay(0, std::chrono::microseconds(patience).count());
    auto const moment = std::chrono::microseconds(delay(random));
    bool const victim = random() % static_cast<unsigned>(step.size) == static_cast<unsigned>(step.rank);
    if (victim) {
        std::thread([moment] {
            std::this_thread::sleep_for(moment);
            kill(getpid(), SIGKILL);
        }).detach();
    }
    bool const right = right_until_failure(call, step, buffers);
    MPIX_Comm_revoke(step.comm);
    while (victim) pause();
    bool const all_right = agreed(step.comm, right);
    step.comm = shrunk(step.comm);
    return all_right;
}

void write_verdict(int world_rank, std::map<std::string, Tally> const& tallies) {
    char const* directory = std::getenv("REGRAFT_VERDICTS");
    if (!directory) return;
    std::string text = "pass";
    for (auto const& [name, tally] : tallies)
        text += ' ' + name + ':' + std::to_string(tally.deaths) + ':' + std::to_string(tally.wrong) + ':' +
                std::to_string(tally.longest_row);
    std::string const path = std::string(directory) + '/' + std::to_string(world_rank);
    if (std::FILE* file = std::fopen((path + ".tmp").c_str(), "w")) {
        std::fprintf(file, "%s\n", text.c_str());
        std::fclose(file);
        std::rename((path + ".tmp").c_str(), path.c_str());  // the launcher must not read half a verdict
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        for (auto const& [name, call] : calls) std::printf("%s\n", name.c_str());
        return 0;
    }
    std::mt19937 random(static_cast<unsigned>(std::atoi(argv[1])));  // the same on all ranks
    std::vector<std::string> const names(argv + 2, argv + argc);
    constexpr int fewest = 3;  // of two, one would be left: none to have wrong data from

    std::signal(SIGPIPE, SIG_IGN);
    MPI_Init(&argc, &argv);
    int world_rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    Step step{};
    MPI_Comm_dup(MPI_COMM_WORLD, &step.comm);
    agreed(MPI_COMM_WORLD, true);

    std::map<std::string, Tally> tallies;
    Buffers buffers;
    for (std::size_t turn = 0;; ++turn) {
        MPI_Comm_rank(step.comm, &step.rank);
        MPI_Comm_size(step.comm, &step.size);
        if (step.size < fewest) break;
        step.number = (Number{turn} + 1) << 18;  // no step of the turn before is like one of this
        step.root = static_cast<int>(random() % static_cast<unsigned>(step.size));
        Counts const lengths{1, 2, 5, 12, 20, 40, 300, longest};
        step.length = lengths[random() % lengths.size()];
        auto const& name = names[turn % names.size()];
        auto& tally = tallies[name];
        ++tally.deaths;
        if (!survive(calls.at(name), step, random, buffers)) {
            ++tally.wrong;
            tally.longest_row = std::max(tally.longest_row, step.length);
        }
    }
    write_verdict(world_rank, tallies);
    MPI_Finalize();
}
