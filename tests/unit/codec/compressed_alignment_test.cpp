#include "regraft/codec/compressed_alignment.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/codec/guide_tree.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {
namespace {

SiteRange sites(std::uint64_t first, std::uint64_t last) {
    return {SiteId{first}, SiteId{last}};
}

msa::Alignment sample() {
    return msa::parse_alignment(">a\nACGTACGTAC\n>b\nACGTACGTAG\n>c\nACCTACG-AC\n>d\nACCTACGTAC\n", "f");
}

CompressedAlignment compressed(Kind kind, std::uint32_t sites_per_block) {
    auto const alignment = sample();
    return CompressedAlignment::encode(alignment, guide_tree(alignment),
                                       {.kind = kind, .sites_per_block = sites_per_block});
}

std::vector<Kind> const kinds{Kind::plain, Kind::native, Kind::thesis};

TEST(CompressedAlignment, DecodesAnyRange) {
    auto const original = sample();
    for (auto const kind : kinds) {
        auto const alignment = compressed(kind, 4);
        for (std::uint64_t first = 0; first <= 10; ++first) {
            for (auto last = first; last <= 10; ++last) {
                auto const rows = alignment.rows(sites(first, last));
                EXPECT_EQ(rows.names, original.names);
                for (std::size_t taxon = 0; taxon < 4; ++taxon) {
                    EXPECT_EQ(rows.row(taxon), original.row(taxon).substr(first, last - first));
                }
            }
        }
    }
}

TEST(CompressedAlignment, DecodesColumnByColumn) {
    auto const original = sample();
    for (auto const kind : kinds) {
        std::vector<char> cells(4 * 6);
        compressed(kind, 4).decode(sites(3, 9), {cells.data(), 1, 4});
        for (std::size_t site = 0; site < 6; ++site) {
            for (std::size_t taxon = 0; taxon < 4; ++taxon) {
                EXPECT_EQ(cells[site * 4 + taxon], original.cell(taxon, site + 3));
            }
        }
    }
}

TEST(CompressedAlignment, GivesTheBytesOfBlocksWithoutACopy) {
    auto const alignment = compressed(Kind::plain, 4);
    auto const bytes = alignment.bytes(sites(5, 9));
    EXPECT_EQ(bytes.size(), 2u);
    EXPECT_EQ(bytes[0].size(), 16u);
    EXPECT_EQ(bytes[1].size(), 8u);
    EXPECT_EQ(bytes[0].data(), alignment.encoded().blocks[1].data());
    EXPECT_EQ(alignment.bytes(sites(4, 4)).size(), 0u);
    EXPECT_EQ(alignment.bytes(alignment.sites()).size(), 3u);
}

TEST(CompressedAlignment, MayHaveSomeBlocksOnly) {
    auto const original = sample();
    for (auto const kind : kinds) {
        auto const whole = compressed(kind, 4);
        Csr<std::byte> blocks;
        blocks.push_row(whole.encoded().blocks[1]);
        auto const part = whole.with_blocks(blocks, 1);
        EXPECT_EQ(part.sites(), sites(4, 8));
        EXPECT_EQ(part.num_sites(), 10u);
        EXPECT_EQ(part.rows(sites(5, 8)).row(2), original.row(2).substr(5, 3));
        EXPECT_EQ(part.bytes(sites(4, 5))[0].size(), blocks.values.size());
        CompressedAlignment const stored(original.names, whole.decoder().tree(), part.encoded(), 10, 1);
        EXPECT_EQ(stored.rows(sites(4, 8)).cells, part.rows(sites(4, 8)).cells);
    }
}

TEST(CompressedAlignment, HashesWhatItIsNotHowItIsStored) {
    auto const plain = compressed(Kind::plain, 4);
    for (auto const kind : kinds) {
        auto const alignment = compressed(kind, 4);
        EXPECT_EQ(alignment.content_hash(), plain.content_hash());
        EXPECT_EQ(alignment.with_blocks(alignment.encoded().blocks, 0).content_hash(), plain.content_hash())
            << "that of the decoded cells is that of the original";
    }
    auto changed = plain.encoded().blocks;
    changed.values.back() = std::byte{'G'};
    EXPECT_NE(plain.with_blocks(changed, 0).content_hash(), plain.content_hash());
}

TEST(CompressedAlignment, MayHaveNoSites) {
    auto const original = msa::parse_alignment(">a\n>b\n>c\n", "f");
    for (auto const kind : kinds) {
        auto const alignment = CompressedAlignment::encode(original, guide_tree(original), {.kind = kind});
        EXPECT_EQ(alignment.num_sites(), 0u);
        EXPECT_TRUE(alignment.sites().empty());
        EXPECT_TRUE(alignment.rows(sites(0, 0)).cells.empty());
        EXPECT_EQ(alignment.bytes(sites(0, 0)).size(), 0u);
    }
}

TEST(CompressedAlignment, ReportsTheFirstDamagedBlock) {
    auto blocks = compressed(Kind::plain, 4).encoded().blocks;
    Csr<std::byte> damaged;
    damaged.push_row(blocks[0]);
    damaged.push_row(blocks[0].first(3));
    damaged.push_row({});
    auto const alignment = compressed(Kind::plain, 4).with_blocks(damaged, 0);
    EXPECT_EQ(alignment.rows(sites(0, 4)).row(0), "ACGT");
    EXPECT_THROW(alignment.rows(sites(0, 10)), InputError);
}

TEST(CompressedAlignment, RefusesBlocksThatAreTooLarge) {
    EXPECT_EQ(compressed(Kind::plain, max_sites_per_block).encoded().blocks.size(), 1u);
    EXPECT_THROW(compressed(Kind::plain, max_sites_per_block + 1), InputError);
}

TEST(CompressedAlignmentDeathTest, KnowsItsSites) {
    auto const alignment = compressed(Kind::plain, 4);
    EXPECT_DEATH(alignment.rows(sites(9, 11)), "precondition");
    EXPECT_DEATH(alignment.bytes(sites(6, 5)), "precondition");
}

}  // namespace
}  // namespace regraft::codec
