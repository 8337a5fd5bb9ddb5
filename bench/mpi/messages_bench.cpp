// What messages take, for the constants of regraft-plan simulate (tools/bench/model/constants.py). An MPI job; rank 0
// reports. All exchanges are calls of MPI_Alltoallv, as those of the library:
//
//   empty/all        nobody sends anything
//   small/within     every rank sends 8 bytes to each other rank of its node
//   large/within     every rank sends 4 MiB to the next rank of its node
//   small/between    every rank sends 8 bytes to each rank of other nodes
//   large/between    every rank sends 4 MiB to the next node
//   lone/between     the first rank of every node sends 4 MiB to the next node
//   copy/all         every rank copies 4 MiB
//   fresh/all        every rank writes into 4 MiB of memory that it gets from the system, as the store gets it
//
// Caches hold other bytes before large messages and copies, as they do in a program that computes between exchanges.
// What is between nodes is measured only where there are several. All answers are compared before they are timed.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "job.hpp"
#include "regraft/ft/nodes.hpp"
#include "store/blocks/memory.hpp"

namespace {

using namespace regraft;

constexpr int small_bytes = 8;
constexpr int large_bytes = 4 << 20;

/// The places of the members of each node.
using Nodes = std::map<std::uint32_t, std::vector<std::size_t>>;

/// What one rank sends and receives in an exchange, by member.
class Exchange {
public:
    explicit Exchange(std::size_t members) : to_(members, 0), from_(members, 0) {}

    void send(std::size_t member, int bytes) { to_[member] = bytes; }
    void receive(std::size_t member, int bytes) { from_[member] = bytes; }
    /// After the last of them.
    void prepare(std::byte own) {
        sent_.assign(places(to_, to_places_), own);
        received_.assign(places(from_, from_places_), std::byte{0});
    }
    void run(MPI_Comm comm) {
        MPI_Alltoallv(sent_.data(), to_.data(), to_places_.data(), MPI_BYTE, received_.data(), from_.data(),
                      from_places_.data(), MPI_BYTE, comm);
    }
    /// Whether what has arrived is what mark() says of its sender.
    template <class Mark>
    bool is_right(Mark mark) const {
        for (std::size_t i = 0; i < from_.size(); ++i) {
            auto const begin = received_.begin() + from_places_[i];
            if (!std::all_of(begin, begin + from_[i], [&](std::byte x) { return x == mark(i); })) return false;
        }
        return true;
    }

private:
    static std::size_t places(std::vector<int> const& counts, std::vector<int>& result) {
        int sum = 0;
        for (int const count : counts) result.push_back(std::exchange(sum, sum + count));
        return static_cast<std::size_t>(sum);
    }

    std::vector<int> to_, from_, to_places_, from_places_;
    std::vector<std::byte> sent_, received_;
};

/// The member that is one node, or so many, further on, in the same place on its node as far as that has so many ranks.
std::size_t on_node(Nodes const& nodes, std::size_t number, std::size_t place) {
    auto const& members = std::next(nodes.begin(), static_cast<std::ptrdiff_t>(number % nodes.size()))->second;
    return members[place % members.size()];
}

/// All pairs of members that exchange something, and how much.
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(std::string const& what, Nodes const& nodes) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    std::size_t number = 0;
    for (auto const& [id, members] : nodes) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (what == "large/within" && members.size() > 1)
                pairs.emplace_back(members[i], members[(i + 1) % members.size()]);
            if (what == "large/between" || (what == "lone/between" && i == 0))
                pairs.emplace_back(members[i], on_node(nodes, number + 1, i));
            for (auto const& [other_id, others] : nodes) {
                if (what != (id == other_id ? "small/within" : "small/between")) continue;
                for (auto const other : others) {
                    if (other != members[i]) pairs.emplace_back(members[i], other);
                }
            }
        }
        ++number;
    }
    return pairs;
}

std::byte mark(std::size_t member) {
    return static_cast<std::byte>(1 + member % 251);
}

/// Fills the caches of this core with other bytes.
void displace() {
    static std::vector<char> other(std::size_t{32} << 20);
    for (std::size_t i = 0; i < other.size(); i += 64) ++other[i];
    benchmark::ClobberMemory();
}

class Measured {
public:
    Measured(ft::Communicator& comm, std::string const& what, Nodes const& nodes, int bytes)
        : comm_(comm), exchange_(comm.size()), self_(comm.position(comm.self())) {
        for (auto const& [from, to] : pairs_of(what, nodes)) {
            if (from == self_) exchange_.send(to, bytes);
            if (to == self_) exchange_.receive(from, bytes);
        }
        exchange_.prepare(mark(self_));
    }
    bool is_right() {
        exchange_.run(comm_.native());
        return bench::largest(comm_, exchange_.is_right(mark) ? 0 : 1) == 0;
    }
    double seconds(int calls) {
        return bench::timed(comm_,
                            [&] {
                                for (int i = 0; i < calls; ++i) exchange_.run(comm_.native());
                            }) /
               calls;
    }

private:
    ft::Communicator& comm_;
    Exchange exchange_;
    std::size_t self_;
};

void measure_exchange(benchmark::State& state, ft::Communicator& comm, std::string const& what, Nodes const& nodes) {
    bool const is_large = what.starts_with("large") || what.starts_with("lone");
    Measured measured(comm, what, nodes, is_large ? large_bytes : small_bytes);
    if (!measured.is_right()) state.SkipWithError("wrong bytes");
    if (is_large) displace();
    for (auto _ : state) state.SetIterationTime(measured.seconds(is_large ? 1 : 20));
}

void measure_copy(benchmark::State& state, ft::Communicator& comm) {
    std::vector<std::byte> const from(large_bytes, mark(comm.position(comm.self())));
    std::vector<std::byte> to(large_bytes);
    displace();
    for (auto _ : state)
        state.SetIterationTime(bench::timed(comm, [&] { std::memcpy(to.data(), from.data(), from.size()); }));
    if (bench::largest(comm, from == to ? 0 : 1) != 0) state.SkipWithError("wrong bytes");
}

void measure_fresh(benchmark::State& state, ft::Communicator& comm) {
    for (auto _ : state) {
        store::Memory memory;
        state.SetIterationTime(bench::timed(comm, [&] {
            memory = store::Memory(large_bytes);
            std::memset(memory.bytes().data(), 1, large_bytes);
        }));
    }
}

}  // namespace

int main(int argc, char** argv) {
    return bench::job(argc, argv, [](std::string const& pace, ft::Communicator& comm) {
        int const repetitions = pace == "smoke" ? 1 : pace == "short" ? 15 : 50;
        Nodes nodes;
        auto const ids = ft::node_ids(comm);
        for (std::size_t i = 0; i < ids.size(); ++i) nodes[ids[i]].push_back(i);
        auto const add = [&](std::string const& what, auto function) {
            benchmark::RegisterBenchmark((what + "/pes:" + std::to_string(comm.size())).c_str(), function)
                ->Iterations(1)
                ->Repetitions(repetitions)
                ->UseManualTime()
                ->Unit(benchmark::kMicrosecond);
        };
        std::vector<std::string> kinds{"empty/all"};
        if (nodes.size() < comm.size()) kinds.insert(kinds.end(), {"small/within", "large/within"});
        if (nodes.size() > 1) kinds.insert(kinds.end(), {"small/between", "large/between", "lone/between"});
        for (auto const& what : kinds) {
            add(what, [&comm, what, nodes](benchmark::State& state) { measure_exchange(state, comm, what, nodes); });
        }
        add("copy/all", [&comm](benchmark::State& state) { measure_copy(state, comm); });
        add("fresh/all", [&comm](benchmark::State& state) { measure_fresh(state, comm); });
        benchmark::AddCustomContext("clock", "real_time");
        benchmark::AddCustomContext("large_bytes", std::to_string(large_bytes));
    });
}
