#include "exchange/exchange.hpp"
#include <mpi.h>

#include <vector>

#include <gtest/gtest.h>

namespace regraft::exchange {
namespace {

std::uint64_t size_between(std::size_t from, std::size_t to) {
    return (from * 5 + to * 3) % 11 * 7;
}

std::vector<Segment> segments(std::size_t count, auto size) {
    std::vector<Segment> result;
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back({offset, size(i)});
        offset += size(i);
    }
    return result;
}

/// Rank i sends j bytes that say who sent them, at which offset.
void exchange_and_check(ft::Communicator& comm, Limits limits) {
    auto const self = value(comm.self());
    auto const out = segments(comm.size(), [&](std::size_t to) { return size_between(self, to); });
    auto const in = segments(comm.size(), [&](std::size_t from) { return size_between(from, self); });
    auto const content = [](std::size_t from, std::size_t to, std::uint64_t i) {
        return static_cast<std::byte>(from * 31 + to * 17 + i);
    };
    std::vector<std::byte> sent(out.back().offset + out.back().size);
    for (std::size_t to = 0; to < out.size(); ++to) {
        for (std::uint64_t i = 0; i < out[to].size; ++i) sent[out[to].offset + i] = content(self, to, i);
    }
    std::vector<std::byte> received(in.back().offset + in.back().size);
    all_to_all(comm, sent, out, received, in, limits);
    for (std::size_t from = 0; from < in.size(); ++from) {
        for (std::uint64_t i = 0; i < in[from].size; ++i) {
            ASSERT_EQ(received[in[from].offset + i], content(from, self, i)) << "from " << from << " byte " << i;
        }
    }
}

TEST(AllToAll, BringsEveryByteToItsPlace) {
    ft::Communicator comm(MPI_COMM_WORLD);
    exchange_and_check(comm, {});
}

TEST(AllToAll, SplitsWhatOneCallCannotCount) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (std::uint64_t limit : {1, 13, 40, 76}) {
        SCOPED_TRACE(limit);
        exchange_and_check(comm, {limit});
    }
}

TEST(AllGather, KeepsRowsOfAnyLengthApart) {
    ft::Communicator comm(MPI_COMM_WORLD);
    std::vector<std::uint64_t> const mine(value(comm.self()), 100 + value(comm.self()));
    auto const rows = all_gather(comm, mine);
    ASSERT_EQ(rows.size(), comm.size());
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        EXPECT_EQ(std::vector(rows[rank].begin(), rows[rank].end()), std::vector<std::uint64_t>(rank, 100 + rank));
    }
}

}  // namespace
}  // namespace regraft::exchange
