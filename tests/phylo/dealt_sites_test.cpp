#include "job/dealt_sites.hpp"

#include <gtest/gtest.h>

#include "search/small_dataset.hpp"

namespace regraft::phylo {
namespace {

/// Ten taxa, two partitions, patterns with weights.
struct Case {
    Dataset dataset;
    msa::Patterns patterns;

    /// The blocks that this PE submits.
    std::vector<std::byte> my_blocks(ft::Communicator const& comm) const {
        auto const mine = my_part(dataset, comm);
        return to_blocks(patterns, std::span(&mine, 1));
    }
    /// Reads blocks again.
    DealtSites::Reread reread() const {
        return [this] { return [this](BlockRange lost) { return to_blocks(patterns, std::span(&lost, 1)); }; };
    }

    Case() {
        patterns.num_taxa = 10;
        patterns.alphabet = {msa::Alphabet::dna, msa::Alphabet::dna};
        patterns.partition_begin = {0, 17, 40};
        Random random(3);
        for (std::uint32_t i = 0; i < 40; ++i) {
            patterns.weight.push_back(1 + static_cast<std::uint32_t>(random.below(9)));
            for (std::uint32_t t = 0; t < 10; ++t) patterns.columns.push_back("ACGT"[random.below(4)]);
        }
        for (std::uint32_t t = 0; t < 10; ++t) dataset.taxa.push_back("t" + std::to_string(t));
        dataset.specs = {likelihood::parse_model("JC"), likelihood::parse_model("JC")};
        dataset.partition_begin = patterns.partition_begin;
    }
};

TEST(DealtSites, GivesEachGroupAllSitesOnce) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Case const c;
    DealtSites sites(comm, c.reread());
    sites.submit(c.dataset, c.my_blocks(comm), 2);
    for (std::uint32_t count : {1U, static_cast<std::uint32_t>(comm.size()), 2U, 1U}) {
        if (count > comm.size()) continue;
        sites.deal(count);
        ASSERT_EQ(sites.num_groups(), count);
        EXPECT_TRUE(assign::covers_once(sites.group().work, c.dataset.partition_begin));
        auto const ranges = blocks_of(sites.work());
        EXPECT_TRUE(std::ranges::equal(sites.blocks(), to_blocks(c.patterns, ranges)));
    }
}

TEST(DealtSites, LeavesOutPatternsThatWeighNothing) {
    Case const c;
    BlockRange const all{BlockId{0}, BlockId{40}};
    std::vector<assign::Work> const work{{{SiteId{0}, SiteId{17}}, PartitionId{0}},
                                         {{SiteId{17}, SiteId{40}}, PartitionId{1}}};
    auto const blocks = to_blocks(c.patterns, std::span(&all, 1));
    std::vector<std::uint32_t> weights(40, 0);
    weights[3] = 5;
    weights[39] = 2;
    auto const sites = to_local_sites(c.dataset, work, blocks, weights);
    EXPECT_EQ(sites[0].weights, std::vector<std::uint32_t>{5});
    EXPECT_EQ(sites[1].weights, std::vector<std::uint32_t>{2});
    for (std::uint32_t t = 0; t < 10; ++t) {
        EXPECT_EQ(sites[0].rows[t][0], c.patterns.column(3)[t]);
        EXPECT_EQ(sites[1].rows[t][0], c.patterns.column(39)[t]);
    }
}

}  // namespace
}  // namespace regraft::phylo
