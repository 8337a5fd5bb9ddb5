#include "regraft/msa/patterns.hpp"

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/msa/alignment.hpp"

namespace regraft::msa {
namespace {

Alignment alignment(std::vector<std::string> const& rows) {
    Alignment result{.file = "f", .names = {}, .cells = {}};
    for (auto const& row : rows) {
        result.names.push_back(std::string("t").append(std::to_string(result.names.size())));
        result.cells.insert(result.cells.end(), row.begin(), row.end());
    }
    return result;
}

Patterns compress(std::vector<std::string> const& rows, std::vector<PartitionSites> const& partitions) {
    return compress_patterns(alignment(rows), partitions);
}

PartitionSites dna(std::vector<std::uint64_t> sites) {
    return {Alphabet::dna, std::move(sites)};
}

std::string text(std::span<char const> column) {
    return {column.begin(), column.end()};
}

//   site     0123 45
//   taxon 0  AaCA AU
//   taxon 1  GgNG GR
TEST(Patterns, StoreEqualColumnsOnceInOrderOfFirstOccurrence) {
    auto const patterns = compress({"AaCAAU", "GgNGGR"}, {dna({0, 1, 2, 3}), dna({5, 4})});
    EXPECT_EQ(patterns.partition_begin, (std::vector<std::uint64_t>{0, 2, 4}));
    EXPECT_EQ(patterns.weight, (std::vector<std::uint32_t>{3, 1, 1, 1}));
    EXPECT_EQ(patterns.pattern_of_site, (std::vector<std::uint64_t>{0, 0, 1, 0, 3, 2}));
    EXPECT_EQ(text(patterns.column(0)), "AG");
    EXPECT_EQ(text(patterns.column(1)), "C-");
    EXPECT_EQ(text(patterns.column(2)), "TR");
    EXPECT_EQ(text(patterns.column(3)), "AG");
}

TEST(Patterns, HaveAnAlphabetPerPartition) {
    auto const patterns = compress({"NN"}, {dna({0}), {Alphabet::amino_acid, {1}}});
    EXPECT_EQ(text(patterns.columns), "-N");
    EXPECT_EQ(patterns.alphabet, (std::vector{Alphabet::dna, Alphabet::amino_acid}));
}

TEST(Patterns, HoldAllTypesOfData) {
    auto const patterns =
        compress({"A0zB", "N1Zb", "-n.~"},
                 {dna({0}), {Alphabet::binary, {1}}, {Alphabet::multistate(36), {2}}, {Alphabet::multistate(64), {3}}});
    EXPECT_EQ(std::string(patterns.columns.begin(), patterns.columns.end()), "A--01-ZZ-BB~");
    EXPECT_EQ(count_states(patterns, 1), (std::vector<StateCount>{{1, 1}, {2, 1}, {3, 1}}));
    auto const rare = count_states(patterns, 3);
    EXPECT_EQ(rare, (std::vector<StateCount>{{StateMask{1} << 11, 2}, {StateMask{1} << 63, 1}}));
    EXPECT_EQ(missing_states(rare, 64), ~(StateMask{1} << 11 | StateMask{1} << 63));
    EXPECT_EQ(empirical_frequencies(rare, 64)[63], 1 / 3.0);
    EXPECT_THROW(compress({"2"}, {{Alphabet::binary, {0}}}), InputError);
    EXPECT_THROW(compress({"Z"}, {{Alphabet::multistate(35), {0}}}), InputError);
}

TEST(Patterns, NameTheCellThatIsNotInTheAlphabet) {
    try {
        compress({"ACGT", "ACET"}, {dna({0, 1, 2, 3})});
        FAIL() << "no error";
    } catch (InputError const& e) {
        EXPECT_STREQ(e.what(), "f: taxon 't1', site 3: 'E' is not a DNA symbol; allowed are ACGTURYSWKMBDHVNXO?-.~*!");
    }
}

TEST(Patterns, SayWhereInTheFileTheCellIs) {
    auto const error_of = [](std::string const& text) {
        auto const read = parse_alignment(text, "f");
        std::vector<std::uint64_t> sites(read.num_sites());
        std::iota(sites.begin(), sites.end(), 0);
        try {
            compress_patterns(read, std::vector{dna(sites)});
        } catch (InputError const& e) {
            return std::string(e.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(error_of("2 4\na ACGT\nb AC5T\n"),
              "f:3:5: taxon 'b', site 3: '5' is not a DNA symbol; allowed are ACGTURYSWKMBDHVNXO?-.~*!");
    EXPECT_TRUE(error_of(">a\r\nAC\r\n\r\n\t G E\r\n").starts_with("f:4:5: taxon 'a', site 4: 'E'"));
}

TEST(Patterns, SitesInNoPartitionHaveNone) {
    auto const patterns = compress({"AC5A", "AC6A"}, {dna({3, 1, 0})});
    EXPECT_EQ(patterns.pattern_of_site, (std::vector<std::uint64_t>{0, 1, no_pattern, 0}));
    EXPECT_EQ(patterns.weight, (std::vector<std::uint32_t>{2, 1}));
}

TEST(PatternsDeathTest, EverySiteIsInAtMostOnePartition) {
    EXPECT_DEATH(compress({"ACGT"}, {dna({0, 1, 2, 3}), dna({3})}), "precondition");
    EXPECT_DEATH(compress({"ACGT"}, {dna({0, 1, 2, 3, 4})}), "precondition");
}

TEST(StateCounts, OfGapsAloneLeaveAllFrequenciesEqual) {
    auto const patterns = compress({"-N?", "X-."}, {dna({0, 1, 2})});
    EXPECT_EQ(patterns.num_patterns(), 1u);
    auto const counts = count_states(patterns, 0);
    EXPECT_EQ(counts, (std::vector<StateCount>{{15, 6}}));
    EXPECT_EQ(missing_states(counts, 4), StateMask{15});
    EXPECT_EQ(empirical_frequencies(counts, 4), (std::vector{0.25, 0.25, 0.25, 0.25}));
}

TEST(StateCounts, CountCellsWithWeights) {
    auto const patterns = compress({"AAC-", "AARG"}, {dna({0, 1, 2, 3})});
    EXPECT_EQ(count_states(patterns, 0), (std::vector<StateCount>{{1, 4}, {2, 1}, {4, 1}, {5, 1}, {15, 1}}));
}

TEST(EmpiricalFrequencies, AreRatiosOfCounts) {
    std::vector<StateCount> const counts{{1, 1}, {2, 2}, {4, 3}, {8, 7}, {15, 1000}};
    EXPECT_EQ(empirical_frequencies(counts, 4), (std::vector{1 / 13.0, 2 / 13.0, 3 / 13.0, 7 / 13.0}));
}

TEST(EmpiricalFrequencies, CountAmbiguitiesInEqualParts) {
    std::vector<StateCount> const counts{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {3, 1}, {14, 2}};
    // In sixths: A 6 + 3, C 6 + 3 + 4, G 6 + 4, T 6 + 4.
    EXPECT_EQ(empirical_frequencies(counts, 4), (std::vector{9 / 42.0, 13 / 42.0, 10 / 42.0, 10 / 42.0}));
}

TEST(EmpiricalFrequencies, DoNotDependOnOrderOrGrouping) {
    std::vector<StateCount> const counts{{7, 12345678901}, {1, 17}, {10, 33}, {12, 1}, {8, 999999999}};
    std::vector<StateCount> const other{{8, 999999000}, {12, 1}, {7, 12345678900}, {10, 33}, {1, 17}, {8, 999}, {7, 1}};
    EXPECT_EQ(empirical_frequencies(counts, 4), empirical_frequencies(other, 4));
}

TEST(EmpiricalFrequencies, AreAlmostNothingForStatesThatNeverOccur) {
    std::vector<StateCount> const counts{{1, 3}, {2, 2}, {4, 0}, {15, 9}};
    EXPECT_EQ(missing_states(counts, 4), StateMask{12});
    EXPECT_EQ(empirical_frequencies(counts, 4), (std::vector{3 / 5.0, 2 / 5.0, least_frequency, least_frequency}));
    EXPECT_EQ(empirical_frequencies({}, 4), (std::vector{0.25, 0.25, 0.25, 0.25}));
}

TEST(EmpiricalFrequencies, AreLargeEnoughForAllAmbiguitiesOfAminoAcids) {
    std::vector<StateCount> counts;
    for (std::uint32_t s = 0; s < 20; ++s) counts.push_back({(StateMask{1} << (s + 1)) - 1, std::uint64_t{1} << 50});
    auto const frequencies = empirical_frequencies(counts, 20);
    EXPECT_NEAR(std::accumulate(frequencies.begin(), frequencies.end(), 0.0), 1.0 + least_frequency,
                1e-15);  // V alone never occurs
    EXPECT_GT(frequencies[0], frequencies[1]);
}

}  // namespace
}  // namespace regraft::msa
