// The ways to handle lost blocks: all members throw, or read them again, or leave them, also while others die. The rows
// of a reassignment ask for what survivors take over.
#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/mod_k.hpp"
#include "support/store/store_requests.hpp"
#include "support/store/store_under_test.hpp"

namespace regraft::store {
namespace {

using test::Content;
using test::Loss;
using test::Request;

/// All members throw unless told otherwise.
void load_in_all_ways(ft::Communicator& comm) {
    test::StoreUnderTest store(comm, {Transport::rounds});
    std::uint64_t loads = 0;
    ft::resilient(
        comm,
        [&] {
            if (store.store().version() == 0) {
                test::submit_evenly(store, comm, {103, Content::Sizes::variable, 37, 2});
            }
            for (; loads < 48; ++loads) {
                Random random(loads);
                auto const rows = test::random_requests(103, comm.size(), random);
                auto const request = std::vector{Request::told, Request::known, Request::started}[loads % 3];
                auto const loss = std::vector{Loss::thrown, Loss::reread, Loss::reread_in_vain, Loss::left}[loads % 4];
                EXPECT_EQ(store.load(rows, request, loss), "") << "load " << loads;
            }
            return true;
        },
        [&](ft::Failure const&) { store.settle(); });
}

/// The exception names them with their number.
void read_what_is_said(ft::Communicator& comm) {
    std::vector<BlockRange> const all{{BlockId{0}, BlockId{100}}};
    test::StoreUnderTest store(comm, {});
    auto const lost = ft::resilient(
        comm,
        [&] {
            if (store.store().version() == 0) test::submit_evenly(store, comm, {100, Content::Sizes::fixed, 8, 1});
            std::vector<std::byte> out(800);
            try {
                for (int i = 0; i < 20; ++i) static_cast<void>(store.store().load(all, out));
            } catch (DataLost const& error) {
                EXPECT_EQ(error.ranges(), store.model().lost_of(all));
                std::uint64_t blocks = 0;
                for (auto const& range : error.ranges()) blocks += range.size();
                auto const first = error.ranges().front();
                auto const named = std::to_string(blocks) + " wanted blocks are lost: [" +
                                   std::to_string(value(first.first)) + ", " + std::to_string(value(first.last)) + ")";
                EXPECT_EQ(std::string(error.what()).substr(0, named.size()), named);
                return true;
            }
            return false;
        },
        [&](ft::Failure const&) { store.settle(); });
    EXPECT_EQ(lost, !store.model().lost_of(all).empty());
}

/// Rows of a reassignment are handed on as they are.
void take_over(ft::Communicator& comm) {
    constexpr std::uint64_t num_sites = 240;
    std::vector<std::uint64_t> const partitions{0, num_sites};
    auto work = assign::balance(partitions, comm.num_founders());
    ReplicatedStore store(comm);
    auto const load = [&](assign::Assignment const& wanted) {
        Csr<BlockRange> rows;
        for (std::size_t pe = 0; pe < wanted.size(); ++pe) {
            for (auto const& piece : wanted[pe]) {
                rows.push_value({BlockId{value(piece.sites.first)}, BlockId{value(piece.sites.last)}});
            }
            rows.end_row();
        }
        std::vector<std::byte> expected;
        for (auto const& range : rows[value(comm.self())]) {
            auto const bytes = test::blocks(range, 16);
            expected.insert(expected.end(), bytes.begin(), bytes.end());
        }
        std::vector<std::byte> out(expected.size());
        auto const reread = [](BlockRange range, std::span<std::byte> place) {
            auto const bytes = test::blocks(range, 16);
            std::copy(bytes.begin(), bytes.end(), place.begin());
        };
        static_cast<void>(store.load(rows, out, {.reread = reread}));
        EXPECT_EQ(out, expected);
    };
    int loads = 0;
    ft::resilient(
        comm,
        [&] {
            if (store.version() == 0) {
                auto const size = static_cast<std::uint32_t>(comm.size());
                auto const mine = test::part_of(num_sites, comm.position(comm.self()), size);
                store.submit(placement::ModK(num_sites, size, std::min(2U, size)), mine, test::blocks(mine, 16), 16);
            }
            for (; loads < 20; ++loads) load(work);
            return true;
        },
        [&](ft::Failure const&) {
            auto next = assign::reassign(work, comm.members());
            if (store.version() > 0) load(next.gained);
            static_cast<void>(store.repair());
            comm.agree();
            work = std::move(next.after);
        });
}

TEST(LostBlocks, AreThrownOrReadAgainOrLeftAndTakenOver) {
    ft::Communicator comm(MPI_COMM_WORLD);
    load_in_all_ways(comm);
    read_what_is_said(comm);
    take_over(comm);
}

}  // namespace
}  // namespace regraft::store
