#include "regraft/codec/binary_newick.hpp"

#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/msa/newick.hpp"
#include "support/msa/rooted_trees.hpp"

namespace regraft::codec {
namespace {

using Bytes = std::vector<std::byte>;

std::vector<std::uint32_t> first_rows(std::uint32_t n) {
    std::vector<std::uint32_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

Bytes bytes(std::initializer_list<unsigned> values) {
    Bytes out;
    for (auto value : values) out.push_back(static_cast<std::byte>(value));
    return out;
}

std::string error_of(Bytes const& topology, std::vector<std::uint32_t> const& rows) {
    try {
        decode_topology(topology, rows);
    } catch (InputError const& e) {
        return e.what();
    }
    return "no error";
}

std::string const damaged = "the bits of a tree's topology are damaged";

TEST(BinaryNewick, WritesNothingForOneAndTwoTips) {
    for (std::uint32_t n : {1u, 2u}) {
        EXPECT_EQ(encode_topology(trivial_tree(n)), Bytes{});
        EXPECT_EQ(decode_topology({}, first_rows(n)), trivial_tree(n));
    }
    EXPECT_EQ(decode_topology({}, {1, 0}).row_of_tip, (std::vector<std::uint32_t>{1, 0}));
}

TEST(BinaryNewick, WritesPairsOfParenthesesForInnerNodes) {
    std::vector<std::string> const names{"a", "b", "c", "d", "e"};
    auto const encoded = [&](std::string const& text, std::uint32_t n) {
        return encode_topology(hang_up(msa::parse_newick(text, "f", std::span(names).first(n))));
    };
    EXPECT_EQ(encoded("(a,b,c);", 3), bytes({0b01}));
    EXPECT_EQ(encoded("(a,b,(c,d));", 4), bytes({0b0011}));
    // (tip,(tip,tip),(tip,tip)) from the middle
    EXPECT_EQ(encoded("(a,b,(c,(d,e)));", 5), bytes({0b001011}));
}

TEST(BinaryNewick, KeepsTheOrderOfInnerSiblings) {
    auto const small_first = bytes({0b00011011});  // (tip,(tip,tip),(tip,(tip,tip)))
    auto const large_first = bytes({0b00100111});
    auto const tree = decode_topology(small_first, first_rows(6));
    auto const turned = decode_topology(large_first, first_rows(6));
    EXPECT_EQ(tree.parent, (std::vector<std::uint32_t>{0, 0, 0, 2, 2, 0, 5, 5, 7, 7}));
    EXPECT_EQ(turned.parent, (std::vector<std::uint32_t>{0, 0, 0, 2, 2, 4, 4, 0, 7, 7}));
    for (auto const& t : {tree, turned}) EXPECT_EQ(test::mistake_in(t), "");
    EXPECT_EQ(encode_topology(tree), small_first);
    EXPECT_EQ(encode_topology(turned), large_first);
}

TEST(BinaryNewick, TakesTwoBitsPerInnerNode) {
    EXPECT_EQ(topology_bytes(0), 0u);
    EXPECT_EQ(topology_bytes(2), 0u);
    EXPECT_EQ(topology_bytes(3), 1u);
    EXPECT_EQ(topology_bytes(6), 1u);
    EXPECT_EQ(topology_bytes(7), 2u);
    EXPECT_EQ(topology_bytes(1288), 2572u / 8 + 1);
    EXPECT_EQ(topology_bytes(std::uint64_t{1} << 40), std::uint64_t{1} << 38);
}

TEST(BinaryNewick, RejectsBytesTooManyOrTooFew) {
    for (auto const& topology : {Bytes{}, bytes({0b01, 0})}) {
        EXPECT_EQ(error_of(topology, first_rows(3)), "a tree's topology has the wrong size");
    }
    EXPECT_EQ(error_of(bytes({0}), first_rows(2)), "a tree's topology has the wrong size");
    EXPECT_EQ(error_of({}, {}), "a tree has no tips");
}

TEST(BinaryNewick, RejectsBitsThatAreNoTopology) {
    EXPECT_EQ(error_of(bytes({0b0011}), first_rows(4)), "no error");
    EXPECT_EQ(error_of(bytes({0b0101}), first_rows(4)), damaged) << "two roots";
    EXPECT_EQ(error_of(bytes({0b0111}), first_rows(4)), damaged) << "not closed";
    EXPECT_EQ(error_of(bytes({0b1001}), first_rows(4)), damaged) << "closed before it is opened";
    EXPECT_EQ(error_of(bytes({0b0110}), first_rows(4)), damaged) << "closed before it is opened";
    EXPECT_EQ(error_of(bytes({0b10011}), first_rows(4)), damaged) << "an unused bit";
}

TEST(BinaryNewick, RejectsTooManyChildren) {
    EXPECT_EQ(error_of(bytes({0b00101011}), first_rows(6)), "no error") << "three inner children of the root";
    EXPECT_EQ(error_of(bytes({0b10101011, 0}), first_rows(7)), damaged) << "four";
    EXPECT_EQ(error_of(bytes({0b01010111, 0}), first_rows(7)), damaged) << "three of another node";
}

TEST(BinaryNewick, RejectsRowsThatAreNoPermutation) {
    EXPECT_EQ(error_of(bytes({0b01}), {0, 1, 1}), "the rows at a tree's tips are no permutation");
    EXPECT_EQ(error_of(bytes({0b01}), {0, 1, 3}), "the rows at a tree's tips are no permutation");
    EXPECT_EQ(error_of({}, {1}), "the rows at a tree's tips are no permutation");
    EXPECT_EQ(error_of(bytes({0b01}), {2, 0, 1}), "no error");
}

TEST(BinaryNewick, CopesWithAMillionNestedNodes) {
    constexpr std::uint32_t n = 1'000'000;
    Bytes topology(topology_bytes(n));
    for (std::uint32_t i = 0; i < n - 2; ++i) topology[i / 8] |= std::byte{1} << i % 8;
    auto const tree = decode_topology(topology, first_rows(n));
    EXPECT_EQ(tree.num_nodes(), 2 * n - 2);
    EXPECT_EQ(tree.parent.back(), 2 * n - 5);
    EXPECT_EQ(encode_topology(tree), topology);
}

TEST(BinaryNewickDeathTest, WantsTipsBeforeInnerNodes) {
    RootedTree const tree{.parent = {0, 0, 1, 1, 0, 0},
                          .first_tip = {0, 0, 0, 1, 2, 3},
                          .last_tip = {4, 2, 1, 2, 3, 4},
                          .row_of_tip = {0, 1, 2, 3}};
    EXPECT_DEATH(encode_topology(tree), "is_tip");
}

}  // namespace
}  // namespace regraft::codec
