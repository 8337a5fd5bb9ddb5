#include "columns/pattern_records.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"

namespace regraft::phylo {
namespace {

PatternRecord record(std::uint64_t column, std::uint64_t site) {
    return {{column, ~column}, site, 1};
}

TEST(PatternRecords, AreTheSameHoweverTheSitesAreDivided) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        std::vector<PatternRecord> sites;
        std::vector<std::size_t> partition;
        for (std::uint64_t site = 0; site < 100; ++site) {
            sites.push_back(record(random.below(9), site));
            partition.push_back(random.below(2));
        }
        PatternRecords expected(2);
        for (std::size_t i = 0; i < sites.size(); ++i) expected.add(partition[i], sites[i]);
        auto const parts = 1 + random.below(7);
        PatternRecords joined(2);
        for (std::uint64_t part = 0; part < parts; ++part) {
            PatternRecords mine(2);
            for (auto i = sites.size() * part / parts; i < sites.size() * (part + 1) / parts; ++i)
                mine.add(partition[i], sites[i]);
            ByteWriter out;
            mine.write(out);
            ByteReader in(out.bytes());
            joined.add_written(in);
        }
        for (std::size_t q = 0; q < 2; ++q) {
            EXPECT_TRUE(std::ranges::equal(joined[q], expected[q]));
            std::uint64_t weight = 0;
            for (auto const& one : joined[q]) weight += one.weight;
            EXPECT_EQ(weight, static_cast<std::uint64_t>(std::ranges::count(partition, q)));
        }
    }
}

TEST(PatternRecords, AreInTheOrderOfTheirFirstSites) {
    PatternRecords records(1);
    for (std::uint64_t site = 0; site < 4; ++site) records.add(0, record(site == 2 ? 5 : site, site));
    records.add(0, {{1, ~std::uint64_t{1}}, 4, 6});
    ASSERT_EQ(records[0].size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(records[0][i].site, i);
    EXPECT_EQ(records[0][1].weight, 7U);
}

TEST(PatternRecords, RefuseBytesThatEndTooEarly) {
    PatternRecords records(2);
    ByteReader in({});
    EXPECT_THROW(records.add_written(in), InputError);
}

}  // namespace
}  // namespace regraft::phylo
