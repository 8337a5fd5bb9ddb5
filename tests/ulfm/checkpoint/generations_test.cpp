// A program that goes back past a state that has turned out to be bad, while ranks die.
#include <mpi.h>

#include <cstdint>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store/saved_program.hpp"

namespace regraft::checkpoint {
namespace {

constexpr std::uint64_t num_entities = 15, bad_moment = 6, last_moment = 10;

TEST(Generations, AreGoneBackToWhoeverDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (Redundancy const& redundancy : {Redundancy(pairwise(3)), Redundancy(erasure::Code(2, 2))}) {
        test::SavedProgram program(comm, num_entities, {.redundancy = redundancy, .generations = 3});
        program.begin();
        bool has_gone_back = false;
        ft::resilient(
            comm,
            [&] {
                while (program.moment < last_moment) {
                    if (program.moment == bad_moment && !has_gone_back) {
                        auto const all = program.snapshot.generations();
                        ASSERT_EQ(all.size(), 3u);
                        program.scramble();
                        static_cast<void>(program.restore(all.front()));
                        has_gone_back = true;
                        EXPECT_EQ(program.moment, bad_moment - 2);
                        EXPECT_EQ(program.wrong(), "");
                    }
                    program.go_to(program.moment + 1);
                    program.snapshot.commit();
                }
            },
            [&](ft::Failure const&) {
                if (program.snapshot.generation() == 0) return program.begin();
                program.scramble();
                try {
                    static_cast<void>(program.restore());
                } catch (EntitiesLost const&) {  // more deaths at once than there are parities
                    program.begin();
                    return;
                }
                EXPECT_EQ(program.wrong(), "");
            });
        EXPECT_EQ(program.moment, last_moment);
        EXPECT_TRUE(has_gone_back);
        EXPECT_EQ(program.wrong(), "");
    }
}

}  // namespace
}  // namespace regraft::checkpoint
