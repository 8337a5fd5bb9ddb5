// The private parts of the stores that need no messages.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/block_parts.hpp"
#include "regraft/core/random.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/permuted.hpp"
#include "store/blocks/seams.hpp"
#include "store/replicated/replicated.hpp"
#include "store/together/digest.hpp"

namespace regraft::store {
namespace {

std::uint64_t digest_of(placement::Any const& placement) {
    return Digest().add(placement).value();
}

TEST(Digest, TellsPlacementsApart) {
    auto const permuted = [](std::uint64_t seed) {
        return digest_of(placement::Permuted(1000, 5, 2, {.range_blocks = 4, .seed = seed}));
    };
    EXPECT_EQ(permuted(1), permuted(1));
    EXPECT_NE(permuted(1), permuted(2)) << "another seed";
    EXPECT_NE(permuted(1), digest_of(placement::ModK(1000, 5, 2))) << "another rule of the same shape";
    EXPECT_NE(digest_of(placement::ModK(1000, 5, 2)), digest_of(placement::ModK(1001, 5, 2)));
    EXPECT_NE(digest_of(placement::ModK(1000, 5, 2)), digest_of(placement::ModK(1000, 5, 3)));
    EXPECT_NE(digest_of(placement::ModK(0, 5, 2)), digest_of(placement::ModK(0, 6, 2)));
}

TEST(Digest, TellsLoadOptionsApart) {
    auto const digest = [](LoadOptions const& options) { return Digest().add(options).value(); };
    auto const nothing = [](BlockRange, std::span<std::byte>) {};
    EXPECT_EQ(digest({.reread = nothing}), digest({.reread = [](BlockRange, std::span<std::byte>) { FAIL(); }}))
        << "each PE has a function of its own";
    EXPECT_NE(digest({}), digest({.reread = nothing}));
    EXPECT_NE(digest({}), digest({.lost = LoadOptions::Lost::left}));
}

TEST(Parts, EndAtTheSamePlacesWhereverBlocksBegin) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        BlockSizes::Builder builder;
        auto const largest = std::uint64_t{1} << random.below(19);
        for (int i = 0; i < 300; ++i) builder.add(seed % 3 == 0 ? largest : random.below(largest));
        auto const sizes = std::move(builder).take();
        auto const ends_of = [&](std::uint64_t first, std::uint64_t last) {
            std::vector<BlockId> ends;
            visit_parts({BlockId{first}, BlockId{last}}, sizes, [&](BlockRange part) { ends.push_back(part.last); });
            return ends;
        };
        auto const all = ends_of(0, 300);
        EXPECT_EQ(all.back(), BlockId{300});
        for (std::uint64_t first = 0; first < 300; first += 7) {
            auto const ends = ends_of(first, 300);
            auto const same = std::upper_bound(all.begin(), all.end(), BlockId{first});
            EXPECT_TRUE(std::equal(ends.begin(), ends.end(), same, all.end()));
        }
    }
}

TEST(Seams, AreForgottenWhereTheySeparateNothing) {
    std::vector<PeId> const pes{PeId{0}, PeId{1}, PeId{2}, PeId{3}};
    placement::Directory directory(placement::ModK(100, 4, 2), pes);  // 0 and 2 hold the first half
    Seams seams;
    auto const in_range = [](std::uint64_t first, std::uint64_t last) {
        return BlockRange{BlockId{first}, BlockId{last}};
    };
    seams.add(in_range(10, 20), PeId{0});
    seams.add(in_range(0, 50), PeId{2});  // neither side: nothing lies before 0, and 2 does not hold 50
    seams.prune(directory);
    EXPECT_EQ(std::vector(seams.blocks().begin(), seams.blocks().end()), (std::vector{BlockId{10}, BlockId{20}}));
    directory.remove(in_range(20, 30), PeId{0});
    seams.prune(directory);
    EXPECT_EQ(std::vector(seams.blocks().begin(), seams.blocks().end()), (std::vector{BlockId{10}}));
    directory.retain(std::vector{PeId{1}, PeId{2}, PeId{3}});
    seams.prune(directory);
    EXPECT_TRUE(seams.blocks().empty());
}

struct Load : Loading::State {
    using State::State;
    LoadReport wait() override { return {}; }
    void abandon() override { is_abandoned = true; }
    bool is_abandoned = false;
};

TEST(LoadsUnderWay, EndWithTheCommunicator) {
    LoadsUnderWay loads;
    EXPECT_FALSE(loads.any(0));
    std::optional<Load> one(std::in_place, loads, 3), other(std::in_place, loads, 3);
    EXPECT_TRUE(loads.any(3));
    EXPECT_FALSE(loads.any(4));
    one.reset();
    EXPECT_TRUE(loads.any(3));
    std::optional<Load> later(std::in_place, loads, 4);
    other.reset();  // one of before
    EXPECT_TRUE(loads.any(4));
    EXPECT_FALSE(loads.any(3));
    later.reset();
    EXPECT_FALSE(loads.any(4));
}

TEST(LoadsUnderWay, AreAbandonedWithTheirStore) {
    std::optional<LoadsUnderWay> loads(std::in_place);
    Load one(*loads, 3), other(*loads, 4);
    loads.reset();
    for (auto const* load : {&one, &other}) {
        EXPECT_TRUE(load->is_abandoned);
        EXPECT_EQ(load->loads, nullptr);
    }
}

}  // namespace
}  // namespace regraft::store
