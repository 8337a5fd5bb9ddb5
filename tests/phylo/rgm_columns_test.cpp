#include "columns/rgm_columns.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "regraft/codec/guide_tree.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"

namespace regraft::phylo {
namespace {

namespace fs = std::filesystem;

/// A file with 9 taxa and 50 sites, in blocks of 7 sites, and what is in it.
class RgmColumnsTest : public testing::Test {
protected:
    void SetUp() override {
        Random random(1);
        for (std::uint32_t t = 0; t < 9; ++t) alignment_.names.push_back("t" + std::to_string(t));
        for (std::uint32_t i = 0; i < 9 * 50; ++i) alignment_.cells.push_back("ACGTacgtN-"[random.below(10)]);
        write([&](auto const& sink) {
            auto const tree = codec::guide_tree(alignment_);
            codec::write_rgm(codec::CompressedAlignment::encode(alignment_, tree, {.sites_per_block = 7}), {}, sink);
        });
    }
    void TearDown() override { fs::remove(path_); }

    template <class Write>
    void write(Write write) {
        std::ofstream out(path_, std::ios::binary);
        write([&](std::span<std::byte const> bytes) {
            out.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        });
    }
    std::string column(std::uint64_t site) const {
        std::string text;
        for (std::size_t t = 0; t < 9; ++t) text += alignment_.cell(t, site);
        return text;
    }
    /// A dataset in which each pattern is at one of these sites.
    Dataset dataset(std::vector<std::uint64_t> const& sites) const {
        Dataset result;
        result.taxa = alignment_.names;
        result.specs = {likelihood::parse_model("JC"), likelihood::parse_model("JC")};
        result.partition_begin = {0, 2, sites.size()};
        CanonicalColumns canonical(result.specs);
        for (auto const site : sites) {
            result.weights.push_back(static_cast<std::uint32_t>(site + 3));
            result.origins.push_back({site, digest(std::as_bytes(canonical.of(0, column(site))))});
        }
        return result;
    }

    fs::path path_ = fs::temp_directory_path() / ("columns" + std::to_string(getpid()) + ".rgm");
    msa::Alignment alignment_;
};

TEST_F(RgmColumnsTest, AreThoseOfTheAlignment) {
    auto const columns = RgmColumns::open(path_);
    ASSERT_TRUE(columns);
    for (auto const& [first, last] : {std::pair{0U, 50U}, {0U, 0U}, {6U, 8U}, {13U, 36U}}) {
        auto next = std::uint64_t{first};
        columns->visit({SiteId{first}, SiteId{last}}, [&](std::uint64_t site, std::span<char const> found) {
            EXPECT_EQ(site, next++);
            EXPECT_EQ(std::string(found.begin(), found.end()), column(site));
        });
        EXPECT_EQ(next, last);
    }
    std::vector<std::uint64_t> const sites{0, 1, 20, 21, 27, 49};
    std::vector<std::uint64_t> seen;
    columns->visit(sites, [&](std::uint64_t site, std::span<char const> found) {
        seen.push_back(site);
        EXPECT_EQ(std::string(found.begin(), found.end()), column(site));
    });
    EXPECT_EQ(seen, sites);
}

TEST_F(RgmColumnsTest, BecomeBlocksInTheOrderOfThePatterns) {
    auto const columns = RgmColumns::open(path_);
    auto const data = dataset({5, 40, 2, 3, 33});
    auto const blocks = columns->blocks(data, {BlockId{1}, BlockId{4}});
    ASSERT_EQ(blocks.size(), 3 * data.block_bytes());
    for (std::uint64_t i = 1; i < 4; ++i) {
        auto const block = read_block(std::span(blocks).subspan((i - 1) * data.block_bytes(), data.block_bytes()));
        EXPECT_EQ(block.weight, data.weights[i]);
        EXPECT_EQ(digest(std::as_bytes(block.column)), data.origins[i].digest);
    }
    EXPECT_TRUE(columns->blocks(data, {BlockId{2}, BlockId{2}}).empty());
}

TEST_F(RgmColumnsTest, ThatHaveChangedAreNoticed) {
    auto const columns = RgmColumns::open(path_);
    auto data = dataset({5, 40, 2});
    data.origins[2].digest.low ^= 1;
    EXPECT_NO_THROW(columns->blocks(data, {BlockId{0}, BlockId{2}}));
    EXPECT_THROW(columns->blocks(data, {BlockId{0}, BlockId{3}}), InputError);
}

TEST_F(RgmColumnsTest, AreNotThereInTexts) {
    std::string const text = ">a\nACGT\n>b\nACGA\n";
    write([&](auto const& sink) { codec::write_plain_rgm(text, sink); });
    EXPECT_FALSE(RgmColumns::open(path_));
    std::ofstream(path_) << text;
    EXPECT_FALSE(RgmColumns::open(path_));
    std::ofstream(path_) << "";
    EXPECT_FALSE(RgmColumns::open(path_));
    EXPECT_FALSE(RgmColumns::open(fs::temp_directory_path()));
}

}  // namespace
}  // namespace regraft::phylo
