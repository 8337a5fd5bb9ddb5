// The parts of the native coding: logarithms, symbols, sets of items, histories.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codec/entropy/fixed_log.hpp"
#include "codec/entropy/frequency_table.hpp"
#include "codec/entropy/rans.hpp"
#include "codec/entropy/weighted_line.hpp"
#include "codec/native/edge_weights.hpp"
#include "codec/native/history.hpp"
#include "codec/native/native_block.hpp"
#include "codec/native/native_model.hpp"
#include "codec/native/prior.hpp"
#include "codec/native/symbols.hpp"
#include "codec/native/table_coder.hpp"
#include "codec/native/vector_bytes.hpp"
#include "regraft/codec/columns.hpp"
#include "regraft/codec/rooted_tree.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/msa/parsimony.hpp"
#include "support/msa/alignment_instances.hpp"

namespace regraft::codec {
namespace {

RootedTree random_tree(std::uint32_t num_tips, std::uint64_t seed) {
    return num_tips < 3 ? trivial_tree(num_tips) : hang_up(msa::random_tree(num_tips, seed));
}

// ---- Logarithms

TEST(FixedLog, IsCloseToTheLogarithm) {
    Random random(1);
    for (int i = 0; i < 100000; ++i) {
        auto const x = (random.bits() >> random.below(64)) | 1;
        auto const expected = std::log2(static_cast<double>(x));
        EXPECT_NEAR(static_cast<double>(fixed_log2(x)) / (1 << log_bits), expected, 4e-6) << x;
    }
}

TEST(FixedLog, IsExactForPowersOfTwoAndGrows) {
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(fixed_log2(std::uint64_t{1} << i), std::uint64_t{i} << log_bits);
    for (std::uint64_t x = 1; x < 100000; ++x) EXPECT_LT(fixed_log2(x), fixed_log2(x + 1)) << x;
    EXPECT_LT(fixed_log2(~std::uint64_t{0}), std::uint64_t{64} << log_bits);
}

TEST(FixedPower, IsCloseToThePowerAndFalls) {
    auto last = fixed_power(0);
    EXPECT_EQ(last, 1U << power_bits);
    for (std::uint64_t y = 0; y < std::uint64_t{34} << log_bits; y += 99991) {
        auto const expected = std::exp2(-static_cast<double>(y) / (1 << log_bits));
        EXPECT_NEAR(static_cast<double>(fixed_power(y)) / (1U << power_bits), expected, 3e-6 * expected + 2e-9) << y;
        EXPECT_LE(fixed_power(y), last) << y;
        last = fixed_power(y);
    }
}

// ---- Entropy coding

std::vector<Share> random_shares(std::size_t count, Random& random) {
    std::vector<Share> shares;
    for (std::size_t i = 0; i < count; ++i) {
        auto const bits = static_cast<std::uint32_t>(random.below(most_share_bits + 1));
        auto const size = 1 + static_cast<std::uint32_t>(random.below(std::uint64_t{1} << random.below(bits + 1)));
        auto const begin = static_cast<std::uint32_t>(random.below((std::uint64_t{1} << bits) - size + 1));
        shares.push_back({begin, size, bits});
    }
    return shares;
}

TEST(Rans, GivesBackEverySlotInItsShare) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const shares = random_shares(random.below(200), random);
        std::vector<std::byte> bytes;
        append_rans(shares, bytes);
        RansReader reader(bytes);
        for (auto const& share : shares) {
            auto const slot = reader.peek(share.bits);
            ASSERT_GE(slot, share.begin);
            ASSERT_LT(slot - share.begin, share.size);
            reader.take(share);
        }
        EXPECT_NO_THROW(reader.finish());
    }
}

TEST(Rans, TakesHardlyMoreThanTheSharesAreWorth) {
    Random random(7);
    auto const shares = random_shares(20000, random);
    double bits = 0;
    for (auto const& share : shares) bits += share.bits - std::log2(share.size);
    std::vector<std::byte> bytes;
    append_rans(shares, bytes);
    EXPECT_LT(8.0 * static_cast<double>(bytes.size()), 1.0005 * bits + 32);
}

TEST(Rans, NoticesBytesThatAreMissingOrTooMany) {
    Random random(3);
    auto const shares = random_shares(100, random);
    std::vector<std::byte> bytes;
    append_rans(shares, bytes);
    auto const read = [&](std::vector<std::byte> const& from) {
        RansReader reader(from);
        for (auto const& share : shares) reader.take(share);
        reader.finish();
    };
    EXPECT_NO_THROW(read(bytes));
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_THROW(read({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}), InputError) << size;
    bytes.emplace_back();
    EXPECT_THROW(read(bytes), InputError);
}

SymbolCounts random_counts(Random& random) {
    SymbolCounts counts{};
    for (auto& count : counts)
        if (random.below(3) != 0) count = random.bits() >> random.below(64);
    return counts;
}

TEST(FrequencyTable, SharesFillAllSlotsInOrder) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const counts = random_counts(random);
        FrequencyTable const table(counts);
        std::uint32_t end = 0;
        for (std::uint32_t s = 0; s < most_symbols; ++s) {
            auto const share = table.share(s);
            EXPECT_EQ(share.begin, end);
            EXPECT_EQ(share.size > 0, counts[s] > 0);
            if (share.size > 0) {
                EXPECT_EQ(table.find(share.begin), s);
                EXPECT_EQ(table.find(share.begin + share.size - 1), s);
            }
            end += share.size;
        }
        EXPECT_EQ(end, 1U << symbol_bits);
    }
}

TEST(FrequencyTable, IsTheSameFromItsCodes) {
    Random random(3);
    for (int i = 0; i < 1000; ++i) {
        FrequencyTable const table(random_counts(random));
        FrequencyTable const copy(table.codes());
        for (std::uint32_t s = 0; s < most_symbols; ++s) EXPECT_EQ(copy.share(s).size, table.share(s).size);
    }
}

TEST(FrequencyTable, CostsLittleMoreThanTheEntropy) {
    SymbolCounts const counts{1000, 400, 330, 90, 77, 10, 3, 1};
    double entropy = 0;
    auto const sum = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    for (auto const count : counts)
        if (count != 0) entropy -= static_cast<double>(count) * std::log2(static_cast<double>(count) / sum);
    auto const cost = static_cast<double>(FrequencyTable(counts).cost(counts)) / 256;
    EXPECT_GT(cost, entropy);
    EXPECT_LT(cost, 1.01 * entropy);
}

TEST(FrequencyTable, WithoutCountsIsAllOneSymbol) {
    FrequencyTable const table{SymbolCounts{}};
    EXPECT_EQ(table.share(0).size, 1U << symbol_bits);
    EXPECT_EQ(table.find((1U << symbol_bits) - 1), 0U);
}

// ---- Sets of items

std::vector<std::uint64_t> random_weights(std::size_t count, Random& random) {
    std::vector<std::uint64_t> weights(count);
    for (auto& weight : weights) weight = 1 + random.below(std::uint64_t{1} << random.below(12));
    return weights;
}

TEST(WeightedLine, SharesOfAllChoicesFillTheSlots) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const size = static_cast<std::uint32_t>(1 + random.below(200));
        WeightedLine const line(random_weights(size, random));
        for (int trial = 0; trial < 20; ++trial) {
            auto const first = static_cast<std::uint32_t>(random.below(size));
            auto const count = static_cast<std::uint32_t>(1 + random.below(size - first));
            std::uint32_t end = 0;
            for (auto item = first; item <= size - count; ++item) {
                auto const share = line.share(first, count, item);
                EXPECT_EQ(share.begin, end);
                EXPECT_GT(share.size, 0U);
                end += share.size;
            }
            EXPECT_EQ(end, 1U << most_share_bits);
        }
    }
}

std::vector<std::uint32_t> random_set(std::uint32_t size, Random& random) {
    std::vector<std::uint32_t> all(size);
    std::iota(all.begin(), all.end(), 0);
    shuffle(std::span(all), random);
    all.resize(random.below(size + 1));
    std::ranges::sort(all);
    return all;
}

TEST(WeightedLine, SetsOfAnySizeRoundTrip) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const size = static_cast<std::uint32_t>(1 + random.below(seed < 190 ? 300 : 30000));
        WeightedLine const line(random_weights(size, random));
        auto const set = random_set(size, random);
        std::vector<Share> shares;
        std::uint32_t first = 0;
        for (std::uint32_t i = 0; i < set.size(); ++i) {
            shares.push_back(line.share(first, static_cast<std::uint32_t>(set.size()) - i, set[i]));
            first = set[i] + 1;
        }
        std::vector<std::byte> bytes;
        append_rans(shares, bytes);
        RansReader reader(bytes);
        first = 0;
        for (std::uint32_t i = 0; i < set.size(); ++i) {
            ASSERT_EQ(line.take(reader, first, static_cast<std::uint32_t>(set.size()) - i), set[i]) << i;
            first = set[i] + 1;
        }
        EXPECT_NO_THROW(reader.finish());
    }
}

TEST(WeightedLine, ASetOfEqualItemsCostsHardlyMoreThanItsNumberAmongAllSets) {
    constexpr std::uint32_t size = 1000;
    WeightedLine const line(std::vector<std::uint64_t>(size, 1));
    Random random(5);
    for (std::uint32_t const count : {1U, 10U, 100U, 400U}) {
        double bits = 0;
        double best = 0;
        for (std::uint32_t i = 0; i < count; ++i) best += std::log2(static_cast<double>(size - i) / (count - i));
        constexpr int trials = 50;
        for (int trial = 0; trial < trials; ++trial) {
            std::vector<std::uint32_t> all(size);
            std::iota(all.begin(), all.end(), 0);
            shuffle(std::span(all), random);
            std::sort(all.begin(), all.begin() + count);
            std::uint32_t first = 0;
            for (std::uint32_t i = 0; i < count; ++i) {
                bits += most_share_bits - std::log2(line.share(first, count - i, all[i]).size);
                first = all[i] + 1;
            }
        }
        EXPECT_LT(bits / trials, 1.05 * best + 1) << count;
        EXPECT_GT(bits / trials, 0.98 * best) << count;
    }
}

TEST(NumberRanges, CoverAllNumbersWithoutGaps) {
    for (std::uint32_t s = 1; s < most_symbols; ++s)
        EXPECT_EQ(number_ranges[s].least, number_ranges[s - 1].least + (1U << number_ranges[s - 1].raw_bits));
    for (std::uint32_t number = 0; number < (1U << 23); number += 1 + number / 50) {
        auto const symbol = symbol_of(number);
        ASSERT_LT(symbol + 1, most_symbols);
        EXPECT_LE(number_ranges[symbol].raw_bits, most_share_bits);
        EXPECT_GE(number, number_ranges[symbol].least);
        EXPECT_LT(number, number_ranges[symbol + 1].least);
    }
}

// ---- Symbols

TEST(Symbols, PutTogetherWhatTheyTookApart) {
    for (auto const& family : test::alignment_families) {
        SCOPED_TRACE(family.name);
        auto const alignment = family.make({20, 100, 1});
        if (family.name == "random_text") {
            EXPECT_THROW(Symbols{alignment}, InputError);
            continue;
        }
        Symbols const symbols(alignment);
        for (auto const cell : alignment.cells) {
            auto const cell_class = symbols.classes()[symbols.class_of(cell)];
            auto const residue = symbols.residues()[symbols.residue_of(cell)];
            EXPECT_EQ(static_cast<char>((residue & cell_class.keep) | cell_class.over), cell);
        }
    }
}

TEST(Symbols, LowerCaseIsAClassOfItsOwn) {
    msa::Alignment alignment;
    alignment.names = {"a"};
    std::string const row = "ACGTacgtNn--a";
    alignment.cells.assign(row.begin(), row.end());
    Symbols const symbols(alignment);
    EXPECT_EQ(symbols.residues().size(), 4U);
    EXPECT_EQ(symbols.classes().size(), 5U);  // upper, lower, '-', 'N', 'n'
    EXPECT_EQ(symbols.residue_of('a'), symbols.residue_of('A'));
    EXPECT_EQ(symbols.classes()[symbols.class_of('g')], lower_case);
    EXPECT_FALSE(symbols.classes()[symbols.class_of('n')].shows_residue());
}

TEST(Symbols, AreWrittenInFewBytesAndReadAgain) {
    for (auto const& [alignment, most_bytes] :
         {std::pair{test::dna({20, 300, 1}), 3U}, std::pair{test::messy_dna({20, 300, 1}), 16U},
          std::pair{test::amino_acids({20, 300, 1}), 24U}}) {
        Symbols const symbols(alignment);
        RangeEncoder out;
        symbols.write(out);
        auto const bytes = out.finish_briefly();
        EXPECT_LE(bytes.size(), most_bytes);
        RangeDecoder in(bytes, most_zeros_behind_end);
        Symbols const again(in);
        EXPECT_EQ(again.kind(), symbols.kind());
        EXPECT_EQ(again.classes(), symbols.classes());
        EXPECT_EQ(again.residues(), symbols.residues());
    }
}

TEST(Symbols, AreDifferentWhateverIsRead) {
    Random random(1);
    for (int i = 0; i < 2000; ++i) {
        std::vector<std::byte> bytes(4 + random.below(60));
        for (auto& byte : bytes) byte = static_cast<std::byte>(random.bits());
        try {
            RangeDecoder in(bytes);
            Symbols const symbols(in);
            auto residues = symbols.residues();
            auto classes = symbols.classes();
            std::ranges::sort(residues);
            std::ranges::sort(classes);
            EXPECT_EQ(std::ranges::adjacent_find(residues), residues.end());
            EXPECT_EQ(std::ranges::adjacent_find(classes), classes.end());
        } catch (InputError const&) {
            // refused
        }
    }
}

// ---- Histories

/// The least cost over all histories, by going through all states of all nodes. cost(v, above, below),
/// root_cost(state).
template <class RootCost, class Cost>
std::uint64_t least_cost(RootedTree const& tree, std::vector<std::uint8_t> const& tips, std::uint8_t num_states,
                         RootCost root_cost, Cost cost) {
    std::vector<std::uint8_t> state(tree.num_nodes(), 0);
    auto best = std::numeric_limits<std::uint64_t>::max();
    while (true) {
        bool fits = true;
        for (std::uint32_t v = 0; v < tree.num_nodes() && fits; ++v) {
            auto const shown = tree.is_tip(v) ? tips[tree.first_tip[v]] : Reconstruction::no_state;
            fits = shown == Reconstruction::no_state || shown == state[v];
        }
        std::uint64_t sum = root_cost(state[0]);
        for (std::uint32_t v = 1; v < tree.num_nodes() && fits; ++v) sum += cost(v, state[tree.parent[v]], state[v]);
        if (fits) best = std::min(best, sum);
        std::uint32_t v = 0;
        for (; v < tree.num_nodes() && ++state[v] == num_states; ++v) state[v] = 0;
        if (v == tree.num_nodes()) return best;
    }
}

constexpr std::uint64_t not_allowed = 1U << 20;

/// Tells what tips show after all changes of the last site. Checks that `from` is right.
std::vector<std::uint8_t> shown_by(RootedTree const& tree, History const& history) {
    std::vector<std::uint8_t> shown(tree.num_tips(), history.root.back());
    for (auto const& change : history.changes[history.changes.size() - 1]) {
        EXPECT_EQ(shown[tree.first_tip[change.node]], change.from);
        for (auto t = tree.first_tip[change.node]; t < tree.last_tip[change.node]; ++t) shown[t] = change.to;
    }
    return shown;
}

bool occurs(std::vector<std::uint8_t> const& tips, std::uint8_t state) {
    return std::ranges::find(tips, state) != tips.end();
}

TEST(Reconstruction, FindsTheCheapestHistory) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const tree = random_tree(static_cast<std::uint32_t>(1 + random.below(5)), seed);
        ChangeCosts costs{3, {}, {}};
        for (std::uint32_t v = 0; v < tree.num_nodes(); ++v)
            costs.edge.push_back(static_cast<std::uint32_t>(128 + random.below(2000)));
        for (int i = 0; i < 9; ++i)
            costs.state.push_back(i % 4 == 0 ? 0 : static_cast<std::uint32_t>(random.below(1000)));
        std::vector<std::uint8_t> tips;
        for (std::uint32_t t = 0; t < tree.num_tips(); ++t)
            tips.push_back(random.below(6) == 0 ? Reconstruction::no_state
                                                : static_cast<std::uint8_t>(random.below(3)));
        History history;
        Reconstruction(tree).cheapest(tips, costs, 0, history);
        auto const cost = [&](std::uint32_t v, std::uint8_t above, std::uint8_t below) -> std::uint64_t {
            return above == below ? 0 : costs.edge[v] + costs.state[above * 3U + below];
        };
        std::uint64_t sum = 0;
        for (auto const& change : history.changes[0]) sum += cost(change.node, change.from, change.to);
        auto const shown = shown_by(tree, history);
        for (std::uint32_t t = 0; t < tree.num_tips(); ++t) {
            EXPECT_TRUE(tips[t] == Reconstruction::no_state || tips[t] == shown[t]) << t;
        }
        // Only states that tips have are considered: no others for the oracle.
        auto const of_tips = [&](std::uint32_t v, std::uint8_t above, std::uint8_t below) {
            return cost(v, above, below) + (above == below || occurs(tips, below) ? 0 : not_allowed);
        };
        EXPECT_EQ(sum, least_cost(
                           tree, tips, 3, [](auto) { return 0U; }, of_tips));
    }
}

TEST(Reconstruction, FindsTheClassesThatDifferLeastFromTheSiteBefore) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const tree = random_tree(static_cast<std::uint32_t>(1 + random.below(5)), seed);
        ClassCosts costs{
            {}, static_cast<std::uint32_t>(random.below(600)), static_cast<std::uint32_t>(random.below(600))};
        for (std::uint32_t v = 0; v < tree.num_nodes(); ++v)
            costs.add.push_back(static_cast<std::uint32_t>(200 + random.below(1500)));
        ClassesBefore before{0, std::vector<std::uint8_t>(tree.num_nodes(), Reconstruction::no_state)};
        History history;
        Reconstruction reconstruction(tree);
        for (int site = 0; site < 6; ++site) {
            std::vector<std::uint8_t> tips;
            for (std::uint32_t t = 0; t < tree.num_tips(); ++t)
                tips.push_back(static_cast<std::uint8_t>(random.below(3)));
            auto const last = before;
            auto const root_cost = [&](std::uint8_t root) -> std::uint64_t {
                return root == last.root ? 0 : costs.root;
            };
            auto const cost = [&](std::uint32_t v, std::uint8_t above, std::uint8_t below) -> std::uint64_t {
                auto const change = above == below ? Reconstruction::no_state : below;
                if (change == last.change[v]) return 0;
                return (last.change[v] == Reconstruction::no_state ? 0 : costs.drop) +
                       (change == Reconstruction::no_state ? 0 : costs.add[v]);
            };
            reconstruction.steadiest(tips, costs, before, history);
            EXPECT_EQ(shown_by(tree, history), tips);
            auto sum = root_cost(before.root);
            for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
                if (before.change[v] == last.change[v]) continue;
                sum += last.change[v] == Reconstruction::no_state ? 0 : costs.drop;
                sum += before.change[v] == Reconstruction::no_state ? 0 : costs.add[v];
            }
            auto const of_tips = [&](std::uint32_t v, std::uint8_t above, std::uint8_t below) {
                return cost(v, above, below) + (occurs(tips, below) && occurs(tips, above) ? 0 : not_allowed);
            };
            auto const root_of_tips = [&](std::uint8_t root) {
                return root_cost(root) + (occurs(tips, root) ? 0 : not_allowed);
            };
            EXPECT_EQ(sum, least_cost(tree, tips, 3, root_of_tips, of_tips));
        }
    }
}

TEST(Reconstruction, KeepsTheStatesOfTheSiteBeforeWhereItCan) {
    // Two tips that differ: the root may be like either.
    auto const tree = trivial_tree(2);
    Reconstruction reconstruction(tree);
    for (std::uint8_t const before : {std::uint8_t{0}, std::uint8_t{1}}) {
        std::vector<std::uint8_t> keep(tree.num_nodes(), before);
        History history;
        reconstruction.fewest(std::vector<StateMask>{1, 2}, keep, history);
        EXPECT_EQ(history.root[0], before);
        EXPECT_EQ(history.changes[0].size(), 1U);
        EXPECT_EQ(keep, (std::vector<std::uint8_t>{before, 0, 1}));
    }
}

TEST(ClassState, StepsLeadFromAnyClassesToAnyOther) {
    Random random(11);
    constexpr std::uint32_t num_edges = 12;
    ClassState state;
    for (int trial = 0; trial < 300; ++trial) {
        std::vector<Change> next;
        for (auto const edge : random_set(num_edges, random))
            next.push_back({edge + 1, 0, static_cast<std::uint8_t>(random.below(3))});
        auto const root = static_cast<std::uint8_t>(random.below(2));
        state.apply(state.step_to(root, next));
        EXPECT_EQ(state.root, root);
        EXPECT_EQ(state.changes, next);
        EXPECT_TRUE(state.step_to(root, next).same);
    }
}

// ---- Edges and the model

TEST(EdgeWeights, SurviveBeingWritten) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const tree = random_tree(static_cast<std::uint32_t>(1 + random.below(200)), seed);
        std::vector<std::uint64_t> events(tree.num_nodes());
        for (auto& count : events) count = random.below(std::uint64_t{1} << random.below(seed + 1));
        EdgeWeights const weights(tree, events);
        RangeEncoder out;
        auto written = weights;
        written.code(out, tree);
        auto const bytes = out.finish();
        RangeDecoder in(bytes);
        EdgeWeights copy(tree);
        copy.code(in, tree);
        EXPECT_NO_THROW(in.expect_end());
        EXPECT_EQ(copy.weights(), weights.weights());
        for (auto const weight : weights.weights()) EXPECT_GT(weight, 0U);
    }
}

TEST(EdgeWeights, AreInTheOrderOfTheEvents) {
    auto const tree = random_tree(500, 1);
    std::vector<std::uint64_t> events(tree.num_nodes());
    std::iota(events.begin(), events.end(), 0);
    auto const weights = EdgeWeights(tree, events).weights();
    EXPECT_TRUE(std::ranges::is_sorted(weights));
    EXPECT_NEAR(static_cast<double>(weights.back()) / static_cast<double>(weights[99]), 9.98, 3);
}

TEST(EdgeWeights, KeepRatiosOfAnyNumberOfEvents) {
    auto const tree = random_tree(50, 1);
    std::vector<std::uint64_t> events(tree.num_nodes(), 1000);
    events[7] = std::uint64_t{1} << 40;
    events[8] = std::uint64_t{1} << 36;
    auto const weights = EdgeWeights(tree, events).weights();
    EXPECT_NEAR(static_cast<double>(weights[6]) / static_cast<double>(weights[7]), 16, 6);
    EXPECT_GT(weights[7], weights[0]);
    EXPECT_EQ(std::ranges::min(weights), weights[0]);
}

TEST(NativeCodec, NestedChangesOnALadderComeBack) {
    // Taxon i differs from all later ones, so that every edge of the ladder changes, and changes lie within each other.
    constexpr std::uint32_t num_taxa = 300;
    RootedTree ladder;
    for (std::uint32_t tip = 0, parent = 0; tip < num_taxa; ++tip) {
        if (tip == 0 || (tip >= 2 && tip + 1 < num_taxa)) {
            ladder.parent.push_back(parent);
            parent = ladder.num_nodes() - 1;
            ladder.first_tip.push_back(tip);
            ladder.last_tip.push_back(num_taxa);
        }
        ladder.parent.push_back(parent);
        ladder.first_tip.push_back(tip);
        ladder.last_tip.push_back(tip + 1);
        ladder.row_of_tip.push_back(tip);
    }
    msa::Alignment alignment;
    for (std::uint32_t taxon = 0; taxon < num_taxa; ++taxon) {
        alignment.names.push_back("t" + std::to_string(taxon));
        for (auto const letter : {"ACGT"[taxon / 2 % 4], "AC-N"[taxon % 4], "acGT"[taxon / 30 % 4]})
            alignment.cells.push_back(letter);
    }
    auto const encoded = encode_columns(alignment, ladder);
    std::vector<char> cells(alignment.cells.size());
    ColumnDecoder(Kind::native, encoded.model, ladder).decode(encoded.blocks[0], 3, {0, 3}, {cells.data(), 3, 1});
    EXPECT_EQ(cells, alignment.cells);
}

TEST(NativeCodec, RefusesMoreTaxaThanItTakes) {
    auto const encoded = encode_columns(test::dna({3, 10, 1}), random_tree(3, 1));
    RootedTree tree;
    tree.parent.assign(2 * std::size_t{most_native_taxa}, 0);
    tree.first_tip = tree.last_tip = tree.parent;
    tree.row_of_tip.assign(most_native_taxa + 1, 0);
    EXPECT_THROW(ColumnDecoder(Kind::native, encoded.model, tree), InputError);
}

TEST(NativeModel, TruncationsAreRefusedOrDoNoHarm) {
    auto const alignment = test::gappy_dna({30, 300, 1});
    auto const tree = random_tree(30, 1);
    auto const encoded = encode_columns(alignment, tree);
    EXPECT_NO_THROW(ColumnDecoder(Kind::native, encoded.model, tree));
    std::vector<char> cells(alignment.cells.size());
    std::size_t num_refused = 0;
    for (std::size_t size = 0; size < encoded.model.size(); ++size) {
        try {
            ColumnDecoder const decoder(Kind::native, std::span(encoded.model).first(size), tree);
            auto const sites = std::min<std::uint32_t>(encoded.sites_per_block, 300);
            decoder.decode(encoded.blocks[0], sites, {0, sites}, {cells.data(), 300, 1});
        } catch (InputError const&) {
            ++num_refused;
        }
    }
    EXPECT_GT(num_refused, encoded.model.size() * 9 / 10);
}

// ---- Tables and what is expected of them

/// Codes tables and returns what a decoder makes of them.
std::vector<TableCodes> coded_again(TableLayout const& layout, ExpectedTables const& expected,
                                    std::vector<TableCodes> codes, std::size_t& num_bytes) {
    RangeEncoder out;
    TableCoder(out, expected).code(layout, codes);
    auto const bytes = out.finish_briefly();
    num_bytes = bytes.size();
    RangeDecoder in(bytes, most_zeros_behind_end);
    std::vector<TableCodes> again(layout.size);
    TableCoder(in, expected).code(layout, again);
    EXPECT_NO_THROW(in.expect_end());
    return again;
}

TEST(TableCoder, GivesAllTablesAgain) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const alignment = seed % 2 == 0 ? test::messy_dna({20, 100, seed}) : test::amino_acids({20, 100, seed});
        Symbols const symbols(alignment);
        TableLayout const layout(static_cast<std::uint32_t>(symbols.classes().size()),
                                 static_cast<std::uint32_t>(symbols.residues().size()),
                                 {CountContext::last_site, TargetContext::state_and_candidate});
        ExpectedTables const expected(layout, symbols, 37);
        std::vector<SymbolCounts> counts(layout.size);
        std::size_t num_bytes = 0;
        auto const unused = choose_tables(expected, counts, layout.size);
        EXPECT_EQ(coded_again(layout, expected, unused.codes, num_bytes), unused.codes);
        EXPECT_LE(num_bytes, 8U) << "what is expected takes next to nothing";
        for (std::uint32_t t = 0; t < layout.size; ++t)
            for (std::uint32_t s = 0; s < most_symbols; ++s)
                if (unused.codes[t][s] != absent) counts[t][s] = random.bits() >> (24 + random.below(40));
        auto const chosen = choose_tables(expected, counts, layout.size);
        EXPECT_EQ(coded_again(layout, expected, chosen.codes, num_bytes), chosen.codes);
    }
}

TEST(ChosenTables, CostLittleMoreThanTheBestAndLessThanWhatIsExpected) {
    Symbols const symbols(test::dna({20, 100, 1}));
    TableLayout const layout(1, 4, {});
    ExpectedTables const expected(layout, symbols, 37);
    std::vector<SymbolCounts> counts(layout.size);
    counts[TableLayout::root_residue] = {1, 20000, 300, 4000};
    auto const codes = choose_tables(expected, counts, layout.size).codes[TableLayout::root_residue];
    auto const cost = FrequencyTable(codes).cost(counts[TableLayout::root_residue]);
    auto const expected_codes = expected_frequencies(Residues::nucleotides, symbols.residues());
    EXPECT_LT(cost, FrequencyTable(expected_codes).cost(counts[TableLayout::root_residue]) / 2);
    auto const best = FrequencyTable(counts[TableLayout::root_residue]).cost(counts[TableLayout::root_residue]);
    EXPECT_LT(static_cast<double>(cost), 1.02 * static_cast<double>(best));
}

TEST(ExpectedNumbers, GrowWithTheShapeAndEndWithTheLargest) {
    double last_mean = 0;
    for (std::uint32_t shape = 0; shape < ExpectedTables::num_shapes; ++shape) {
        auto const codes = expected_numbers(shape, 1 << 18);
        double mean = 0;
        FrequencyTable const table(codes);
        for (std::uint32_t s = 0; s < most_symbols; ++s) {
            EXPECT_EQ(codes[s] != absent, s <= symbol_of(1 << 18) || s == most_symbols - 1);
            if (codes[s] != absent && s < most_symbols - 1) mean += 1.0 * number_ranges[s].least * table.share(s).size;
        }
        EXPECT_GT(mean, last_mean) << shape;
        last_mean = mean;
    }
}

TEST(Residues, AreRecognisedByTheFrequentOnes) {
    auto const kind = [](std::string_view letters) {
        std::vector<std::uint8_t> const residues(letters.begin(), letters.end());
        return kind_of(residues);
    };
    EXPECT_EQ(kind("ACGT"), Residues::nucleotides);
    EXPECT_EQ(kind("GAUCRY"), Residues::nucleotides);
    EXPECT_EQ(kind("LAGVESIKRDTPNQFYMHCW"), Residues::amino_acids);
    EXPECT_EQ(kind("01"), Residues::others);
    for (auto const residues : {Residues::nucleotides, Residues::amino_acids, Residues::others}) {
        auto order = expected_residues(residues);
        std::ranges::sort(order);
        for (std::size_t c = 0; c < order.size(); ++c) EXPECT_EQ(order[c], c) << "every character once";
    }
}

// ---- Bytes

TEST(Transpose, TurnsMatricesOfAnyShape) {
    Random random(2);
    for (std::size_t const rows : {0, 1, 15, 16, 17, 64, 65, 130}) {
        for (std::size_t const columns : {0, 1, 15, 16, 33, 64, 79, 128}) {
            std::vector<char> in(rows * columns);
            std::vector<char> out(in.size(), 'x');
            for (auto& cell : in) cell = static_cast<char>(random.bits());
            transpose(
                rows, columns, [&](std::size_t r) { return in.data() + r * columns; },
                [&](std::size_t c) { return out.data() + c * rows; });
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t c = 0; c < columns; ++c) ASSERT_EQ(out[c * rows + r], in[r * columns + c]);
        }
    }
}

}  // namespace
}  // namespace regraft::codec
