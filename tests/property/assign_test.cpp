#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "support/site_owners.hpp"

namespace regraft::assign {
namespace {

using Begin = std::vector<std::uint64_t>;

std::uint64_t total(Begin const& begin) {
    return begin.back() - begin.front();
}

/// Sizes grow with the seed: nothing, single sites, single partitions first.
Begin partitions(std::uint64_t seed, Random& random) {
    auto const growth = seed / 50 + 1;
    return test::random_partitions(random.below(growth + 1), random.below(10 * growth) + 1, random);
}

/// How many pieces each partition is in.
std::map<PartitionId, std::uint64_t> pieces_of(Assignment const& dealt) {
    std::map<PartitionId, std::uint64_t> pieces;
    for (auto const& work : dealt.values) ++pieces[work.partition];
    return pieces;
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

        std::uint64_t num_cuts = 0;
        auto const pieces = pieces_of(dealt);
        for (auto const& [partition, count] : pieces) num_cuts += count - 1;
        ASSERT_LE(num_cuts, num_pes - 1);
        for (std::uint32_t pe = 0; pe < num_pes; ++pe) {
            auto const row = std::as_const(dealt)[pe];
            ASSERT_GE(num_sites(row), total(begin) / num_pes);
            ASSERT_LE(num_sites(row), (total(begin) + num_pes - 1) / num_pes);
            auto const is_cut = [&](Work const& work) { return pieces.at(work.partition) > 1; };
            ASSERT_LE(std::count_if(row.begin(), row.end(), is_cut), 2);
        }
    }
}

TEST(BalanceProperty, DealsToAListOfPEsAsToAllOfThem) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const begin = partitions(seed, random);
        std::vector<PeId> pes;
        for (std::uint32_t pe = 0; pe < 20; ++pe) {
            if (pe == 7 || random.below(2) == 0) pes.push_back(PeId{pe});
        }
        auto const some = balance(begin, pes, 20);
        auto const all = balance(begin, static_cast<std::uint32_t>(pes.size()));
        ASSERT_EQ(some.values, all.values);
        for (std::size_t i = 0; i < pes.size(); ++i) {
            ASSERT_EQ(num_sites(std::as_const(some)[value(pes[i])]), num_sites(std::as_const(all)[i]));
        }
    }
}

/// Kills random PEs, at least one.
void kill_some(std::vector<PeId>& alive, Random& random) {
    auto const num_victims = 1 + random.below(std::min<std::uint64_t>(alive.size() - 1, 3));
    for (std::uint64_t i = 0; i < num_victims; ++i) {
        alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(random.below(alive.size())));
    }
}

void expect_only_lost_sites_moved(Assignment const& before, Reassignment const& result, std::vector<PeId> const& alive,
                                  std::uint64_t num_sites) {
    auto const old_owner = test::site_owners(before, num_sites);
    auto const new_owner = test::site_owners(result.after, num_sites);
    auto const gainer = test::site_owners(result.gained, num_sites);
    for (std::uint64_t site = 0; site < num_sites; ++site) {
        ASSERT_TRUE(std::binary_search(alive.begin(), alive.end(), *new_owner[site]));
        bool const was_lost = !std::binary_search(alive.begin(), alive.end(), *old_owner[site]);
        ASSERT_EQ(gainer[site], was_lost ? new_owner[site] : std::nullopt);
        if (!was_lost) {
            ASSERT_EQ(new_owner[site], old_owner[site]);
        }
    }
}

std::uint64_t count_new_pairs(Assignment const& before, Assignment const& after) {
    auto const old_pairs = test::pairs(before);
    auto const new_pairs = test::pairs(after);
    return static_cast<std::uint64_t>(
        std::count_if(new_pairs.begin(), new_pairs.end(), [&](auto const& pair) { return !old_pairs.contains(pair); }));
}

TEST(ReassignProperty, SurvivesManyFailures) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const begin = test::random_partitions(1 + random.below(12), 1 + random.below(120), random);
        auto const num_pes = static_cast<std::uint32_t>(2 + random.below(25));
        double const slack = seed % 2 == 0 ? 1.0 : 1.0 + random.unit();
        std::vector<PeId> alive;
        for (std::uint32_t pe = 0; pe < num_pes; ++pe) alive.push_back(PeId{pe});
        auto current = balance(begin, num_pes);

        for (int failures = 0; failures < 20 && alive.size() > 1; ++failures) {
            kill_some(alive, random);
            auto const result = reassign(current, alive, {.slack = slack});
            ASSERT_TRUE(covers_once(result.after, begin));
            expect_only_lost_sites_moved(current, result, alive, total(begin));
            ASSERT_FALSE(HasFatalFailure());
            ASSERT_EQ(result.new_pairs, count_new_pairs(current, result.after));
            auto const mean = static_cast<double>(total(begin)) / static_cast<double>(alive.size());
            for (auto const pe : alive) {
                auto const had = static_cast<double>(num_sites(std::as_const(current)[value(pe)]));
                auto const has = static_cast<double>(num_sites(std::as_const(result.after)[value(pe)]));
                ASSERT_LE(has, std::max({had, std::ceil(slack * mean), std::ceil(mean)}));
            }
            current = result.after;
        }
    }
}

//  From an even start, and so forever after, the busiest survivor has no more than a balance from scratch would give
//  it.
TEST(ReassignProperty, StaysEvenWithoutSlack) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const begin = test::random_partitions(8, 100, random);
        std::vector<PeId> alive;
        for (std::uint32_t pe = 0; pe < 15; ++pe) alive.push_back(PeId{pe});
        auto current = balance(begin, 15);
        while (alive.size() > 1) {
            kill_some(alive, random);
            current = reassign(current, alive).after;
            for (auto const pe : alive) {
                ASSERT_LE(num_sites(std::as_const(current)[value(pe)]),
                          (total(begin) + alive.size() - 1) / alive.size());
            }
        }
    }
}

TEST(SiteOwners, SeesGapsAndOverlaps) {
    Assignment broken;
    broken.push_row(std::vector{Work{{SiteId{0}, SiteId{2}}, PartitionId{0}}});
    broken.push_row(std::vector{Work{{SiteId{1}, SiteId{3}}, PartitionId{0}}});
    auto const owner = test::site_owners(broken, 4);
    EXPECT_EQ(owner[0], PeId{0});
    EXPECT_EQ(owner[1], std::nullopt);
    EXPECT_EQ(owner[2], PeId{1});
    EXPECT_EQ(owner[3], std::nullopt);
}

}  // namespace
}  // namespace regraft::assign
