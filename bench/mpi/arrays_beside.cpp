// What tools/bench/python_arrays.py times and weighs, in C++: submits, loads and commits of arrays, on the same number
// of ranks. An MPI job; rank 0 prints as that script does.
//
// arrays_beside alone TURNS BYTES...: NAME BYTES MILLISECONDS of the slowest rank, once for each turn.
// arrays_beside memory WHAT BYTES: NAME BYTES FACTOR, the most memory that a rank has used beside what it had before,
// as a multiple of its bytes.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"

namespace {

using namespace regraft;

constexpr std::uint64_t columns = 16;  // numbers in a row
constexpr std::uint32_t replicas = 2;
constexpr std::size_t parts = 4;  // arrays of a snapshot that is weighed

double largest(ft::Communicator& comm, double mine) {
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, comm.native());
    return mine;
}

/// The most memory that this process has used, in bytes.
double peak() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

class Arrays {
public:
    Arrays(ft::Communicator& comm, std::uint64_t bytes_each)
        : comm_(comm),
          size_(static_cast<std::uint32_t>(comm.size())),
          each_(bytes_each / (sizeof(double) * columns)),
          rows_(each_ * columns),
          store_(comm),
          snapshot_(comm) {
        for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = static_cast<double>(i * 7919 % 1000003);
    }

    /// The rows in the snapshot, as so many arrays.
    void add(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            auto const part = even_part<BlockId>(rows_.size(), i, count);
            snapshot_.add("rows " + std::to_string(self()) + '.' + std::to_string(i),
                          std::span(rows_).subspan(value(part.first), part.size()));
        }
    }

    void submit() {
        store_.submit(placement::ModK(size_ * each_, size_, replicas), rows_of(self()), std::as_bytes(std::span(rows_)),
                      sizeof(double) * columns);
    }
    void load() {
        auto const wanted = rows_of((self() + size_ / 2 + 1) % size_);
        out_.resize(rows_.size());
        static_cast<void>(store_.load(std::span(&wanted, 1), std::as_writable_bytes(std::span(out_))));
    }
    void commit() { snapshot_.commit(); }
    void restore() { static_cast<void>(snapshot_.restore()); }

private:
    std::uint32_t self() const { return static_cast<std::uint32_t>(comm_.position(comm_.self())); }
    BlockRange rows_of(std::uint64_t rank) const { return {BlockId{rank * each_}, BlockId{(rank + 1) * each_}}; }

    ft::Communicator& comm_;
    std::uint32_t size_;
    std::uint64_t each_;
    std::vector<double> rows_, out_;
    store::ReplicatedStore store_;
    checkpoint::Snapshot snapshot_;
};

using Calls = std::vector<std::pair<std::string, std::function<void()>>>;

/// Appends the seconds of each call on this rank.
void turn(ft::Communicator& comm, Calls const& calls, std::vector<double>& times) {
    for (auto const& [name, call] : calls) {
        MPI_Barrier(comm.native());
        auto const begin = MPI_Wtime();
        call();
        times.push_back(MPI_Wtime() - begin);
    }
}

/// Turns without a record: memory is touched for the first time, and the system favours processes that are new.
void warm_up(ft::Communicator& comm, Calls const& calls, double seconds) {
    std::vector<double> ignored;
    auto const begin = MPI_Wtime();
    for (int enough = 0; enough == 0;) {
        turn(comm, calls, ignored);
        enough = MPI_Wtime() - begin > seconds ? 1 : 0;
        MPI_Bcast(&enough, 1, MPI_INT, 0, comm.native());
    }
}

void time(ft::Communicator& comm, std::uint64_t turns, std::uint64_t bytes) {
    Arrays arrays(comm, bytes);
    arrays.add(1);
    arrays.submit();
    Calls const calls{{"cpp_submit", [&] { arrays.submit(); }},
                      {"cpp_load", [&] { arrays.load(); }},
                      {"cpp_commit", [&] { arrays.commit(); }},
                      {"cpp_restore", [&] { arrays.restore(); }}};
    warm_up(comm, calls, turns == 1 ? 0 : 1);
    std::vector<double> times;
    for (std::uint64_t i = 0; i < turns; ++i) turn(comm, calls, times);
    // Printed at the end: mpirun, which passes it on, would want a core meanwhile.
    std::vector<double> slowest(times.size());
    MPI_Reduce(times.data(), slowest.data(), static_cast<int>(times.size()), MPI_DOUBLE, MPI_MAX, 0, comm.native());
    if (!comm.leads()) return;
    for (std::size_t i = 0; i < slowest.size(); ++i) {
        std::printf("%s %llu %.6f\n", calls[i % calls.size()].first.c_str(), static_cast<unsigned long long>(bytes),
                    slowest[i] * 1e3);
    }
}

void weigh(ft::Communicator& comm, std::string const& what, std::uint64_t bytes) {
    auto const before = peak();
    Arrays arrays(comm, bytes);
    arrays.add(parts);
    for (int i = 0; i < 2; ++i) {  // both versions, or both commits
        if (what == "commit") arrays.commit();
        if (what != "commit") arrays.submit();
    }
    if (what == "load") arrays.load();
    auto const factor = largest(comm, (peak() - before) / static_cast<double>(bytes));
    if (comm.leads()) std::printf("cpp_%s %llu %.6f\n", what.c_str(), static_cast<unsigned long long>(bytes), factor);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> const words(argv + 1, argv + argc);
    if (words.size() < 3) return 2;
    int given = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);  // as mpi4py does
    {
        ft::Communicator comm(MPI_COMM_WORLD);
        for (std::size_t i = 2; i < words.size(); ++i) {
            if (words[0] == "alone") time(comm, std::stoull(words[1]), std::stoull(words[i]));
            if (words[0] == "memory") weigh(comm, words[1], std::stoull(words[i]));
        }
    }
    MPI_Finalize();
}
