#include "regraft/msa/checks.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "regraft/core/random.hpp"
#include "regraft/msa/patterns.hpp"

namespace regraft::msa {
namespace {

using Taxa = std::vector<std::uint32_t>;
using Sites = std::vector<std::uint64_t>;

Alignment alignment(std::vector<std::string> const& rows) {
    Alignment result{.file = "f", .names = {}, .cells = {}};
    for (auto const& row : rows) {
        result.names.push_back(std::string("t").append(std::to_string(result.names.size())));
        result.cells.insert(result.cells.end(), row.begin(), row.end());
    }
    return result;
}

PartitionToCheck partition(std::string name, Alphabet alphabet, std::uint64_t first, std::uint64_t last,
                           std::uint64_t free_parameters = 0) {
    return {std::move(name), alphabet, {{first, last}}, free_parameters, false};
}

std::vector<PartitionToCheck> whole(Alignment const& alignment, Alphabet alphabet = Alphabet::dna) {
    return {partition("all", alphabet, 0, alignment.num_sites())};
}

/// Lines "severity check: text", without the notes about invariant sites.
std::vector<std::string> told(Alignment const& alignment, std::vector<PartitionToCheck> const& partitions,
                              std::uint64_t shared_parameters = 0) {
    std::vector<std::string> lines;
    for (auto const& finding : findings(alignment, partitions, shared_parameters, take_census(alignment, partitions))) {
        if (finding.severity == Severity::note) continue;
        lines.push_back(std::string(name(finding.severity)).append(" ").append(finding.check + ": " + finding.text));
    }
    return lines;
}

std::vector<std::string> told(std::vector<std::string> const& rows, Alphabet alphabet = Alphabet::dna) {
    auto const read = alignment(rows);
    return told(read, whole(read, alphabet));
}

using Lines = std::vector<std::string>;

//   site  012345    Sites 0 and 4 are one pattern, 1 is all gaps, 2 and 5 do not vary: R may be A, and gaps anything.
//   t0    A-ACAG    t3 is the same as t0 in lower case, t2 has no data.
//   t1    C?RGCG
//   t2    -N.~*!
//   t3    a-acag
TEST(Census, CountsWhatIsThere) {
    auto const read = alignment({"A-ACAG", "C?RGCG", "-N.~*!", "a-acag"});
    auto const census = take_census(read, whole(read));
    EXPECT_EQ(census.partitions[0].num_patterns, 5u);
    EXPECT_EQ(census.partitions[0].invariant_sites, 2u);
    EXPECT_EQ(census.partitions[0].histogram['A'], 3u);
    ASSERT_EQ(census.twins.size(), 1u);
    EXPECT_EQ(Taxa(census.twins[0].begin(), census.twins[0].end()), (Taxa{0, 3}));
    EXPECT_EQ(census.gap_taxa, Taxa{2});
    EXPECT_EQ(census.gap_sites, Sites{1});
}

TEST(Census, LooksAtEachPartitionInItsAlphabet) {
    auto const read = alignment({"ANN", "ANN", "AN-", "--N"});  // N is a gap in DNA and asparagine otherwise
    std::vector const partitions{partition("d", Alphabet::dna, 0, 2), partition("a", Alphabet::amino_acid, 2, 3)};
    auto const census = take_census(read, partitions);
    EXPECT_EQ(census.gap_sites, Sites{1});
    EXPECT_EQ(census.partitions[0].invariant_sites, 1u);
    EXPECT_EQ(census.partitions[1].invariant_sites, 1u);
    EXPECT_EQ(census.partitions[0].empty_taxa.first, Taxa{3});
    EXPECT_EQ(census.partitions[1].empty_taxa.first, Taxa{2});
    EXPECT_EQ(census.twins.size(), 1u);
}

TEST(Findings, AreNoneForAGoodAlignment) {
    EXPECT_EQ(told({"ACGTA", "CCGTT", "CAGTC", "CAGAA"}), Lines{});
}

TEST(Findings, SayThatThereIsTooLittle) {
    EXPECT_EQ(told({"ACG", "CAG", "AAC"}), Lines{"error few-taxa: 3 taxa, expected at least 4 for a tree search"});
    EXPECT_EQ(told(alignment({"", "", "", ""}), {}), Lines{"error few-sites: no sites, expected at least 1"});
    EXPECT_EQ(told({"-N-~*", "?????", "-----", ".....", "XO-!n"}),
              Lines{"error gap-taxa: there are only gaps and unknown characters, no data"});
    EXPECT_EQ(told({"AC", "AG", "CC", "CG", "GC"}),
              Lines{"warning few-sites: 2 sites for 5 taxa, too few for a reliable tree"});
}

TEST(Findings, NameTheFirstCellThatDoesNotFit) {
    auto const read = parse_alignment("4 6\na ACGTAC\nb AC5TEA\nc ACEAEA\nd ACGTCC\n", "f");
    auto const partitions = whole(read);
    auto const found = findings(read, partitions, 0, take_census(read, partitions));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(
        found[0].text,
        "partition 'all', taxon 'b', site 3: not a DNA symbol; these are not: 'E' (3 cells), '5' (1 cell); allowed "
        "are ACGTURYSWKMBDHVNXO?-.~*!");
    EXPECT_EQ(found[0].where.line, 3u);
    EXPECT_EQ(found[0].where.column, 5u);
}

TEST(Findings, RefuseSitesThatDoNotVaryWhereTheyWereLeftOut) {
    // Ambiguous cells may be the same; nothing may vary that has no data.
    auto const read = parse_alignment("4 6\na ACGT-A\nb CCTT?A\nc ACRT-G\nd AMGTNG\n", "f");
    std::vector partitions{partition("a", Alphabet::dna, 0, 1), partition("b", Alphabet::dna, 1, 5),
                           partition("c", Alphabet::dna, 5, 6)};
    for (auto& partition : partitions) partition.only_varying = true;
    auto const found = findings(read, partitions, 0, take_census(read, partitions));
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].severity, Severity::error);
    EXPECT_EQ(found[0].check, "ascertainment");
    EXPECT_NE(found[0].text.find(": partition 'b' has 3 sites, the first is site 2; remove"), std::string::npos);
    EXPECT_EQ(found[0].where.line, 2u);
    EXPECT_EQ(found[0].where.column, 4u);
    partitions[1].only_varying = false;
    for (auto const& line : told(read, partitions)) EXPECT_EQ(line.find("error"), std::string::npos) << line;
}

TEST(Findings, NoticeTheOtherAlphabet) {
    auto const dna = told({"ACGTACG", "CCGTTCG", "CAGTCCA", "CAGAACT"}, Alphabet::amino_acid);
    EXPECT_EQ(dna, Lines{"warning alphabet: looks like DNA, but the model is for amino acids: partition 'all'"});
    EXPECT_EQ(told({"AGAGA", "GAGAA", "AAGAG", "GGGAA"}, Alphabet::amino_acid), Lines{}) << "alanine and glycine";
    EXPECT_EQ(told({"HKMRSVW", "SSKRHHV", "VVWKMYD", "DDSSKAC"}),
              Lines{"warning alphabet: looks like amino acids, but the model is for DNA: partition 'all'"});
    auto const protein = told({"LEF", "LIP", "QEP", "EEF"});
    ASSERT_EQ(protein.size(), 1u);
    EXPECT_TRUE(protein[0].ends_with("it looks like amino acids, which need another model, such as LG+G4m"));
}

TEST(Findings, ListTwinsByGroups) {
    EXPECT_EQ(
        told({"ACGTA", "CCGTT", "acgua", "CAGTC", "CCGTT", "ACGTA", "GCGTA"}),
        Lines({"warning twins: 3 sequences are the same as others; where they join is arbitrary, and their branches "
               "have no length: 't0' = 't2' = 't5'; 't1' = 't4'",
               "warning few-sites: 5 sites for 7 taxa, too few for a reliable tree"}));
}

TEST(Findings, ListTenNamesAtMost) {
    std::vector<std::string> rows(15, "ACGTACGTACGTACGT");
    for (std::size_t i = 0; i < 3; ++i) rows[i][i] = 'T';
    auto const lines = told(rows);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_TRUE(
        lines[0].ends_with(": 't3' = 't4' = 't5' = 't6' = 't7' = 't8' = 't9' = 't10' = 't11' = 't12' ... and 2 more"));
}

TEST(Findings, WarnOfTooFewDifferentSequences) {
    EXPECT_EQ(told({"ACGTA", "ACGTA", "CCGTT", "CAGTC"})[1],
              "warning few-taxa: only 3 different sequences, which have a single topology");
}

TEST(Findings, ListGaps) {
    EXPECT_EQ(told({"A--CA-", "C--AA-", "------", "C--CT-", "G--CT-"}),
              Lines({"warning gap-taxa: 1 taxon without data, only gaps, which may stand anywhere in the tree: 't2'",
                     "warning gap-sites: 3 sites without data, only gaps, which only cost time: 2-3, 6"}));
}

TEST(Findings, ListPartitionsWithoutDataForATaxon) {
    auto const read = alignment({"ACGTA", "CC---", "CAGTC", "CAG--", "-----", "--GAC"});
    auto const lines = told(read, {partition("a", Alphabet::dna, 0, 2), partition("b", Alphabet::dna, 2, 3),
                                   partition("c", Alphabet::dna, 3, 5)});
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(
        lines[1],
        "warning empty-partitions: 3 partitions without data for some taxa: 'a' for 1 taxon ('t5'); 'b' for 1 taxon "
        "('t1'); 'c' for 2 taxa ('t1', 't3')");
}

TEST(Findings, CompareColumnsToParameters) {
    auto const read = alignment({"ACGTA", "CCGTT", "CAGTC", "CAGAA"});
    std::vector const partitions{partition("a", Alphabet::dna, 0, 2, 2), partition("b", Alphabet::dna, 2, 5, 4)};
    EXPECT_EQ(told(read, partitions, 5),
              Lines({"warning few-patterns: 5 site patterns for 11 free parameters (branch lengths and models), which "
                     "are estimated poorly",
                     "warning few-patterns: too few site patterns for the model's free parameters, a simpler model or "
                     "a larger partition would help: 'b' (3 for 4)"}));
    EXPECT_EQ(told(read, whole(read), 5), Lines{});
}

TEST(Findings, CountSitesThatDoNotVary) {
    auto const read = alignment({"ACGTA", "CCGTT", "CAGTC", "CAGAA"});
    auto const found = findings(read, whole(read), 0, take_census(read, whole(read)));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].text, "1 of 5 sites do not vary");
    EXPECT_EQ(told({"ACGTAA", "ACGTRA", "ACGTA-", "ACGT--"}).back(),
              "warning invariant-sites: no site varies, so all trees are equally good");
}

TEST(Findings, TellWhereBasesAreThatMeanSomethingElseElsewhere) {
    auto const read = parse_alignment("4 6\nt0 ACGTAC\nt1 ACG.AC\nt2 C.G*AT\nt3 CAGT!T\n", "f");
    auto const partitions = whole(read);
    auto const found = findings(read, partitions, 0, take_census(read, partitions));
    auto const odd = std::ranges::find(found, "odd-gaps", &Finding::check);
    ASSERT_NE(odd, found.end());
    EXPECT_EQ(odd->severity, Severity::warning);
    EXPECT_EQ(odd->where.line, 3U);
    EXPECT_EQ(odd->where.column, 7U);
    EXPECT_TRUE(odd->text.ends_with("partition 'all' has '.' (2 cells), '!' (1 cell), '*' (1 cell)")) << odd->text;
    auto const is_told = [](std::vector<std::string> const& rows, Alphabet alphabet) {
        return std::ranges::any_of(told(rows, alphabet),
                                   [](auto const& line) { return line.starts_with("warning odd"); });
    };
    EXPECT_FALSE(is_told({"ACGTA-", "ACGTAN", "ACG?AX", "CCGTA~"}, Alphabet::dna));
    EXPECT_FALSE(is_told({"MKV*", "MKVL", "MRV.", "MRVL"}, Alphabet::amino_acid)) << "a stop codon";
}

TEST(Findings, NeedOnlyNamesIfAllSymbolsFit) {
    auto const read = alignment({"ACGTA-..", "ACGTAC-A", "ac!taCGT", "--------", "ACGTA-.."});
    auto const partitions = whole(read);
    auto const census = take_census(read, partitions);
    Alignment const names{.file = "f", .names = read.names, .cells = {}};
    auto const with = findings(read, partitions, 7, census);
    auto const without = findings(names, partitions, 7, census);
    ASSERT_EQ(with.size(), without.size());
    for (std::size_t i = 0; i < with.size(); ++i) EXPECT_EQ(with[i].text, without[i].text);
}

TEST(Findings, AreLimitedIfNoPartitionFits) {
    auto const read = alignment({"EEEEEEEEEEEE", "EEEEEEEEEEEE", "EEEEEEEEEEEE", "EEEEEEEEEEEE"});
    std::vector<PartitionToCheck> partitions;
    for (std::uint64_t q = 0; q < 12; ++q) partitions.push_back(partition(std::to_string(q), Alphabet::dna, q, q + 1));
    auto const lines = told(read, partitions);
    ASSERT_EQ(lines.size(), 11u);
    EXPECT_EQ(lines.back(), "error symbols: ... and 2 partitions more with symbols that do not fit");
}

//   site  0123456789   Partition a: 1-9\2 = 0 2 4 6 8, of which 2 is all gaps; b: 1 3 5 7; c: 9, all gaps.
TEST(Reduced, LeavesOutTwinsAndGapsAndRenumbers) {
    auto read = alignment({"AC-TACGTA-", "CC-TTCGTA-", "ac-tacgta-", "----------", "CA-TACGTC-"});
    std::vector<PartitionSpec> const specs{
        {"GTR", "a", {{0, 9, 2}}}, {"HKY", "b", {{1, 9, 2}}}, {"JC", "c", {{9, 10, 1}}}};
    std::vector<PartitionToCheck> partitions;
    for (auto const& spec : specs) partitions.push_back({spec.name, Alphabet::dna, spec.sites, 0, false});
    auto const [small, small_specs] = reduced(read, specs, take_census(read, partitions));
    EXPECT_EQ(small.names, (Lines{"t0", "t1", "t4"}));
    EXPECT_EQ(small.row(0), "ACTACGTA");
    EXPECT_EQ(small.row(2), "CATACGTC");
    EXPECT_EQ(to_text(small_specs), "GTR, a = 1, 4-8\\2\nHKY, b = 2-3, 5, 7\n");
}

/// The most memory that this process has had so far, in bytes.
std::uint64_t peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

TEST(Census, TakesNoMemoryForSitesThatRepeatPatterns) {
    constexpr std::uint64_t num_sites = 8'000'000;
    Alignment alignment{.file = "", .names = {"a"}, .cells = std::vector<char>(num_sites)};
    for (std::uint64_t site = 0; site < num_sites; ++site) alignment.cells[site] = "ACGT"[site / 3 % 4];
    std::array const partitions{PartitionToCheck{.name = "all", .sites = {{0, num_sites, 1}}}};
    auto const before = peak_memory();
    EXPECT_EQ(take_census(alignment, partitions).partitions[0].num_patterns, 4u);
    EXPECT_LT(peak_memory() - before, 3 * num_sites);
}

TEST(Census, CountsAsManyPatternsAsThereAre) {
    constexpr std::uint64_t num_sites = 300'000;
    for (std::size_t const num_taxa : {5, 8, 12}) {  // 4^5, most of 4^8, and nearly as many patterns as sites
        SCOPED_TRACE(num_taxa);
        Random random(num_taxa);
        Alignment alignment{.file = "", .names = {}, .cells = std::vector<char>(num_taxa * num_sites)};
        for (std::size_t taxon = 0; taxon < num_taxa; ++taxon) alignment.names.push_back(std::to_string(taxon));
        for (auto& cell : alignment.cells) cell = "ACGT"[random.below(4)];
        auto const sites = whole_alignment("", num_sites);
        std::array const partitions{PartitionToCheck{.name = "all", .sites = sites.sites}};
        std::array const to_compress{PartitionSites{Alphabet::dna, sites_of(sites)}};
        EXPECT_EQ(take_census(alignment, partitions).partitions[0].num_patterns,
                  compress_patterns(alignment, to_compress).num_patterns());
    }
}

}  // namespace
}  // namespace regraft::msa
