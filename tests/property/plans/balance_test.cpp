#include "regraft/assign/balance.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "support/plans/balance_oracle.hpp"
#include "support/plans/site_owners.hpp"

namespace regraft::assign {
namespace {

using Begin = std::vector<std::uint64_t>;
using Costs = std::vector<std::uint64_t>;

std::uint64_t total(Begin const& begin) {
    return begin.back() - begin.front();
}

/// Sizes grow with the seed: nothing, single sites, single partitions first.
Begin partitions(std::uint64_t seed, Random& random) {
    auto const growth = seed / 50 + 1;
    return test::random_partitions(random.below(growth + 1), random.below(10 * growth) + 1, random);
}

/// The number of pieces that each partition is in.
std::map<PartitionId, std::uint64_t> pieces_of(Assignment const& dealt) {
    std::map<PartitionId, std::uint64_t> pieces;
    for (auto const& work : dealt.values) ++pieces[work.partition];
    return pieces;
}

/// At most p - 1 cuts, and at most 2 pieces of cut partitions at one PE.
void expect_few_cuts(Assignment const& dealt, std::uint64_t num_pes) {
    auto const pieces = pieces_of(dealt);
    std::uint64_t num_cuts = 0;
    for (auto const& [partition, count] : pieces) num_cuts += count - 1;
    ASSERT_LE(num_cuts, num_pes - 1);
    for (std::size_t row = 0; row < dealt.size(); ++row) {
        auto const is_cut = [&](Work const& work) { return pieces.at(work.partition) > 1; };
        ASSERT_LE(std::count_if(dealt[row].begin(), dealt[row].end(), is_cut), 2);
    }
}

TEST(BalanceProperty, IsEvenAndCutsLittle) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const begin = partitions(seed, random);
        auto const num_pes = static_cast<std::uint32_t>(1 + random.below(1 + seed / 40));
        auto const dealt = balance(begin, num_pes);
        ASSERT_EQ(dealt.size(), num_pes);
        ASSERT_TRUE(covers_once(dealt, begin));
        ASSERT_NO_FATAL_FAILURE(expect_few_cuts(dealt, num_pes));
        for (std::uint32_t pe = 0; pe < num_pes; ++pe) {
            auto const row = std::as_const(dealt)[pe];
            ASSERT_GE(num_sites(row), total(begin) / num_pes);
            ASSERT_LE(num_sites(row), (total(begin) + num_pes - 1) / num_pes);
        }
    }
}

TEST(BalanceProperty, IsNearTheBestOfSmallInstances) {
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const begin = test::random_partitions(random.below(7), 7, random);
        auto const num_pes = static_cast<std::uint32_t>(1 + random.below(4));
        std::vector<std::uint64_t> sizes;
        for (std::size_t q = 0; q + 1 < begin.size(); ++q) sizes.push_back(begin[q + 1] - begin[q]);
        auto const best = test::best_balance(sizes, num_pes);

        auto const dealt = balance(begin, num_pes);
        std::uint64_t most = 0;
        for (std::uint32_t pe = 0; pe < num_pes; ++pe) {
            most = std::max<std::uint64_t>(most, std::as_const(dealt)[pe].size());
        }
        // Pieces of one partition at one PE touch, or these would be fewer pairs.
        ASSERT_EQ(test::pairs(dealt).size(), dealt.values.size());
        ASSERT_GE(dealt.values.size(), best.num_pairs);
        ASSERT_LE(dealt.values.size(), best.num_pairs + num_pes - 1);
        ASSERT_GE(most, best.most_partitions);
        ASSERT_LE(most, best.most_partitions + 1) << "Kobert et al. 2014";
    }
}

TEST(BalanceProperty, DealsToAListOfPEsAsToAllOfThem) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const begin = partitions(seed, random);
        Costs costs(begin.size() - 1);
        for (auto& cost : costs) cost = 1 + random.below(30);
        std::vector<PeId> pes;
        for (std::uint32_t pe = 0; pe < 20; ++pe) {
            if (pe == 7 || random.below(2) == 0) pes.push_back(PeId{pe});
        }
        auto const num_pes = static_cast<std::uint32_t>(pes.size());
        auto const expect_same = [&](Assignment const& some, Assignment const& all) {
            ASSERT_EQ(some.values, all.values);
            for (std::size_t i = 0; i < pes.size(); ++i) {
                ASSERT_EQ(num_sites(some[value(pes[i])]), num_sites(all[i]));
            }
        };
        ASSERT_NO_FATAL_FAILURE(expect_same(balance(begin, pes, 20), balance(begin, num_pes)));
        ASSERT_NO_FATAL_FAILURE(expect_same(balance(begin, costs, pes, 20), balance(begin, costs, num_pes)));
    }
}

/// Costs of alignments of nucleotides, proteins, codons; or any numbers.
Costs random_costs(std::size_t num_partitions, Random& random) {
    std::vector<std::uint64_t> const usual{16, 64, 400, 1600, 3721};
    bool const is_usual = random.below(2) == 0;
    auto const bound = std::uint64_t{1} << random.below(20);
    Costs costs(num_partitions);
    for (auto& cost : costs) cost = is_usual ? usual[random.below(usual.size())] : 1 + random.below(bound);
    return costs;
}

TEST(WeightedBalanceProperty, ExceedsTheMeanByLessThanASite) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const begin = partitions(seed, random);
        auto const costs = random_costs(begin.size() - 1, random);
        auto const num_pes = static_cast<std::uint32_t>(1 + random.below(1 + seed / 40));
        auto const dealt = balance(begin, costs, num_pes);
        ASSERT_EQ(dealt.size(), num_pes);
        ASSERT_TRUE(covers_once(dealt, begin));
        ASSERT_NO_FATAL_FAILURE(expect_few_cuts(dealt, num_pes));
        auto const all = cost(dealt.values, costs);
        for (std::uint32_t pe = 0; pe < num_pes; ++pe) {
            auto const row = std::as_const(dealt)[pe];
            if (row.empty()) continue;
            std::uint64_t dearest = 0;
            for (auto const& work : row) dearest = std::max(dearest, costs[value(work.partition)]);
            ASSERT_LT(num_pes * cost(row, costs), all + num_pes * dearest);
        }
    }
}

TEST(WeightedBalanceProperty, IsTheBalanceOfSitesIfCostsAreEqual) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const begin = partitions(seed, random);
        Costs const costs(begin.size() - 1, 1 + random.below(100));
        ASSERT_EQ(balance(begin, costs, 7), balance(begin, 7));
    }
}

//  Twice the cost of all partitions changes nothing, nor do partitions without sites at the end.
TEST(WeightedBalanceProperty, DependsOnRatiosOfCostsOnly) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const begin = partitions(seed, random);
        auto const costs = random_costs(begin.size() - 1, random);
        auto scaled = costs;
        for (auto& cost : scaled) cost *= 3;
        ASSERT_EQ(balance(begin, scaled, 9), balance(begin, costs, 9));
    }
}

//  sizes 2 3 3 over 2 PEs of 4 each: one cut, so 4 pairs; 4 4: none.
TEST(BestBalance, CountsRight) {
    auto const cut = test::best_balance(std::vector<std::uint64_t>{2, 3, 3}, 2);
    EXPECT_EQ(cut.num_pairs, 4u);
    EXPECT_EQ(cut.most_partitions, 2u);
    auto const whole = test::best_balance(std::vector<std::uint64_t>{4, 4}, 2);
    EXPECT_EQ(whole.num_pairs, 2u);
    EXPECT_EQ(whole.most_partitions, 1u);
    EXPECT_EQ(test::best_balance(std::vector<std::uint64_t>{}, 3).num_pairs, 0u);
    EXPECT_EQ(test::best_balance(std::vector<std::uint64_t>{7}, 3).num_pairs, 3u);
    // Pairs and pieces at one PE are not at their best together: 1+1+1+3 | 6 needs no cut, 2 partitions each one.
    auto const either = test::best_balance(std::vector<std::uint64_t>{1, 1, 1, 3, 6}, 2);
    EXPECT_EQ(either.num_pairs, 5u);
    EXPECT_EQ(either.most_partitions, 3u);
}

}  // namespace
}  // namespace regraft::assign
