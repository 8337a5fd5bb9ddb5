#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/codec/columns.hpp"
#include "regraft/codec/thesis.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/newick.hpp"
#include "regraft/msa/parsimony.hpp"
#include "support/msa/alignment_instances.hpp"

namespace regraft::codec {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes(std::initializer_list<int> values) {
    Bytes out;
    for (auto const number : values) out.push_back(static_cast<std::byte>(number));
    return out;
}

msa::Alignment alignment_of(std::vector<std::string> const& rows) {
    msa::Alignment out;
    for (auto const& row : rows) {
        out.names.push_back(std::to_string(out.names.size()));
        out.cells.insert(out.cells.end(), row.begin(), row.end());
    }
    return out;
}

RootedTree tree_of(std::string const& newick, std::uint32_t num_tips) {
    std::vector<std::string> names;
    for (std::uint32_t t = 0; t < num_tips; ++t) names.push_back(std::to_string(t));
    return hang_up(msa::parse_newick(newick, "f", names));
}

RootedTree random_tree(std::uint32_t num_tips, std::uint64_t seed) {
    return num_tips < 3 ? trivial_tree(num_tips) : hang_up(msa::random_tree(num_tips, seed));
}

EncodedColumns encode(msa::Alignment const& alignment, RootedTree const& tree, std::uint32_t sites_per_block = 100) {
    return encode_columns(alignment, tree, {.kind = Kind::thesis, .sites_per_block = sites_per_block});
}

/// The bits of a layer of the only block.
double bits(EncodedColumns const& encoded, RootedTree const& tree, std::uint32_t num_sites, std::string const& layer) {
    auto const layers = ColumnDecoder(encoded.kind, encoded.model, tree).layers(encoded.blocks[0], num_sites);
    auto const found = std::ranges::find(layers, layer, &Layer::name);
    return found == layers.end() ? -1 : found->bits;
}

/// Records of a column where each takes 4 bits beside the edge.
double records(std::string const& newick, std::string const& column) {
    std::vector<std::string> rows;
    for (auto const cell : column) rows.emplace_back(1, cell);
    auto const num_taxa = static_cast<std::uint32_t>(rows.size());
    auto const tree = tree_of(newick, num_taxa);
    return bits(encode(alignment_of(rows), tree), tree, 1, "masks") / 4;
}

TEST(ThesisCodec, TakesARecordPerChange) {
    EXPECT_EQ(records("(0,1,(2,3));", "AACC"), 1);
    EXPECT_EQ(records("(0,2,(1,3));", "AACC"), 2);
    EXPECT_EQ(records("(0,1,(2,3));", "ACGT"), 3);
    EXPECT_EQ(records("(0,1,(2,3));", "AAAA"), 0);
    EXPECT_EQ(records("((0,1),(2,3),(4,5));", "ACACAC"), 3);
}

TEST(ThesisCodec, TakesARecordForAWholeCladeOfGaps) {
    EXPECT_EQ(records("(0,1,(2,(3,4)));", "AA---"), 1);
    EXPECT_EQ(records("(0,1,(2,(3,4)));", "-----"), 0);
}

TEST(ThesisCodec, TakesARecordForEveryTipWithAnAmbiguity) {
    EXPECT_EQ(records("(0,1,(2,(3,4)));", "ARAYA"), 2);
}

TEST(ThesisCodec, NumbersCharactersUnlessTheyAreSetsOfBases) {
    auto const tree = tree_of("(0,1,2);", 3);
    auto const width = [&](std::string const& cells) {
        auto const num_sites = static_cast<std::uint32_t>(cells.size());
        return bits(encode(alignment_of({cells, cells, cells}), tree, num_sites), tree, num_sites, "root states");
    };
    EXPECT_EQ(width("A"), 4);
    EXPECT_EQ(width("-ACGTRYSWKMBDHVN"), 4 * 16);
    EXPECT_EQ(width("ACGTU"), 3 * 5);
    EXPECT_EQ(width("01"), 1 * 2);
    EXPECT_EQ(width("?"), 0);
    EXPECT_EQ(width("ARNDCQEGHILKMFPSTWYV-"), 5 * 21);
    std::string all;
    for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
    EXPECT_EQ(width(all), 8 * 256);
}

TEST(ThesisCodec, LayersAddUpToTheBlocks) {
    for (auto const& family : test::alignment_families) {
        SCOPED_TRACE(family.name);
        auto const tree = random_tree(30, 1);
        auto const encoded = encode(family.make({30, 200, 1}), tree, 50);
        ColumnDecoder const decoder(encoded.kind, encoded.model, tree);
        double sum = 0;
        for (std::size_t block = 0; block < encoded.blocks.size(); ++block)
            for (auto const& layer : decoder.layers(encoded.blocks[block], 50)) sum += layer.bits;
        EXPECT_EQ(sum, 8 * static_cast<double>(encoded.blocks.values.size()));
    }
}

// ---- Size

TEST(ThesisSize, IsThatOfTheFormula) {
    // 8 bits; 10 counts below 2^6, 10 states of 4 bits, 99 records of 4 and 8 bits: 2 * 128 - 3 edges.
    EXPECT_EQ(thesis_edge_bits(128), 8u);
    EXPECT_EQ(
        thesis_block_bytes({.num_taxa = 128, .state_bits = 4, .num_sites = 10, .num_records = 99, .most_records = 63}),
        (8 + 60 + 40 + 99 * 12 + 7) / 8u);
    EXPECT_EQ(
        thesis_block_bytes({.num_taxa = 128, .state_bits = 4, .num_sites = 10, .num_records = 99, .most_records = 64}),
        (8 + 70 + 40 + 99 * 12 + 7) / 8u);
    EXPECT_EQ(thesis_block_bytes({.num_taxa = 1, .state_bits = 0, .num_sites = 1000}), 1u);
}

TEST(ThesisSize, NumbersTheEdgesOfTheSmallestTrees) {
    EXPECT_EQ(thesis_edge_bits(1), 0u);
    EXPECT_EQ(thesis_edge_bits(2), 1u);
    EXPECT_EQ(thesis_edge_bits(3), 2u);
    EXPECT_EQ(thesis_edge_bits(4), 3u);
    EXPECT_EQ(thesis_edge_bits(5), 3u);
    EXPECT_EQ(thesis_edge_bits(6), 4u);
    EXPECT_EQ(thesis_edge_bits((1u << 31) - 1), 32u);
}

/// The fewest changes of a column if any character is a state: dynamic programming over states (Sankoff 1975).
std::uint32_t fewest_changes(msa::Alignment const& alignment, RootedTree const& tree, std::uint64_t site) {
    constexpr std::uint32_t infinite = 1u << 30;
    std::vector<std::array<std::uint32_t, 128>> cost(tree.num_nodes());
    for (auto v = tree.num_nodes(); v-- > 0;) {
        if (tree.is_tip(v)) {
            cost[v].fill(infinite);
            cost[v][static_cast<std::size_t>(alignment.cell(tree.row_of_tip[tree.first_tip[v]], site))] = 0;
        }
        if (v == 0) break;
        auto const least = *std::ranges::min_element(cost[v]);
        for (std::size_t s = 0; s < 128; ++s) cost[tree.parent[v]][s] += std::min(cost[v][s], least + 1);
    }
    return *std::ranges::min_element(cost[0]);
}

TEST(ThesisSize, IsKnownFromTheFewestChanges) {
    constexpr std::uint32_t sites_per_block = 16;
    for (auto const& family : test::alignment_families) {
        SCOPED_TRACE(family.name);
        for (std::uint32_t num_taxa : {1u, 2u, 3u, 4u, 7u, 40u}) {
            auto const alignment = family.make({num_taxa, 50, num_taxa});
            auto const tree = random_tree(num_taxa, num_taxa);
            auto const encoded = encode(alignment, tree, sites_per_block);
            auto const state_bits =
                static_cast<std::uint32_t>(bits(encoded, tree, sites_per_block, "root states") / sites_per_block);
            ASSERT_EQ(encoded.blocks.size(), 4u);
            for (std::uint32_t b = 0; b < 4; ++b) {
                ThesisBlockShape shape{
                    .num_taxa = num_taxa, .state_bits = state_bits, .num_sites = b < 3 ? sites_per_block : 2};
                for (std::uint32_t i = 0; i < shape.num_sites; ++i) {
                    auto const changes = fewest_changes(alignment, tree, b * sites_per_block + i);
                    shape.num_records += changes;
                    shape.most_records = std::max(shape.most_records, changes);
                }
                EXPECT_EQ(encoded.blocks[b].size(), thesis_block_bytes(shape));
            }
        }
    }
}

// ---- Bytes

/// Bits from the lowest of the first byte on, filled up with zeros; blanks mean nothing.
Bytes packed(std::string_view text) {
    Bytes out;
    std::size_t size = 0;
    for (auto const c : text) {
        if (c == ' ') continue;
        if (size % 8 == 0) out.emplace_back();
        if (c == '1') out.back() |= static_cast<std::byte>(1 << size % 8);
        ++size;
    }
    return out;
}

struct Decoded {
    std::string rows;
    bool is_damaged = false;
};

Decoded decode(Bytes const& model, Bytes const& block, std::uint32_t num_sites, std::uint32_t num_taxa = 3) {
    std::string out(num_taxa * num_sites, ' ');
    try {
        ColumnDecoder const decoder(Kind::thesis, model, random_tree(num_taxa, 1));
        decoder.decode(block, num_sites, {0, num_sites}, {out.data(), num_sites, 1});
        return {out};
    } catch (InputError const&) {
        return {out, true};
    }
}

TEST(ThesisBytes, AreThoseOfTheFormat) {
    auto const tree = trivial_tree(2);
    auto const encoded = encode(alignment_of({"ACN", "ATN"}), tree);
    EXPECT_EQ(encoded.model, bytes({0}));
    // Counts of one bit: 0 1 0. Roots A (1), C (2), N (15). C (2) xor T (8) above edge 1, of one bit.
    EXPECT_EQ(Bytes(encoded.blocks.values), packed("10000000 010 1000 0100 1111 0101 1"));
    EXPECT_EQ(decode(encoded.model, encoded.blocks.values, 3, 2).rows, "ACNATN");
}

TEST(ThesisBytes, OfANumberedAlphabetBeginWithTheMostFrequentCharacters) {
    auto const encoded = encode(alignment_of({"aab", "a?b"}), trivial_tree(2));
    EXPECT_EQ(encoded.model, bytes({1, 'a', 'b', '?'}));
    EXPECT_EQ(decode(encoded.model, encoded.blocks.values, 3, 2).rows, "aaba?b");
}

TEST(ThesisBytes, OfADamagedModelAreRefused) {
    auto const block = bytes({0, 0});
    EXPECT_FALSE(decode(bytes({1, 'a'}), bytes({0}), 2).is_damaged);
    EXPECT_FALSE(decode(bytes({0}), block, 2).is_damaged);
    EXPECT_TRUE(decode({}, block, 2).is_damaged) << "no model";
    EXPECT_TRUE(decode(bytes({2}), block, 2).is_damaged) << "an unknown kind of states";
    EXPECT_TRUE(decode(bytes({0, 'A'}), block, 2).is_damaged) << "characters beside base sets";
    EXPECT_TRUE(decode(bytes({1}), block, 2).is_damaged) << "no characters";
    EXPECT_TRUE(decode(bytes({1, 'a', 'b', 'a'}), block, 2).is_damaged) << "a character twice";
    auto too_many = bytes({1});
    for (int c = 0; c <= 256; ++c) too_many.push_back(static_cast<std::byte>(c));
    EXPECT_TRUE(decode(too_many, block, 2).is_damaged) << "more characters than there are";
}

TEST(ThesisBytes, OfADamagedBlockAreRefused) {
    // Three taxa, edges of two bits.
    auto const expect_damaged = [](Bytes const& block, char const* what) {
        EXPECT_TRUE(decode(bytes({0}), block, 2).is_damaged) << what;
    };
    EXPECT_FALSE(decode(bytes({0}), packed("10000000 10 1000 1000 1100 00"), 2).is_damaged);
    expect_damaged(packed("10000000 10 1000 1000 1100 11"), "an edge that is not there");
    EXPECT_FALSE(decode(bytes({0}), packed("01000000 0100 1000 1000 1100 00 1100 10"), 2).is_damaged);
    expect_damaged(packed("01000000 0100 1000 1000 1100 10 1100 10"), "an edge twice");
    expect_damaged(packed("11000000 001000 1000 1000 1100 00 1100 10 1100 01 1100 01"), "more records than edges");
    expect_damaged({}, "nothing");
    expect_damaged(packed("00000000"), "no root states");
    expect_damaged(packed("00000000 1000 1000 00000000"), "a byte too many");
    expect_damaged(packed("10000000 11 1000 1000 1100 00"), "a record that is not there");
    expect_damaged(packed("10000000 10 1000 1000 0000 00"), "a record that changes nothing");
    expect_damaged(Bytes(100, std::byte{33}), "counts of 33 bits");
}

TEST(ThesisBytes, AreNotReadBeyondTheirEndForTheSakeOfManySites) {
    ColumnDecoder const decoder(Kind::thesis, bytes({0}), random_tree(3, 1));
    char cell = ' ';
    for (auto const first : {0, 1, 33}) {
        Bytes const block(100, std::byte(first));
        EXPECT_THROW(decoder.decode(block, std::numeric_limits<std::uint32_t>::max(), {0, 0}, {&cell, 1, 1}),
                     InputError);
    }
}

TEST(ThesisBytes, WithAStateThatNoCharacterStandsForAreRefused) {
    auto const three = bytes({1, 'x', 'y', 'z'});
    EXPECT_FALSE(decode(three, packed("10000000 10 01 00 11 00"), 2).is_damaged) << "2 xor 3 is 1";
    EXPECT_TRUE(decode(three, packed("10000000 10 11 00 10 00"), 2).is_damaged) << "at the root";
    EXPECT_TRUE(decode(three, packed("10000000 10 10 00 01 00"), 2).is_damaged) << "1 xor 2 is 3";
}

}  // namespace
}  // namespace regraft::codec
