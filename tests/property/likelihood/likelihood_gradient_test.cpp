// Derivatives by all branch lengths at once are compared with known ones, and with those at each edge alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/likelihood/partition.hpp"
#include "regraft/msa/alphabet.hpp"
#include "regraft/msa/newick.hpp"
#include "support/likelihood/known_gradients.hpp"
#include "support/likelihood/likelihood_cases.hpp"

namespace regraft::test {
namespace {

using likelihood::Partition;
using msa::HalfEdge;

/// The tips behind h, as bits.
std::uint32_t tips_behind(msa::Tree const& tree, HalfEdge h) {
    std::uint32_t tips = 0;
    for (auto const g : msa::postorder(tree, tree.back(h))) {
        if (tree.is_tip(g)) tips |= std::uint32_t{1} << g;
    }
    return tips;
}

TEST(LikelihoodGradient, EqualsDifferencesInSixtyDigits) {
    for (auto const& known : known_gradients) {
        SCOPED_TRACE(known.model);
        std::vector<std::string> names;
        for (std::size_t t = 0; t < known.rows.size(); ++t) names.emplace_back(1, static_cast<char>('a' + t));
        auto const tree = msa::parse_newick(known.newick, "known", names);
        auto const spec = likelihood::parse_model(known.model);
        likelihood::Sites const sites{std::vector<std::uint32_t>(known.rows[0].size(), 1), known.rows};
        Partition partition(tree, 0, spec.num_states(), msa::state_masks(spec.alphabet), sites,
                            {.total_weight = sites.weights.size()});
        partition.set_model(likelihood::site_model(spec, likelihood::start_model(spec, {})));
        EXPECT_NEAR(loglh_sum(partition).value(partition.loglh_scale()), known.loglh, 1e-12 * std::abs(known.loglh));

        std::vector<FixedSum> sums(std::size_t{3} * tree.num_edges());
        partition.add_all_derivatives(sums);
        auto const scales = partition.derivative_scales();
        auto next = sums.begin();
        for (auto const h : msa::preorder_edges(tree)) {
            auto const edge = std::find_if(known.edges.begin(), known.edges.end(),
                                           [&](auto const& e) { return e.tips == tips_behind(tree, h); });
            ASSERT_NE(edge, known.edges.end());
            EXPECT_NEAR(next[1].value(scales[1]), edge->first, 1e-11 * (1 + std::abs(edge->first)));
            EXPECT_NEAR(next[2].value(scales[2]), edge->second, 1e-11 * (1 + std::abs(edge->second)));
            next += 3;
        }
    }
}

TEST(LikelihoodGradient, HasTheBitsOfEveryEdgeAlone) {
    for (std::uint32_t const num_states : {2U, 4U, 7U, 20U}) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            SCOPED_TRACE(testing::Message() << num_states << " states, seed " << seed);
            auto const num_tips = static_cast<std::uint32_t>(3 + 7 * seed);
            CaseShape shape{.num_tips = num_tips, .num_states = num_states, .invariant = seed % 2 == 0};
            if (!shape.invariant) shape.ascertainment = static_cast<likelihood::Ascertainment>(seed / 2 + 1);
            auto const c = random_case(shape, seed);
            for (std::size_t const num_slots : {std::size_t{0}, Partition::least_slots(num_tips)}) {
                likelihood::PartitionOptions options;
                options.num_slots = num_slots;
                auto all = partition(c, options);
                std::vector<FixedSum> sums(std::size_t{3} * c.tree.num_edges());
                all.add_all_derivatives(sums);
                auto alone = partition(c);
                auto next = sums.begin();
                for (auto const h : msa::preorder_edges(c.tree)) {
                    std::array<FixedSum, 3> expected;
                    alone.focus(h);
                    alone.add_derivatives(c.tree.length(h), expected);
                    for (auto const& sum : expected) {
                        EXPECT_EQ(next->high, sum.high);
                        EXPECT_EQ(next->low, sum.low);
                        ++next;
                    }
                }
                EXPECT_EQ(loglh_sum(all).low, loglh_sum(alone).low);
            }
        }
    }
}

}  // namespace
}  // namespace regraft::test
