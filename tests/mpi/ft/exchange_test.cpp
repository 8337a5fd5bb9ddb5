#include "exchange/exchange.hpp"
#include <mpi.h>

#include <algorithm>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"

namespace {
int calls_of_alltoallv = 0;
}

// Takes the place of MPI's own function, which MPI also offers by another name.
extern "C" int MPI_Alltoallv(void const* out, int const* out_counts, int const* out_places, MPI_Datatype out_type,
                             void* in, int const* in_counts, int const* in_places, MPI_Datatype in_type,
                             MPI_Comm comm) {
    ++calls_of_alltoallv;
    return PMPI_Alltoallv(out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, comm);
}

namespace regraft::exchange {
namespace {

std::byte content(std::size_t from, std::size_t to, std::uint64_t i) {
    return static_cast<std::byte>(mix(from * 31 + to * 17 + i * 1009) & 0xff);
}

/// Pieces that lie apart, and in no order, in memory that is longer than all of them.
struct Scattered {
    std::vector<std::byte> memory;
    Csr<std::span<std::byte>> rows;

    Scattered(Csr<std::uint64_t> const& sizes, Random& random) {
        std::uint64_t total = 0;
        for (auto const size : sizes.values) total += size + 3;
        memory.assign(total, std::byte{0xee});
        std::vector<std::size_t> order(sizes.values.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        shuffle(std::span(order), random);
        rows.offsets = sizes.offsets;
        rows.values.resize(order.size());
        std::uint64_t next = 0;
        for (auto const i : order) {
            rows.values[i] = std::span(memory).subspan(next, sizes.values[i]);
            next += sizes.values[i] + random.below(4);
        }
    }
};

/// The sizes of the pieces between two members, which are the same for both.
std::vector<std::uint64_t> sizes_between(std::size_t from, std::size_t to, std::uint64_t seed, std::uint64_t longest) {
    Random random(seed * 10007 + from * 101 + to);
    std::vector<std::uint64_t> sizes(random.below(5));
    for (auto& size : sizes) size = random.below(4) == 0 ? 0 : random.below(longest);
    return sizes;
}

struct Instance {
    Scattered out, in;
    std::vector<Message> messages;
    Csr<std::span<std::byte const>> sent;
};

Instance make_instance(ft::Communicator const& comm, std::uint64_t seed, std::uint64_t longest) {
    auto const self = comm.position(comm.self());
    Csr<std::uint64_t> out, in;
    std::vector<Message> messages;
    for (std::uint32_t i = 0; i < comm.size(); ++i) {
        out.push_row(sizes_between(self, i, seed, longest));
        in.push_row(sizes_between(i, self, seed, longest));
        for (std::uint32_t j = 0; j < comm.size(); ++j) {
            Message message{i, j, 0, 0};
            for (auto const size : sizes_between(i, j, seed, longest)) message.bytes += size, ++message.pieces;
            messages.push_back(message);
        }
    }
    Random random(seed + self);
    Instance instance{Scattered(out, random), Scattered(in, random), std::move(messages), {}};
    for (std::size_t to = 0; to < comm.size(); ++to) {
        std::uint64_t i = 0;
        for (auto piece : instance.out.rows[to]) {
            for (auto& byte : piece) byte = content(self, to, i++);
            instance.sent.push_value(piece);
        }
        instance.sent.end_row();
    }
    return instance;
}

void expect_arrived(ft::Communicator const& comm, Instance const& instance) {
    auto const self = comm.position(comm.self());
    for (std::size_t from = 0; from < comm.size(); ++from) {
        std::uint64_t i = 0;
        for (auto const piece : instance.in.rows[from]) {
            for (auto const byte : piece)
                ASSERT_EQ(byte, content(from, self, i++)) << "from " << from << " byte " << i - 1;
        }
    }
}

constexpr auto transports = {ft::Transport::collective, ft::Transport::rounds};

// Windows, buffers and reach are so small that every path is taken.
std::vector<Limits> const many_limits{{},
                                      {.direct_bytes = 1},
                                      {.direct_bytes = 1 << 20},
                                      {.direct_bytes = 1 << 20, .window_bytes = 4096, .buffer_bytes = 1},
                                      {.direct_bytes = 1, .buffer_bytes = 1, .slice_bytes = 1},
                                      {.direct_bytes = 1, .longest_reach = 100}};

TEST(AllToAll, BringsEveryByteToItsPlace) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const transport : transports) {
        for (std::size_t i = 0; i < many_limits.size(); ++i) {
            for (std::uint64_t const longest : {1, 40, 20000}) {
                SCOPED_TRACE(testing::Message() << "limits " << i << ", pieces up to " << longest);
                auto unknown = make_instance(comm, longest, longest);
                all_to_all(comm, unknown.sent, unknown.in.rows, transport, {}, many_limits[i]);
                expect_arrived(comm, unknown);
                auto known = make_instance(comm, longest + 1, longest);
                all_to_all(comm, known.sent, known.in.rows, transport, known.messages, many_limits[i]);
                expect_arrived(comm, known);
            }
        }
    }
}

TEST(AllToAll, CutsByPartnersAndNotByMembers) {
    ft::Communicator comm(MPI_COMM_WORLD);
    auto const last = static_cast<std::uint32_t>(comm.size()) - 1;
    std::vector<std::byte> memory(1 << 20, comm.self() == PeId{0} ? std::byte{7} : std::byte{0});
    std::vector<std::span<std::byte>> const piece{memory};
    std::vector<std::span<std::byte const>> const const_piece{memory};
    Csr<std::span<std::byte const>> out;
    Csr<std::span<std::byte>> in;
    for (std::uint32_t i = 0; i <= last; ++i) {
        if (last > 0 && i == last && comm.self() == PeId{0}) out.push_value(const_piece[0]);
        if (last > 0 && i == 0 && comm.self() == PeId{last}) in.push_value(piece[0]);
        out.end_row();
        in.end_row();
    }
    Limits const limits{.buffer_bytes = 1 << 16, .slice_bytes = 4096};
    std::vector<Message> const messages{{0, last, memory.size(), 1}};
    for (bool const known : {false, true}) {
        calls_of_alltoallv = 0;
        std::optional<std::span<Message const>> told;
        if (known) told = messages;
        all_to_all(comm, out, in, ft::Transport::collective, told, limits);
        EXPECT_EQ(calls_of_alltoallv, last == 0 ? 0 : 16);
        EXPECT_TRUE(comm.self() != PeId{last} || std::ranges::all_of(memory, [](auto b) { return b == std::byte{7}; }));
        if (comm.self() != PeId{0}) std::ranges::fill(memory, std::byte{0});
    }
}

TEST(Pending, BringsEveryByteWhileOthersAreUnderWay) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (auto const& limits : many_limits) {
        auto first = make_instance(comm, 1, 5000);
        auto second = make_instance(comm, 2, 5000);
        Pending one(comm, first.sent, first.in.rows, first.messages, limits);
        Pending two(comm, second.sent, second.in.rows, second.messages, limits);
        auto third = make_instance(comm, 3, 5000);
        all_to_all(comm, third.sent, third.in.rows, ft::Transport::rounds, third.messages, limits);
        two.wait();
        one.wait();
        for (auto const* instance : {&first, &second, &third}) expect_arrived(comm, *instance);
    }
}

TEST(AllGather, KeepsRowsOfAnyLengthApart) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (std::uint64_t const factor : {1, 9}) {  // short rows, long rows
        std::vector<std::uint64_t> const mine(value(comm.self()) * factor, 100 + value(comm.self()));
        auto const rows = all_gather(comm, mine);
        ASSERT_EQ(rows.size(), comm.size());
        for (std::size_t rank = 0; rank < rows.size(); ++rank) {
            EXPECT_EQ(std::vector(rows[rank].begin(), rows[rank].end()),
                      std::vector<std::uint64_t>(rank * factor, 100 + rank));
        }
    }
}

}  // namespace
}  // namespace regraft::exchange
