// For instances too large for an oracle that tries everything, LEMON's maximum flow gives the optimum.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/matching/b_matching.hpp"
#include "regraft/matching/ford_fulkerson.hpp"
#include "support/plans/lemon_oracle.hpp"
#include "support/plans/matching_instances.hpp"
#include "support/plans/matching_oracle.hpp"

namespace regraft::matching {
namespace {

// A build without optimisation takes a tenth of the instances.
#ifdef __OPTIMIZE__
constexpr std::uint64_t num_seeds = 100;
#else
constexpr std::uint64_t num_seeds = 10;
#endif

class MatchingFamily : public testing::TestWithParam<test::InstanceFamily> {
protected:
    /// Sizes are up to some thousand blocks; some instances have fewer blocks than PEs.
    static test::Instance instance(std::uint64_t seed) {
        Random random(seed);
        bool const dense = GetParam().name == "dense";
        auto const num_left = static_cast<std::uint32_t>(2 + random.below(dense ? 400 : 4000));
        auto const num_right = static_cast<std::uint32_t>(6 + random.below(dense ? 100 : std::min(num_left, 600U)));
        return GetParam().make({num_left, num_right, static_cast<std::uint32_t>(2 + random.below(3)), seed});
    }
};

TEST_P(MatchingFamily, EqualsMaximumFlow) {
    BMatcher reused;
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const [graph, num_right] = instance(seed);
        auto const textbook = ford_fulkerson_b_matching(graph, num_right);
        ASSERT_LE(textbook.lower_bound, textbook.b);
        auto const expected = test::LemonOracle(graph, num_right).min_b(textbook.lower_bound);
        for (auto const grouping : {Grouping::automatic, Grouping::never, Grouping::always}) {
            auto const& m = reused.solve(graph, num_right, {.grouping = grouping});
            ASSERT_EQ(m.b, expected);
            ASSERT_TRUE(is_b_matching(graph, num_right, m));
            ASSERT_EQ(hall_bound(graph, num_right, m.hall_set), m.b);
            ASSERT_EQ(m.lower_bound, textbook.lower_bound);
        }
        ASSERT_EQ(textbook.b, expected);
        ASSERT_TRUE(is_b_matching(graph, num_right, textbook));
        ASSERT_EQ(hall_bound(graph, num_right, textbook.hall_set), textbook.b);
    }
}

TEST_P(MatchingFamily, MatchesAllWithinTheOptimalBAndNotAllBelowIt) {
    for (std::uint64_t seed = 0; seed < num_seeds / 5; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const [graph, num_right] = instance(seed);
        auto const best = min_b_matching(graph, num_right);
        for (auto const slack : {0U, 1U}) {
            std::vector<std::uint32_t> const capacity(num_right, best.b - std::min(best.b, slack));
            auto const m = max_b_matching(graph, capacity);
            ASSERT_TRUE(is_max_b_matching(graph, capacity, m));
            ASSERT_EQ(m.num_matched == graph.size() - best.isolated.size(), slack == 0 || best.b == 0);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, MatchingFamily, testing::ValuesIn(test::instance_families),
                         [](auto const& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace regraft::matching
