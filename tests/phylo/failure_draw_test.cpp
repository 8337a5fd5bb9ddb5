#include "options/failure_draw.hpp"
#include <mpi.h>

#include <set>

#include <gtest/gtest.h>

#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

ft::FailPoint often("draw:often");
ft::FailPoint never("draw:never");

TEST(ParseFailureDraw, ReadsSeedAndCount) {
    auto const draw = parse_failure_draw("random:12:3");
    ASSERT_TRUE(draw);
    EXPECT_EQ(draw->seed, 12u);
    EXPECT_EQ(draw->count, 3u);
    EXPECT_FALSE(parse_failure_draw("spr:inside:0:0"));
    for (auto const* text :
         {"random:", "random:1", "random:1:", "random::1", "random:a:1", "random:1:2:3", "random:-1:2"}) {
        EXPECT_THROW(parse_failure_draw(text), InputError) << text;
    }
}

TEST(DrawFailures, PicksDifferentVictimsAndReachedOccurrencesAlikeEverywhere) {
    ft::Communicator comm(MPI_COMM_WORLD);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        ft::set_failure_plan({});
        for (std::uint32_t i = 0; i < 3 + value(comm.self()); ++i) comm.reach(often);
        auto const count = comm.size() - 1;
        auto const plan = draw_failures(comm, {seed, count});
        ASSERT_EQ(plan.size(), count);
        std::set<PeId> victims;
        for (auto const& death : plan) {
            victims.insert(death.victim);
            EXPECT_TRUE(death.point != "draw:often" || death.occurrence < 3 + value(death.victim));
        }
        EXPECT_TRUE(plan.empty() || plan[0].point != "draw:never");
        EXPECT_EQ(victims.size(), count);
        auto const text = ft::to_string(plan);
        EXPECT_TRUE(comm.agree_equal(hash(std::as_bytes(std::span(text)))));
    }
}

TEST(DrawFailures, LeavesSomebodyAlive) {
    ft::Communicator comm(MPI_COMM_WORLD);
    EXPECT_THROW(draw_failures(comm, {1, comm.size()}), InputError);
}

}  // namespace
}  // namespace regraft::phylo
