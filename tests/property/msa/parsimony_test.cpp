#include "regraft/msa/parsimony.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "regraft/core/random.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/newick.hpp"

namespace regraft::msa {
namespace {

/// Sankoff's algorithm with unit costs: the least cost of the subtree at h's own side, per state of h's node.
std::vector<std::uint64_t> sankoff(Tree const& tree, HalfEdge h, std::span<StateMask const> sets,
                                   std::uint32_t num_states) {
    constexpr std::uint64_t never = 1'000'000;
    std::vector<std::uint64_t> costs(num_states);
    if (tree.is_tip(h)) {
        for (std::uint32_t s = 0; s < num_states; ++s) costs[s] = (sets[h] >> s & 1) != 0 ? 0 : never;
        return costs;
    }
    for (auto child : {tree.back(tree.next(h)), tree.back(tree.next(tree.next(h)))}) {
        auto const below = sankoff(tree, child, sets, num_states);
        auto const least = *std::ranges::min_element(below);
        for (std::uint32_t s = 0; s < num_states; ++s) costs[s] += std::min(below[s], least + 1);
    }
    return costs;
}

/// The score by definition, site by site.
std::uint64_t expected_score(Tree const& tree, Alignment const& alignment, CharacterTable const& table) {
    std::uint64_t score = 0;
    for (std::size_t site = 0; site < alignment.num_sites(); ++site) {
        std::vector<StateMask> sets(alignment.num_taxa());
        for (std::size_t t = 0; t < sets.size(); ++t) {
            sets[t] = table.states[static_cast<unsigned char>(alignment.cell(t, site))];
        }
        auto const others = sankoff(tree, tree.back(0), sets, table.num_states);
        auto const least = *std::ranges::min_element(others);
        auto cost = std::numeric_limits<std::uint64_t>::max();
        for (std::uint32_t s = 0; s < table.num_states; ++s) {
            if ((sets[0] >> s & 1) != 0) cost = std::min({cost, others[s], least + 1});
        }
        score += cost;
    }
    return score;
}

/// Sites of all sorts: each draws from some of the letters only, mostly from one of them.
Alignment random_alignment(std::uint32_t num_taxa, std::size_t num_sites, std::string_view letters, Random& random) {
    Alignment alignment;
    for (std::uint32_t t = 0; t < num_taxa; ++t) alignment.names.push_back("t" + std::to_string(t));
    alignment.cells.resize(num_taxa * num_sites);
    for (std::size_t site = 0; site < num_sites; ++site) {
        std::vector<char> some(1 + random.below(letters.size()));
        for (auto& letter : some) letter = letters[random.below(letters.size())];
        auto const common = random.below(3);
        for (std::uint32_t t = 0; t < num_taxa; ++t) {
            alignment.cells[t * num_sites + site] =
                random.below(3) < common ? some[0] : some[random.below(some.size())];
        }
    }
    return alignment;
}

constexpr std::string_view dna = "ACGT-";
constexpr std::string_view ambiguous_dna = "AAACCCGGGTTTaURYSWKMBDHVN-?";
constexpr std::string_view amino_acids = "ARNDCQEGHILKMFPSTWYVBZJX-";
constexpr std::string_view binary = "01?";
constexpr std::string_view many = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-";  // more than 32
constexpr std::array alphabets{dna, ambiguous_dna, amino_acids, binary, many};

TEST(ParsimonyProperty, ScoreIsThatOfSankoff) {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(3 + random.below(seed < 100 ? 5 : 30));
        constexpr std::array<std::size_t, 6> sizes{0, 1, 100, 255, 256, 700};
        auto const alignment = random_alignment(n, sizes.at(random.below(6)), alphabets.at(seed % 5), random);
        auto const table = character_table(alignment);
        auto const tree = random_tree(n, seed);
        EXPECT_EQ(parsimony_score(tree, ParsimonySites(alignment, table)), expected_score(tree, alignment, table));
    }
}

TEST(ParsimonyProperty, LengthsAddUpToTheScore) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(3 + random.below(20));
        auto const num_sites = 1 + random.below(400);
        auto const alignment = random_alignment(n, num_sites, alphabets.at(seed % 5), random);
        ParsimonySites const sites(alignment, character_table(alignment));
        auto const before = random_tree(n, seed);
        auto const tree = with_parsimony_lengths(before, sites, num_sites);
        double sum = 0;
        for (auto h : tree.edges()) {
            sum += tree.length(h) * static_cast<double>(num_sites);
            EXPECT_GE(tree.length(h) * static_cast<double>(num_sites), 0.1 - 1e-9);
        }
        auto const score = static_cast<double>(parsimony_score(before, sites));
        EXPECT_GE(sum, score - 1e-6);
        EXPECT_LE(sum, score + 0.1 * before.num_edges() + 1e-6);
        for (HalfEdge h = 0; h < tree.num_half_edges(); ++h) EXPECT_EQ(tree.back(h), before.back(h));
    }
}

TEST(ParsimonyLengths, AreOfTheEdgesThatSeparateStates) {
    // Ten sites divide a, b from c, d; two of a differ from all others.
    Alignment alignment;
    alignment.names = {"a", "b", "c", "d"};
    for (auto const* row : {"AAAAAAAAAAGG", "AAAAAAAAAACC", "CCCCCCCCCCCC", "CCCCCCCCCCCC"})
        alignment.cells.insert(alignment.cells.end(), row, row + 12);
    auto const tree = parse_newick("((a,b),c,d);", "f", alignment.names);
    auto const found = with_parsimony_lengths(tree, ParsimonySites(alignment, character_table(alignment)), 12);
    for (auto h : found.edges()) {
        bool const is_outer = found.is_tip(h) || found.is_tip(found.back(h));
        EXPECT_NEAR(found.length(h) * 12, is_outer ? 0.5 : 10, 1e-12);  // which tip has single states is not known
    }
}

TEST(ParsimonyProperty, PatternsScoreAsTheirAlignment) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(3 + random.below(10));
        auto const is_dna = seed % 2 == 0;
        auto const alignment = random_alignment(n, 400, is_dna ? ambiguous_dna : amino_acids, random);
        auto const table = character_table(alignment);
        if ((table.kind == CharacterKind::dna) != is_dna) continue;
        std::vector<std::uint64_t> sites(alignment.num_sites());
        std::iota(sites.begin(), sites.end(), 0);
        auto const alphabet = is_dna ? Alphabet::dna : Alphabet::amino_acid;
        auto const patterns = compress_patterns(alignment, std::array{PartitionSites{alphabet, sites}});
        auto const tree = random_tree(n, seed);
        EXPECT_EQ(parsimony_score(tree, patterns), expected_score(tree, alignment, table));
        EXPECT_EQ(stepwise_addition(patterns, seed), stepwise_addition(ParsimonySites(alignment, table), seed));
    }
}

/// A multistate alphabet whose states are those of the table, in the same order.
TEST(ParsimonyProperty, MultistatePatternsScoreAsTheirAlignment) {
    constexpr std::string_view states = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(3 + random.below(20));
        auto const num_states = static_cast<std::uint32_t>(2 + random.below(31));
        auto letters = std::string(states.substr(0, num_states)) + "-?";
        auto const alignment = random_alignment(n, 200, letters, random);
        CharacterTable table{.kind = CharacterKind::other, .num_states = num_states};
        auto const alphabet = num_states == 2 ? Alphabet::binary : Alphabet::multistate(num_states);
        for (char c : letters) table.states[static_cast<unsigned char>(c)] = state_mask(alphabet, c);
        auto const half = alignment.num_sites() / 2;
        std::vector<std::uint64_t> sites(alignment.num_sites());
        std::iota(sites.begin(), sites.end(), 0);
        auto const first = sites.begin() + static_cast<std::ptrdiff_t>(half);
        std::array const partitions{PartitionSites{alphabet, {sites.begin(), first}},
                                    PartitionSites{Alphabet::multistate(64), {first, sites.end()}}};
        auto const patterns = compress_patterns(alignment, partitions);
        auto const tree = random_tree(n, seed);
        EXPECT_EQ(parsimony_score(tree, patterns), expected_score(tree, alignment, table));
        EXPECT_EQ(stepwise_addition(patterns, seed), stepwise_addition(ParsimonySites(alignment, table), seed));
    }
}

TEST(ParsimonyProperty, SprNeverMakesATreeLonger) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(3 + random.below(40));
        auto const alignment = random_alignment(n, random.below(300), alphabets.at(seed % 5), random);
        ParsimonySites const sites(alignment, character_table(alignment));
        auto tree = random_tree(n, seed);
        auto score = parsimony_score(tree, sites);
        for (std::uint32_t radius = 0; radius < 5; ++radius) {
            tree = shorten_by_spr(tree, sites, {.radius = radius, .rounds = 2});
            ASSERT_TRUE(tree.is_complete());
            auto const shorter = parsimony_score(tree, sites);
            EXPECT_LE(shorter, score);
            score = shorter;
            for (auto edge : tree.edges()) EXPECT_EQ(tree.length(edge), Tree::default_length);
        }
    }
}

/// The shortest length that one move can give the tree, by trying all.
std::uint64_t least_score_of_neighbours(Tree const& tree, ParsimonySites const& sites) {
    auto least = parsimony_score(tree, sites);
    for (HalfEdge h = tree.num_tips(); h < tree.num_half_edges(); ++h) {
        auto pruned = tree;
        pruned.prune(h);
        auto const subtree = postorder(tree, tree.back(h));
        for (auto edge : pruned.edges()) {
            auto const is_within = [&](HalfEdge e) { return std::ranges::find(subtree, e) != subtree.end(); };
            if (is_within(edge) || is_within(pruned.back(edge))) continue;
            auto other = pruned;
            other.regraft(h, edge);
            least = std::min(least, parsimony_score(other, sites));
        }
    }
    return least;
}

TEST(ParsimonyProperty, SprStopsOnlyWhereNoMoveHelps) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(4 + random.below(8));
        auto const alignment = random_alignment(n, 40, alphabets.at(seed % 5), random);
        ParsimonySites const sites(alignment, character_table(alignment));
        auto const tree = shorten_by_spr(random_tree(n, seed), sites, {.radius = n, .rounds = 1000});
        EXPECT_EQ(least_score_of_neighbours(tree, sites), parsimony_score(tree, sites));
    }
}

TEST(ParsimonyProperty, SprLooksNoFurtherThanItsRadius) {
    // (0,1) 2 3 4 (5,6): three sites hold the row together, one draws 0 to 6, four nodes away.
    Alignment alignment;
    for (std::string_view const row : {"---A", "CCCC", "CCCC", "ACCC", "AACC", "AAAC", "AAAA"}) {
        alignment.names.push_back(std::to_string(alignment.names.size()));
        alignment.cells.insert(alignment.cells.end(), row.begin(), row.end());
    }
    ParsimonySites const sites(alignment, character_table(alignment));
    Tree row(7);
    for (std::uint32_t i = 0; i < 5; ++i) {
        auto const h = row.half_edge(7 + i);
        row.connect(h, i + 1);
        row.connect(h + 1, i == 0 ? 0 : h - 1);
    }
    row.connect(row.half_edge(11) + 2, 6);
    auto const score = [&](std::uint32_t radius) {
        return parsimony_score(shorten_by_spr(row, sites, {.radius = radius, .rounds = 1}), sites);
    };
    for (std::uint32_t radius = 0; radius < 4; ++radius) EXPECT_EQ(score(radius), 5u) << radius;
    EXPECT_EQ(score(4), 4u);
}

TEST(ParsimonyProperty, TreesAreTheSameForAnyNumberOfThreads) {
    // The alignment is large enough for all loops to be parallel.
    Random random(1);
    auto const alignment = random_alignment(110, 6'000, many, random);
    auto const threads = omp_get_max_threads();
    std::vector<Tree> trees;
    for (int n : {1, 2, 4}) {
        omp_set_num_threads(n);
        ParsimonySites const sites(alignment, character_table(alignment));
        trees.push_back(stepwise_addition(sites, 1));
        trees.push_back(shorten_by_spr(trees.back(), sites, {.radius = 3, .rounds = 2}));
    }
    omp_set_num_threads(threads);
    for (std::size_t i = 2; i < trees.size(); ++i) EXPECT_EQ(trees[i], trees[i - 2]);
    EXPECT_NE(trees[0], trees[1]);
}

}  // namespace
}  // namespace regraft::msa
