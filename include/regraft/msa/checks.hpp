// Checks of an alignment before a tree is sought: what makes that impossible, misleading, or needlessly slow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/alphabet.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/partition.hpp"

namespace regraft::msa {

/// Three taxa have a single topology, and no inner branch.
inline constexpr std::size_t min_taxa = 4;

/// What the checks have to know about a partition.
struct PartitionToCheck {
    std::string name;
    Alphabet alphabet = Alphabet::dna;
    std::vector<std::uint64_t> sites;   // counted from 0
    std::uint64_t free_parameters = 0;  // that are estimated from it alone
    bool only_varying = false;          // there must be no other sites
};

/// How many taxa something holds for, and the first few of them.
struct SomeTaxa {
    std::uint64_t count = 0;
    std::vector<std::uint32_t> first;
};

/// What was counted in a partition.
struct PartitionCensus {
    std::uint64_t num_patterns = 0;
    std::uint64_t invariant_sites = 0;               // some state is possible for all taxa; not those without data
    std::uint64_t gap_sites = 0;                     // without data
    std::optional<std::uint64_t> first_not_varying;  // of these and those
    Histogram histogram{};                           // of its cells
    SomeTaxa empty_taxa;                             // without data here, but elsewhere
};

/// What was counted. A cell has data if its symbol rules out a state of its partition's alphabet.
struct Census {
    std::vector<PartitionCensus> partitions;
    Csr<std::uint32_t> twins;              // groups of taxa that have the same data everywhere, each increasing
    std::vector<std::uint32_t> gap_taxa;   // without data
    std::vector<std::uint64_t> gap_sites;  // without data
};

/// Counts in one pass over the rows, by hashes of columns and rows; equal rows are compared. Symbols that are not in
/// the alphabet count as no data. O(taxa * (sites + partitions)) time, O(taxa + sites + partitions) memory.
/// Precondition: every site is in exactly one partition.
Census take_census(Alignment const& alignment, std::span<PartitionToCheck const> partitions);

enum class Severity : std::uint8_t { error, warning, note };

/// "error", "warning" or "note".
std::string_view name(Severity severity);

struct Finding {
    Severity severity = Severity::note;
    std::string check;   // which check found it: a word that stays the same, for programs
    std::string text;    // for people, in one line
    TextPosition where;  // of an error in a cell
};

/// What to tell of a census, errors first; with an error no tree can be sought. shared_parameters: those that are
/// estimated from all partitions together, such as branch lengths. O(cells) if there is an error, to find its place.
std::vector<Finding> findings(Alignment const& alignment, std::span<PartitionToCheck const> partitions,
                              std::uint64_t shared_parameters, Census const& census);

/// An alignment and its partitions.
struct PartitionedAlignment {
    Alignment alignment;
    std::vector<PartitionSpec> partitions;
};

/// Without sites and taxa that have no data, and with the first of each group of twins only; sites of partitions are
/// renumbered, and partitions without sites left out. Precondition: the census is that of the alignment. O(cells).
PartitionedAlignment reduced(Alignment const& alignment, std::span<PartitionSpec const> partitions,
                             Census const& census);

}  // namespace regraft::msa
