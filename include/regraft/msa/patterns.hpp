// Site patterns: equal columns of a partition are stored once, with a weight and the map from sites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/alphabet.hpp"

namespace regraft::msa {

/// What compress_patterns has to know about a partition.
struct PartitionSites {
    Alphabet alphabet = Alphabet::dna;
    std::vector<std::uint64_t> sites;  // counted from 0, not empty
};

/// Distinct columns, numbered globally: partition q has the patterns partition_begin[q] .. partition_begin[q + 1], in
/// the order in which its list of sites first shows them.
struct Patterns {
    std::uint32_t num_taxa = 0;
    std::vector<Alphabet> alphabet;                 // per partition
    std::vector<std::uint64_t> partition_begin{0};  // per partition, and the number of patterns
    std::vector<std::uint32_t> weight;              // per pattern: at how many sites it occurs, >= 1
    std::vector<char> columns;                      // pattern-major: columns[pattern * num_taxa + taxon], canonical
    std::vector<std::uint64_t> pattern_of_site;     // per site of the alignment

    std::size_t num_partitions() const { return alphabet.size(); }
    std::size_t num_patterns() const { return weight.size(); }
    std::size_t num_sites() const { return pattern_of_site.size(); }
    std::span<char const> column(std::size_t pattern) const {
        return std::span(columns).subspan(pattern * num_taxa, num_taxa);
    }
    friend bool operator==(Patterns const&, Patterns const&) = default;
};

/// The patterns of each partition. Expected O(taxa * sites). Throws InputError for a character that is not in the
/// partition's alphabet, with its place. Precondition: every site is in exactly one partition; fewer than 2^32 sites
/// and taxa.
Patterns compress_patterns(Alignment const& alignment, std::span<PartitionSites const> partitions);

/// How many cells of an alignment stand for a set of states.
struct StateCount {
    StateMask mask = 0;
    std::uint64_t count = 0;
    friend bool operator==(StateCount const&, StateCount const&) = default;
};

/// The cells of a partition by their states, with weights, by increasing mask; undetermined ones too. Counts of
/// disjoint sets of sites may be added as integers.
std::vector<StateCount> count_states(Patterns const& patterns, std::size_t partition);

/// What stands for the frequency of a state that never occurs: with 0 a reversible model cannot be decomposed, and this
/// is so little that log-likelihoods of alignments come out as with 0, to about 1e-8.
inline constexpr double least_frequency = 1e-12;

/// Base frequencies, summing to 1 (but for least_frequency): an ambiguous cell counts in equal parts for its states, an
/// undetermined one not at all; all are equal if nothing is determined. Integers divided once, so neither order nor
/// grouping of the counts matters; masks may repeat. missing_states tells which states got least_frequency.
/// Precondition: ambiguities are of at most 20 states.
std::vector<double> empirical_frequencies(std::span<StateCount const> counts, std::uint32_t num_states);

/// The states that occur in no cell but undetermined ones.
StateMask missing_states(std::span<StateCount const> counts, std::uint32_t num_states);

}  // namespace regraft::msa
