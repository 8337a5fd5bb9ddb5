// Manifests: every cut and every changed bit is refused; the choice of the generation that is opened.
#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "store/kept/choice.hpp"
#include "store/kept/manifest.hpp"

namespace regraft::store {
namespace {

BlockRange range(std::uint64_t first, std::uint64_t last) {
    return {BlockId{first}, BlockId{last}};
}

Manifest example(bool checked) {
    Manifest manifest{.common = {{1, 2, 3, 4, 5, 6}, 2, BlockSizes({0, 10, 30, 30, 70, 75}), {std::byte{7}}}};
    manifest.owner = 11;
    manifest.boot = 12;
    manifest.replaces = {13, 14};
    manifest.files = {{"a-0.blocks", 100}, {"a-1.blocks", 40}};
    manifest.pieces = {{range(0, 2), 0, 20}, {range(3, 4), 1, 0}};
    manifest.checked = checked;
    if (checked) manifest.sums = {{range(0, 1), 21}, {range(1, 2), 22}, {range(3, 4), 23}};
    return manifest;
}

/// Blocks of 10, 20, 0, 40 and 5 bytes on three slots, by a code of 2 + 1.
Manifest example_of_pieces() {
    Csr<BlockRange> own;
    own.push_row(std::vector{range(0, 2)});
    own.push_row(std::vector{range(4, 5), range(2, 3)});
    own.push_row(std::vector{range(3, 4)});
    erasure::Layout const layout({2, 1}, BlockSizes({0, 10, 30, 30, 70, 75}), own, {2, 0, 1});
    Manifest manifest{.common = {.id = {1, 2, 3, 4, 5, 6}, .sizes = piece_sizes(layout), .coding = Coding::of(layout)}};
    manifest.owner = 11;
    manifest.files = {{"a-0.blocks", 100}, {"a-1.blocks", 40}};
    manifest.pieces = {{range(0, 1), 0, 20}, {range(4, 5), 0, 40}, {range(8, 9), 1, 0}};
    return manifest;
}

TEST(Manifest, OfPiecesComesBackAsItWasWritten) {
    auto const manifest = example_of_pieces();
    auto const bytes = encode(manifest, "job/store");
    auto const read = decode(bytes, "job/store", 11, "file");
    EXPECT_EQ(encode(read, "job/store"), bytes);
    EXPECT_EQ(read.common.sizes, manifest.common.sizes);
    EXPECT_EQ(read.common.sizes.num_blocks(), 9u) << "three pieces of three stripes";
    EXPECT_EQ(read.common.coding->sizes, manifest.common.coding->sizes);
    EXPECT_EQ(read.common.coding->own, manifest.common.coding->own);
    EXPECT_EQ(read.common.hash(), manifest.common.hash());
}

TEST(Manifest, OfPiecesIsRefusedWithAnyCutOrChangedBitAndIfItMakesNoSense) {
    auto const bytes = encode(example_of_pieces(), "s");
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_THROW(decode(std::span(bytes).first(size), "s", 11, "file"), InputError) << size;
    }
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        auto changed = bytes;
        changed[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
        EXPECT_THROW(decode(changed, "s", 11, "file"), InputError) << bit;
    }
    std::vector<Manifest> wrong(9, example_of_pieces());
    wrong[0].common.coding->data = 0;
    wrong[1].common.coding->parity = 254;
    wrong[2].common.coding->parity = 2;  // more pieces than slots
    wrong[3].common.coding->own.values[1] = range(4, 6);
    wrong[4].common.coding->own.values[1] = range(1, 3);  // block 1 twice
    wrong[5].common.coding->ring = {0, 1};
    wrong[6].common.coding->ring = {0, 1, 1};
    wrong[7].pieces[2].blocks = range(9, 10);
    wrong[8].common.coding->sizes = BlockSizes(5, std::uint64_t{1} << 59);
    std::vector<std::string> const why{"it has no code",
                                       "it has no code",
                                       "it has fewer slots than its code has pieces",
                                       "it has blocks that do not exist",
                                       "it has a block twice",
                                       "it has no order of all slots",
                                       "it has no order of its slots",
                                       "",
                                       "it is too large"};
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        try {
            static_cast<void>(decode(encode(wrong[i], "s"), "s", 11, "file"));
            ADD_FAILURE() << i;
        } catch (InputError const& error) {
            EXPECT_NE(std::string(error.what()).find(why[i]), std::string::npos) << i << ": " << error.what();
        }
    }
}

TEST(Manifest, ComesBackAsItWasWritten) {
    for (bool const checked : {false, true}) {
        auto const manifest = example(checked);
        auto const bytes = encode(manifest, "job/store");
        auto const read = decode(bytes, "job/store", 11, "file");
        EXPECT_EQ(encode(read, "job/store"), bytes);
        EXPECT_EQ(read.common.id, manifest.common.id);
        EXPECT_EQ(read.pieces, manifest.pieces);
        EXPECT_EQ(read.sums, manifest.sums);
        EXPECT_EQ(read.bytes(), 70u);
    }
}

TEST(Manifest, IsRefusedWithAnyCutOrChangedBit) {
    auto const bytes = encode(example(true), "job/store");
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_THROW(decode(std::span(bytes).first(size), "job/store", 11, "file"), InputError) << size;
    }
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        auto changed = bytes;
        changed[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
        EXPECT_THROW(decode(changed, "job/store", 11, "file"), InputError) << bit;
    }
    EXPECT_THROW(decode(bytes, "job/other", 11, "file"), InputError);
    EXPECT_THROW(decode(bytes, "job/store", 12, "file"), InputError);
}

TEST(Manifest, IsRefusedIfItMakesNoSense) {
    std::vector<Manifest> wrong(6, example(true));
    wrong[0].files[0].bytes = 49;  // a piece ends behind its file
    wrong[1].pieces[1].file = 2;
    wrong[2].pieces[1].blocks = range(1, 4);  // overlaps
    wrong[3].sums.pop_back();
    wrong[4].sums[1].blocks = range(1, 3);  // beyond its piece
    wrong[5].files[0].name = "../a";
    for (auto const& manifest : wrong) {
        EXPECT_THROW(decode(encode(manifest, "s"), "s", 11, "file"), InputError) << &manifest - wrong.data();
    }
}

Found found(std::uint64_t owner, GenerationId id, BlockRange blocks, bool agreed) {
    Found result{.owner = owner, .id = id, .num_blocks = 10, .replicas = 2, .bytes = blocks.size(), .agreed = agreed};
    result.pieces = {blocks};
    return result;
}

TEST(Choice, IsTheNewestCompleteGeneration) {
    GenerationId const old{.start = 1, .version = 4}, now{.start = 1, .version = 5}, later{.start = 2, .version = 3};
    std::vector<Found> all{found(1, old, range(0, 10), true), found(2, now, range(0, 6), true)};
    EXPECT_EQ(choose(all)->manifests, (std::vector<std::size_t>{0})) << "version 5 is incomplete";
    all.push_back(found(3, now, range(5, 10), false));
    EXPECT_EQ(choose(all)->manifests, (std::vector<std::size_t>{1, 2}));
    all.push_back(found(4, later, range(0, 10), false));
    EXPECT_EQ(choose(all)->manifests, (std::vector<std::size_t>{3})) << "a later job went on from something older";
}

TEST(Choice, NeedsAsManyPiecesOfAStripeAsTheCodeHasData) {
    GenerationId const old{.start = 1, .version = 4}, now{.start = 1, .version = 5};
    auto const coded = [](std::uint64_t owner, GenerationId id, BlockRange pieces) {
        auto result = found(owner, id, pieces, true);
        result.num_blocks = 8;  // two stripes
        result.replicas = 0;
        result.data = 3;
        result.parity = 1;
        return result;
    };
    std::vector<Found> all{coded(1, old, range(0, 8)), coded(2, now, range(0, 3)), coded(3, now, range(4, 5))};
    EXPECT_EQ(choose(all)->manifests, (std::vector<std::size_t>{0})) << "of the second stripe there is one piece";
    all.push_back(coded(4, now, range(6, 7)));
    EXPECT_EQ(choose(all)->manifests, (std::vector<std::size_t>{0})) << "there are two";
    EXPECT_EQ(choose(std::span(all).subspan(1))->lost, (std::vector{range(5, 6), range(7, 8)}));
    all.push_back(coded(5, now, range(7, 8)));
    EXPECT_EQ(choose(all)->manifests, (std::vector<std::size_t>{1, 2, 3, 4}));
    EXPECT_TRUE(choose(all)->lost.empty());
}

TEST(Choice, NamesWhatIsLostOnlyOfWhatWasAgreedOn) {
    GenerationId const now{.start = 1, .version = 5}, next{.start = 1, .version = 6};
    std::vector<Found> all{found(1, next, range(0, 9), false)};
    EXPECT_FALSE(choose(all).has_value()) << "no submit had succeeded";
    all.push_back(found(2, now, range(0, 3), true));
    all.push_back(found(3, now, range(7, 10), false));
    EXPECT_EQ(choose(all)->lost, (std::vector{range(3, 7)}));
    EXPECT_FALSE(choose({}).has_value());
}

TEST(Choice, CountsAManifestOnceThatWasTakenOver) {
    GenerationId const now{.start = 1, .version = 5};
    std::vector<Found> all{found(1, now, range(0, 10), true), found(2, now, range(0, 10), true)};
    all[1].replaces = {1};
    EXPECT_EQ(choose(all)->manifests, (std::vector<std::size_t>{1}));
}

TEST(Choice, DealsTwoCopiesToTwoMembers) {
    GenerationId const now{.start = 1, .version = 5};
    std::vector<Found> const all{found(1, now, range(0, 5), true), found(2, now, range(0, 5), true),
                                 found(3, now, range(5, 10), true), found(4, now, range(5, 10), true)};
    std::vector<std::size_t> const manifests{0, 1, 2, 3};
    std::vector<std::uint32_t> const site_of{0, 0};
    auto const heirs = deal(all, manifests, site_of);
    EXPECT_NE(heirs[0], heirs[1]);
    EXPECT_NE(heirs[2], heirs[3]);
}

TEST(Found, TravelsAsNumbers) {
    auto one = found(1, {1, 2, 3, 4, 5, 6}, range(0, 5), true);
    one.replaces = {7, 8};
    one.data = 10;
    one.parity = 4;
    auto const two = found(9, {}, range(5, 10), false);
    std::vector<std::uint64_t> words;
    one.append_to(words);
    two.append_to(words);
    std::span<std::uint64_t const> rest = words;
    EXPECT_EQ(Found::take_from(rest, 0), one);
    EXPECT_EQ(Found::take_from(rest, 0), two);
    EXPECT_TRUE(rest.empty());
}

}  // namespace
}  // namespace regraft::store
