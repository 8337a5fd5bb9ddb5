#include "regraft/placement/directory.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "regraft/placement/mod_k.hpp"

namespace regraft::placement {
namespace {

using Pes = std::vector<PeId>;
using Ranges = std::vector<BlockRange>;

BlockRange blocks(std::uint64_t first, std::uint64_t last) {
    return {BlockId{first}, BlockId{last}};
}

Pes pes(std::vector<std::uint32_t> const& numbers) {
    Pes result;
    for (auto const number : numbers) result.push_back(PeId{number});
    return result;
}

struct Seen {
    BlockRange blocks;
    Pes holders;
    friend bool operator==(Seen const&, Seen const&) = default;
};

std::vector<Seen> seen(Directory const& directory, BlockRange range) {
    std::vector<Seen> result;
    directory.visit(range, [&](Run const& run) {
        result.push_back({run.blocks, {run.holders.begin(), run.holders.end()}});
    });
    return result;
}

//  4 PEs, 2 replicas: blocks 0..4 on PEs 2 and 7, blocks 5..9 on PEs 5 and 9.
Directory small() {
    return {ModK(10, 4, 2), pes({2, 5, 7, 9})};
}

TEST(Directory, AnswersAsThePlacementWhereNothingChanged) {
    auto const directory = small();
    EXPECT_EQ(directory.num_blocks(), 10u);
    EXPECT_EQ(directory.replicas(), 2u);
    EXPECT_EQ(seen(directory, blocks(3, 7)),
              (std::vector<Seen>{{blocks(3, 5), pes({2, 7})}, {blocks(5, 7), pes({5, 9})}}));
    EXPECT_EQ(directory.held(PeId{9}), Ranges{blocks(5, 10)});
    EXPECT_EQ(directory.held(PeId{3}), Ranges{});
    EXPECT_EQ(directory.short_of(2), Ranges{});
    EXPECT_EQ(directory.short_of(3), Ranges{blocks(0, 10)});
}

TEST(Directory, SaysWhetherItKnowsOnlyMembers) {
    auto directory = small();
    EXPECT_TRUE(directory.retains_only(pes({2, 3, 5, 7, 9})));
    EXPECT_FALSE(directory.retains_only(pes({2, 5, 9})));
    directory.retain(pes({2, 5, 9}));
    EXPECT_TRUE(directory.retains_only(pes({2, 5, 9})));
    EXPECT_TRUE(directory.retains_only(pes({2, 5, 7, 9})));
}

TEST(Directory, ForgetsTheDead) {
    auto directory = small();
    directory.retain(pes({5, 7, 9}));
    EXPECT_EQ(seen(directory, blocks(0, 6)),
              (std::vector<Seen>{{blocks(0, 5), pes({7})}, {blocks(5, 6), pes({5, 9})}}));
    EXPECT_EQ(directory.held(PeId{2}), Ranges{});
    EXPECT_EQ(directory.short_of(1), Ranges{});
    EXPECT_EQ(directory.short_of(2), Ranges{blocks(0, 5)});
    directory.retain(pes({2, 5, 9}));  // 2 cannot come back
    EXPECT_EQ(directory.short_of(1), Ranges{blocks(0, 5)});
    EXPECT_EQ(seen(directory, blocks(2, 3)), (std::vector<Seen>{{blocks(2, 3), {}}}));
}

TEST(Directory, KeepsWhatWasAddedAndRemoved) {
    auto directory = small();
    directory.retain(pes({2, 5, 9}));
    directory.add(blocks(1, 3), PeId{5});
    directory.add(blocks(3, 7), PeId{5});
    EXPECT_EQ(seen(directory, blocks(0, 10)),
              (std::vector<Seen>{{blocks(0, 1), pes({2})}, {blocks(1, 5), pes({2, 5})}, {blocks(5, 10), pes({5, 9})}}));
    EXPECT_EQ(directory.held(PeId{5}), Ranges{blocks(1, 10)});
    EXPECT_EQ(directory.short_of(2), Ranges{blocks(0, 1)});
    directory.remove(blocks(0, 10), PeId{5});
    EXPECT_EQ(directory.held(PeId{5}), Ranges{});
    EXPECT_EQ(directory.short_of(2), Ranges{blocks(0, 10)});
    directory.remove(blocks(6, 7), PeId{9});
    EXPECT_EQ(directory.short_of(1), Ranges{blocks(6, 7)});
}

TEST(Directory, ForgetsAddedCopiesOfTheDead) {
    auto directory = small();
    directory.add(blocks(0, 4), PeId{9});
    directory.retain(pes({2, 5, 7}));
    EXPECT_EQ(seen(directory, blocks(0, 10)),
              (std::vector<Seen>{{blocks(0, 5), pes({2, 7})}, {blocks(5, 10), pes({5})}}));
    EXPECT_EQ(directory.held(PeId{9}), Ranges{});
}

TEST(Directory, MayBeEmpty) {
    Directory nothing;
    EXPECT_EQ(nothing.num_blocks(), 0u);
    nothing.retain(pes({1}));
    EXPECT_EQ(seen(nothing, blocks(0, 0)), std::vector<Seen>{});
    EXPECT_EQ(nothing.held(PeId{0}), Ranges{});
    EXPECT_EQ(nothing.short_of(0), Ranges{});
    EXPECT_EQ(nothing.short_of(3), Ranges{});

    Directory no_blocks(ModK(0, 2, 1), pes({0, 1}));
    no_blocks.add(blocks(0, 0), PeId{0});
    EXPECT_EQ(no_blocks.held(PeId{0}), Ranges{});
    EXPECT_EQ(no_blocks.short_of(3), Ranges{});
}

TEST(Directory, IsAValue) {
    auto before = small();
    auto after = before;
    after.add(blocks(0, 1), PeId{5});
    EXPECT_EQ(before.held(PeId{5}), Ranges{blocks(5, 10)});
    EXPECT_EQ(after.held(PeId{5}), (Ranges{blocks(0, 1), blocks(5, 10)}));
}

TEST(DirectoryDeathTest, RefusesWhatIsNotThere) {
    auto directory = small();
    directory.retain(pes({2, 5, 7}));
    EXPECT_DEATH(directory.add(blocks(0, 1), PeId{9}), "precondition");
    EXPECT_DEATH(directory.add(blocks(0, 1), PeId{3}), "precondition");
    EXPECT_DEATH(directory.add(blocks(9, 11), PeId{2}), "precondition");
    EXPECT_DEATH(directory.remove(blocks(9, 11), PeId{2}), "precondition");
    EXPECT_DEATH(Directory(ModK(10, 4, 2), pes({2, 5, 7})), "precondition");
    EXPECT_DEATH(Directory(ModK(10, 4, 2), pes({2, 5, 5, 7})), "precondition");
}

}  // namespace
}  // namespace regraft::placement
