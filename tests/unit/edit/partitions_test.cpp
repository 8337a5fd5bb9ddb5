#include "edit/partitions.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "parts/site_list.hpp"
#include "regraft/core/random.hpp"

namespace regraft::msa_cli {
namespace {

using Sites = std::vector<std::uint64_t>;

TEST(SiteList, HasRangesAndSingleSites) {
    EXPECT_EQ(site_list(Sites{}), "");
    EXPECT_EQ(site_list(Sites{0}), "1");
    EXPECT_EQ(site_list(Sites{0, 1, 2, 7, 9, 10}), "1-3,8,10-11");
}

TEST(SiteList, IsReadAsWhatItWasMadeOf) {
    for (std::uint64_t seed = 1; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Sites sites{0};
        while (sites.back() < 100) sites.push_back(sites.back() + 1 + random.below(3));
        EXPECT_EQ(parse_sites(site_list(sites), sites.back() + 1, "--sites"), sites);
    }
}

// sites    0 1 2 3 4 5 6 7
//          a b a b c c c d
// kept       *   * * *        become 0 1 2 3
TEST(CutPartitions, KeepsWhatIsLeftOfEach) {
    std::vector<msa::PartitionSpec> const partitions{
        {"JC", "a", {{0, 4, 2}}}, {"HKY", "b", {{1, 4, 2}}}, {"GTR", "c", {{4, 7, 1}}}, {"LG", "d", {{7, 8, 1}}}};
    std::vector<msa::PartitionSpec> const expected{{"HKY", "b", {{0, 2, 1}}}, {"GTR", "c", {{2, 4, 1}}}};
    EXPECT_EQ(cut_partitions(partitions, Sites{1, 3, 4, 5}), expected);
}

TEST(CutPartitions, ChangesNothingIfAllSitesAreKept) {
    std::vector<msa::PartitionSpec> const partitions{{"JC", "a", {{0, 5, 2}}}, {"HKY", "b", {{1, 6, 2}}}};
    EXPECT_EQ(cut_partitions(partitions, Sites{0, 1, 2, 3, 4, 5}), partitions);
}

TEST(PartitionText, IsReadAsWhatItWasMadeOfInBothFormats) {
    std::vector<msa::PartitionSpec> const partitions{
        {"GTR+G4", "a-1", {{0, 9, 3}, {9, 10, 1}}}, {"LG+G4", "b.2", {{1, 9, 3}}}, {"BIN+G4", "c_3", {{2, 9, 3}}}};
    for (std::string const name : {"x.part", "x.nex", "x.nexus", "x"}) {
        auto const text = partition_text(partitions, name);
        EXPECT_EQ(text.starts_with("#nexus"), name.starts_with("x.nex")) << text;
        EXPECT_EQ(msa::parse_partitions(text, name, 10), partitions) << text;
    }
}

}  // namespace
}  // namespace regraft::msa_cli
