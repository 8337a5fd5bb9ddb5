// Statistics of an alignment for biologists.
#pragma once

#include <cstdint>
#include <string>

#include "regraft/codec/rooted_tree.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/difference_rows.hpp"

namespace regraft::msa_cli {

struct Statistics {
    std::string alphabet;                           // DNA, amino-acid or other
    std::uint64_t patterns = 0;                     // number of different columns, as sets of states
    std::uint64_t constant_sites = 0;               // sites where one state fits all taxa
    std::uint64_t parsimony_informative_sites = 0;  // sites with two states or more, each certain in two taxa or more
    std::uint64_t gaps = 0;                         // cells that are '-'
    std::uint64_t unknown = 0;                      // other cells that may be any state
    std::uint64_t ambiguous = 0;                    // cells that may be some states, but not any
};

/// Computes the statistics. O(taxa * sites) expected time; memory: the different columns.
Statistics statistics(msa::Alignment const& alignment);
/// The same. O(taxa + differences + runs + sites) time, O(sites) memory. Columns are compared by hashes of 64 bits.
Statistics statistics(msa::DifferenceRows const& rows);

/// Counts the cells that are gaps, unknown and ambiguous.
void count_cells(Statistics& result, msa::Histogram const& count, msa::CharacterTable const& table);

/// The least number of state changes on the tree, over all sites (Fitch 1971); gaps and unknown cells may be anything.
/// Precondition: a tip per row. O(taxa * sites) time, O(taxa) memory.
std::uint64_t parsimony_score(msa::Alignment const& alignment, codec::RootedTree const& tree);

}  // namespace regraft::msa_cli
