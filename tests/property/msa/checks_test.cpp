// The census is compared with one taken cell by cell and pair by pair, and with what is left of a reduced alignment.
#include "regraft/msa/checks.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/msa/patterns.hpp"
#include "support/msa/alignment_texts.hpp"

namespace regraft::msa {
namespace {

struct Instance {
    Alignment alignment;
    std::vector<PartitionSpec> specs;
    std::vector<PartitionToCheck> partitions;
};

/// There are few rows and symbols, so that equal rows and columns are frequent; some rows are copies in other letters.
/// Some alignments are so long that partitions are counted in several blocks.
Instance random_instance(Random& random) {
    Instance instance;
    auto const num_taxa = 1 + random.below(8);
    auto const num_sites = random.below(100) == 0 ? 1000 + random.below(3000) : 1 + random.below(10);
    instance.alignment = test::random_alignment(num_taxa, num_sites, random, random.below(2) == 0 ? "A-N" : "ACaR-?N");
    auto& cells = instance.alignment.cells;
    for (std::size_t taxon = 1; taxon < num_taxa; ++taxon) {
        if (random.below(3) != 0) continue;
        auto const from = random.below(taxon);
        for (std::size_t site = 0; site < num_sites; ++site) {
            auto const c = instance.alignment.cell(from, site);
            cells[taxon * num_sites + site] = c == 'A' ? 'a' : c == '-' ? '?' : c;
        }
    }
    auto const num_partitions = 1 + random.below(std::min<std::uint64_t>(3, num_sites));
    for (std::uint64_t q = 0; q < num_partitions; ++q) {
        std::array const alphabets{Alphabet::dna, Alphabet::amino_acid, Alphabet::multistate(30),
                                   Alphabet::multistate(64)};
        auto const alphabet = alphabets.at(random.below(alphabets.size()));
        instance.specs.push_back({"M", std::to_string(q), {{q, num_sites, num_partitions}}});
        instance.partitions.push_back({std::to_string(q), alphabet, instance.specs.back().sites, 0, false});
    }
    return instance;
}

/// The states of a cell; empty for a cell that says nothing.
std::string naive_cell(Instance const& instance, std::size_t taxon, std::size_t site) {
    auto const q = site % instance.partitions.size();
    auto const letter = canonical(instance.partitions[q].alphabet, instance.alignment.cell(taxon, site));
    return letter == '-' ? "" : std::string(1, letter);
}

std::vector<std::string> naive_row(Instance const& instance, std::size_t taxon) {
    std::vector<std::string> row;
    for (std::size_t site = 0; site < instance.alignment.num_sites(); ++site) {
        row.push_back(naive_cell(instance, taxon, site));
    }
    return row;
}

bool says_nothing(std::vector<std::string> const& cells) {
    return std::ranges::all_of(cells, [](auto const& cell) { return cell.empty(); });
}

std::vector<std::vector<std::uint32_t>> naive_twins(Instance const& instance) {
    std::vector<std::vector<std::uint32_t>> groups;
    std::set<std::vector<std::string>> seen;
    for (std::size_t i = 0; i < instance.alignment.num_taxa(); ++i) {
        auto const row = naive_row(instance, i);
        if (says_nothing(row) || !seen.insert(row).second) continue;
        std::vector<std::uint32_t> group;
        for (std::size_t j = i; j < instance.alignment.num_taxa(); ++j) {
            if (naive_row(instance, j) == row) group.push_back(static_cast<std::uint32_t>(j));
        }
        if (group.size() > 1) groups.push_back(group);
    }
    return groups;
}

std::vector<std::vector<std::uint32_t>> groups_of(Csr<std::uint32_t> const& rows) {
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::size_t i = 0; i < rows.size(); ++i) groups.emplace_back(rows[i].begin(), rows[i].end());
    return groups;
}

std::vector<PartitionSites> sites_to_compress(Instance const& instance) {
    std::vector<PartitionSites> sites;
    for (std::size_t q = 0; q < instance.specs.size(); ++q) {
        sites.push_back({instance.partitions[q].alphabet, sites_of(instance.specs[q])});
    }
    return sites;
}

TEST(CensusProperty, IsAsCountedCellByCell) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const instance = random_instance(random);
        auto const census = take_census(instance.alignment, instance.partitions);
        EXPECT_EQ(groups_of(census.twins), naive_twins(instance));
        auto const patterns = compress_patterns(instance.alignment, sites_to_compress(instance));
        std::vector<std::uint32_t> gap_taxa;
        for (std::uint32_t taxon = 0; taxon < instance.alignment.num_taxa(); ++taxon) {
            if (says_nothing(naive_row(instance, taxon))) gap_taxa.push_back(taxon);
        }
        EXPECT_EQ(census.gap_taxa, gap_taxa);
        std::vector<std::uint64_t> gap_sites;
        for (std::size_t site = 0; site < instance.alignment.num_sites(); ++site) {
            auto const column = patterns.column(patterns.pattern_of_site[site]);
            if (std::ranges::count(column, '-') == static_cast<std::ptrdiff_t>(column.size()))
                gap_sites.push_back(site);
        }
        EXPECT_EQ(census.gap_sites, gap_sites);
        for (std::size_t q = 0; q < instance.partitions.size(); ++q) {
            EXPECT_EQ(census.partitions[q].num_patterns, patterns.partition_begin[q + 1] - patterns.partition_begin[q]);
            std::uint64_t without_data = 0;
            for (std::uint32_t taxon = 0; taxon < instance.alignment.num_taxa(); ++taxon) {
                bool has_data = false;
                for (auto site : sites_of(instance.specs[q])) has_data |= !naive_cell(instance, taxon, site).empty();
                without_data += has_data || std::ranges::count(gap_taxa, taxon) != 0 ? 0U : 1U;
            }
            EXPECT_EQ(census.partitions[q].empty_taxa.count, without_data);
        }
    }
}

/// What weights mean: each column is repeated as often as its weight says.
Instance repeated(Instance const& instance, std::span<std::uint32_t const> weights) {
    Instance result = instance;
    std::vector<std::vector<std::uint64_t>> sites(instance.partitions.size());
    result.alignment.cells.clear();
    for (std::size_t taxon = 0; taxon < instance.alignment.num_taxa(); ++taxon) {
        for (std::size_t site = 0; site < weights.size(); ++site)
            result.alignment.cells.insert(result.alignment.cells.end(), weights[site],
                                          instance.alignment.cell(taxon, site));
    }
    std::uint64_t copy = 0;
    for (std::size_t site = 0; site < weights.size(); ++site) {
        for (std::uint32_t i = 0; i < weights[site]; ++i) sites[site % sites.size()].push_back(copy++);
    }
    for (std::size_t q = 0; q < sites.size(); ++q) result.partitions[q].sites = strides_of(sites[q]);
    return result;
}

TEST(CensusProperty, CountsASiteAsOftenAsItsWeightSays) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto instance = random_instance(random);
        std::vector<std::uint32_t> weights(instance.alignment.num_sites());
        for (auto& weight : weights) weight = static_cast<std::uint32_t>(random.below(4));
        auto const copies = repeated(instance, weights);
        auto const expected = take_census(copies.alignment, copies.partitions);
        for (std::size_t q = 0; q < instance.specs.size(); ++q) {
            auto sites = sites_of(instance.specs[q]);
            std::erase_if(sites, [&](auto site) { return weights[site] == 0; });
            instance.partitions[q].sites = strides_of(sites);
        }
        auto const census = take_census(instance.alignment, instance.partitions, weights);
        EXPECT_EQ(census.num_sites, expected.num_sites);
        EXPECT_EQ(groups_of(census.twins), groups_of(expected.twins));
        EXPECT_EQ(census.gap_taxa, expected.gap_taxa);
        std::uint64_t gap_weight = 0;
        for (auto const site : census.gap_sites) gap_weight += weights[site];
        EXPECT_EQ(gap_weight, expected.gap_sites.size());
        for (std::size_t q = 0; q < instance.specs.size(); ++q) {
            auto const& [patterns, invariant, gaps, first, histogram, empty] = census.partitions[q];
            auto const& other = expected.partitions[q];
            EXPECT_EQ(patterns, other.num_patterns);
            EXPECT_EQ(invariant, other.invariant_sites);
            EXPECT_EQ(gaps, other.gap_sites);
            EXPECT_EQ(first.has_value(), other.first_not_varying.has_value());
            EXPECT_EQ(histogram, other.histogram);
            EXPECT_EQ(empty.first, other.empty_taxa.first);
        }
    }
}

TEST(ReducedProperty, HasNothingLeftToLeaveOutAndKeepsTheColumns) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const instance = random_instance(random);
        auto const census = take_census(instance.alignment, instance.partitions);
        auto const small = reduced(instance.alignment, instance.specs, census);
        if (small.alignment.num_taxa() == 0) continue;
        std::vector<PartitionToCheck> partitions;
        for (auto const& spec : small.partitions) {
            partitions.push_back({spec.name, instance.partitions[std::stoul(spec.name)].alphabet, spec.sites, 0});
        }
        auto const again = take_census(small.alignment, partitions);
        EXPECT_EQ(again.twins.size() + again.gap_taxa.size() + again.gap_sites.size(), 0u);
        for (std::size_t i = 0; i < partitions.size(); ++i) {
            auto const q = std::stoul(partitions[i].name);
            auto const is_here = [&](std::uint64_t site) { return site % instance.partitions.size() == q; };
            auto const gap_patterns = std::ranges::any_of(census.gap_sites, is_here) ? 1U : 0U;
            EXPECT_EQ(again.partitions[i].num_patterns + gap_patterns, census.partitions[q].num_patterns)
                << "columns differ where twins do not";
        }
    }
}

}  // namespace
}  // namespace regraft::msa
