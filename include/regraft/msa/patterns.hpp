// Site patterns: equal columns of a partition are stored once, with a weight and a map from sites to patterns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/alphabet.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// The properties of a partition that compress_patterns needs.
struct PartitionSites {
    Alphabet alphabet = Alphabet::dna;  // of all its characters
    std::vector<std::uint64_t> sites;   // counted from 0, not empty
};

/// Stands for the pattern of a site that is in no partition.
inline constexpr std::uint64_t no_pattern = ~std::uint64_t{0};

/// Distinct columns, numbered globally. Partition q has the patterns partition_begin[q] .. partition_begin[q + 1], in
/// the order in which its list of sites first shows them.
struct Patterns {
    std::uint32_t num_taxa = 0;                     // length of a column
    std::vector<Alphabet> alphabet;                 // per partition
    std::vector<std::uint64_t> partition_begin{0};  // per partition, and the number of patterns
    std::vector<std::uint32_t> weight;              // per pattern: the number of sites where it occurs, >= 1
    std::vector<char> columns;                      // pattern-major: columns[pattern * num_taxa + taxon], canonical
    std::vector<std::uint64_t> pattern_of_site;     // per site of the alignment; no_pattern if in no partition
    SetCharacters sets;                             // as in the alignment

    /// The number of partitions.
    std::size_t num_partitions() const { return alphabet.size(); }
    /// The number of distinct columns of all partitions.
    std::size_t num_patterns() const { return weight.size(); }
    /// The number of sites of the alignment.
    std::size_t num_sites() const { return pattern_of_site.size(); }
    /// The characters of a pattern, one per taxon. No copy.
    std::span<char const> column(std::size_t pattern) const {
        return std::span(columns).subspan(pattern * num_taxa, num_taxa);
    }
    friend bool operator==(Patterns const&, Patterns const&) = default;
};

/// Finds the patterns of each partition. Expected O(taxa * sites). Throws InputError, with the place, for a character
/// that is not in the partition's alphabet. Precondition: every site is in at most one partition; fewer than 2^32 sites
/// and taxa.
Patterns compress_patterns(Alignment const& alignment, std::span<PartitionSites const> partitions);

/// The number of cells of an alignment that stand for a set of states.
struct StateCount {
    StateMask mask = 0;       // the states that are possible
    std::uint64_t count = 0;  // number of cells with them, times weights
    friend bool operator==(StateCount const&, StateCount const&) = default;
};

/// Counts the cells of a partition by their states, with weights, in the order of increasing masks; undetermined cells
/// are included. Counts of disjoint sets of sites may be added as integers.
std::vector<StateCount> count_states(Patterns const& patterns, std::size_t partition);

/// The frequency that a state gets that never occurs. With 0 a reversible model cannot be decomposed. This value is so
/// small that log-likelihoods of alignments are as with 0, to about 1e-8.
inline constexpr double least_frequency = 1e-12;

/// Base frequencies that sum to 1 (except for least_frequency). An ambiguous cell counts in equal parts for its states,
/// an undetermined one not at all; all frequencies are equal if nothing is determined. Integers are divided once, so
/// neither order nor grouping of the counts matters; masks may repeat. missing_states tells which states got
/// least_frequency. Precondition: ambiguities have at most 20 states.
std::vector<double> empirical_frequencies(std::span<StateCount const> counts, std::uint32_t num_states);

/// The states that occur in no cell except undetermined ones.
StateMask missing_states(std::span<StateCount const> counts, std::uint32_t num_states);

}  // namespace regraft::msa
#pragma GCC visibility pop
