// Blocks all of whose holders have died are read from disk, by whichever members want them.
#include <mpi.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::store {
namespace {

using test::Content;

/// Loads again and again. Survivors make no new copies, so what is lost stays lost to the store.
template <class Stored>
void load_with_deaths(ft::Communicator& comm, std::string const& name) {
    Content const content(5, 97, Content::Sizes::variable, 3000);
    Stored stored(comm, {});
    auto& store = stored.store();
    auto const founders = comm.size();
    ft::resilient(
        comm,
        [&] {
            if (!store.reread()) {  // nothing is on disk yet
                auto const mine = test::part_of(content.num_blocks(), comm.position(comm.self()), comm.size());
                stored.submit({content, mine}, content);
                static_cast<void>(store.save(test::job_folder(name)));
            }
            for (int i = 0; i < 8; ++i) {
                EXPECT_EQ(test::wrong_in(store, content, {.reread = store.reread()}), "");
            }
        },
        [](ft::Failure const&) {});
    if (comm.size() > founders / 3) return;
    // Such a small group cannot have everything.
    auto const all = content.everything();
    std::vector<std::byte> out(store.sizes().bytes());
    EXPECT_THROW(static_cast<void>(store.load(std::span(&all, 1), out)), DataLost);
    EXPECT_THROW(static_cast<void>(store.save(test::job_folder(name))), DataLost) << "half of it is no generation";
    EXPECT_TRUE(stored.open(test::job_folder(name)).refused.empty());
    EXPECT_EQ(test::wrong_in(store, content), "") << "now it is in memory again";
}

TEST(BlocksLostToAStore, AreReadFromDisk) {
    ft::Communicator comm(MPI_COMM_WORLD);
    load_with_deaths<test::Replicated>(comm, "replicated");
    load_with_deaths<test::Coded>(comm, "coded");
}

}  // namespace
}  // namespace regraft::store
