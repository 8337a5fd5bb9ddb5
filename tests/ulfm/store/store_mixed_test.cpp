// Ranks that are in calls on different stores, snapshots or mini-checkpoints of one communicator are told so, also if
// some of them die.
#include <mpi.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/mod_k.hpp"
#include "support/store/store_under_test.hpp"

namespace regraft::store {
namespace {

using test::Content;

/// Whether body throws Divergence. A failure leaves it.
template <class Body>
bool diverges(Body const& body) {
    try {
        body();
    } catch (ft::Divergence const&) {
        return true;
    }
    return false;
}

/// Two of each kind. The first member takes the first, all others take the second.
class Two {
public:
    explicit Two(ft::Communicator& comm) : comm_(comm) {
        for (auto* const snapshot : {&snapshots_[0], &snapshots_[1]}) {
            snapshot->add(std::to_string(value(comm.self())), std::span(&number_, 1));
        }
    }

    void expect_divergence() {
        auto const which = comm_.leads() ? 0U : 1U;
        std::array<std::byte, 8> const bytes{};
        EXPECT_TRUE(diverges([&] { submit(stores_[which]); }));
        EXPECT_TRUE(diverges([&] { small_[which].commit(bytes); }));
        EXPECT_TRUE(diverges([&] { small_[which].commit_identical(bytes); }));
        EXPECT_TRUE(diverges([&] { snapshots_[which].commit(); }));
    }
    void use() {
        for (auto const which : {0U, 1U}) {
            std::array<std::byte, 8> const bytes{};
            submit(stores_[which]);
            small_[which].commit(bytes);
            snapshots_[which].commit();
        }
        EXPECT_TRUE(diverges([&] {
            comm_.leads() ? static_cast<void>(stores_[0].load(std::span<BlockRange const>(), {}))
                          : static_cast<void>(stores_[0].repair());
        }));
    }

private:
    void submit(ReplicatedStore& store) {
        auto const members = static_cast<std::uint32_t>(comm_.size());
        auto const self = comm_.position(comm_.self());
        BlockRange const mine{BlockId{self}, BlockId{self + 1}};
        store.submit(placement::ModK(members, members, std::min(members, 2U)), mine, std::array<std::byte, 8>{}, 8);
    }

    ft::Communicator& comm_;
    std::uint64_t number_ = 0;
    std::array<ReplicatedStore, 2> stores_{ReplicatedStore(comm_), ReplicatedStore(comm_)};
    std::array<checkpoint::MiniCheckpoint, 2> small_{checkpoint::MiniCheckpoint(comm_),
                                                     checkpoint::MiniCheckpoint(comm_)};
    std::array<checkpoint::Snapshot, 2> snapshots_{checkpoint::Snapshot(comm_), checkpoint::Snapshot(comm_)};
};

TEST(ReplicatedStore, DoesNotMixWithAnotherStoreWhenRanksDie) {
    ft::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() < 2) return;
    test::StoreUnderTest first(comm, {.integrity = Integrity::checked});
    test::StoreUnderTest second(comm, {.integrity = Integrity::checked});
    Two two(comm);
    int rounds = 0;
    ft::resilient(
        comm,
        [&] {
            test::submit_evenly(first, comm, {40, Content::Sizes::fixed, 70, 2}, "permuted", 1);
            test::submit_evenly(second, comm, {40, Content::Sizes::fixed, 70, 2}, "permuted", 1);
            if (comm.epoch() > 1 && comm.size() > 1) two.use();  // a death may have left the two in different shapes
            for (rounds = 0; rounds < 3 && comm.size() > 1; ++rounds) {
                auto& mistaken = comm.leads() ? first : second;
                EXPECT_TRUE(diverges([&] { static_cast<void>(mistaken.store().scrub()); }));
                two.expect_divergence();
                two.use();
            }
            EXPECT_EQ(first.load_everything(), "");
            EXPECT_EQ(second.load_everything(), "");
        },
        [&](ft::Failure const&) {
            first.settle();
            second.settle();
        });
    EXPECT_EQ(rounds, comm.size() > 1 ? 3 : 0);
}

}  // namespace
}  // namespace regraft::store
