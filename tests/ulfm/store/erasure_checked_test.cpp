// The erasure-coded store with checksums under the failure plan of the row: loads under way, scrubs, damage and little
// room, whichever ranks die.
#include <mpi.h>

#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store/erasure_under_test.hpp"
#include "support/store/store_requests.hpp"

namespace regraft {
namespace {

using test::Content;
using test::Request;

TEST(CheckedErasureStore, KeepsItsWordWhoeverDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    test::ErasureUnderTest store(comm, {.transport = store::Transport::rounds,
                                        .integrity = store::Integrity::checked,
                                        .buffer_bytes = 3000,
                                        .node = value(comm.self()) / 2});
    std::uint64_t next = 0;
    auto const step = [&] {
        Random random(next);
        if (next % 10 == 0) {
            Content const content(next, 103, Content::Sizes::variable, 600);
            store.submit(erasure::Code(2, 2), content, test::random_parts(103, comm.size(), random), content);
        } else if (next % 10 == 8) {
            EXPECT_EQ(store.repair_without_room(), "");
        } else if (next % 5 == 4) {
            EXPECT_EQ(store.scrub(), "");
        } else {
            BlockId const block{random.below(103)};
            if (next % 3 == 0 && store.is_safe_to_damage()) store.damage(block);
            auto const request = std::vector{Request::told, Request::known, Request::started}[next % 3];
            EXPECT_EQ(store.load(test::random_requests(103, comm.size(), random), request), "");
        }
    };
    ft::resilient(
        comm,
        [&] {
            for (; next < 40; ++next) {
                SCOPED_TRACE(next);
                step();
                if (!comm.agree_equal(next)) ADD_FAILURE() << "survivors are at different steps";
            }
            EXPECT_EQ(store.load_everything(), "");
            return true;
        },
        [&](ft::Failure const&) {
            store.settle();
            EXPECT_EQ(next % 2 == 0 ? store.repair() : store.scrub(), "");
        });
}

}  // namespace
}  // namespace regraft
