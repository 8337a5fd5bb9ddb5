// Checks an alignment before a tree search for problems that make it impossible, misleading, or needlessly slow.
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

#pragma GCC visibility push(default)
namespace regraft::msa {

/// Three taxa have only one topology and no inner branch.
inline constexpr std::size_t min_taxa = 4;

/// The properties of a partition that the checks need.
struct PartitionToCheck {
    std::string name;                   // for messages
    Alphabet alphabet = Alphabet::dna;  // of its characters
    std::vector<SiteStride> sites;      // disjoint, in any order; those that are in no partition do not count
    std::uint64_t free_parameters = 0;  // number of parameters that are estimated from this partition alone
    bool only_varying = false;          // the partition must have no sites without variation
};

/// The number of taxa with some property, and the first few of them.
struct SomeTaxa {
    std::uint64_t count = 0;           // how many taxa have the property
    std::vector<std::uint32_t> first;  // as many as a message names
    /// Counts one more.
    void add(std::uint32_t taxon);
};

/// Counts of a partition. Sites count as often as their weights say.
struct PartitionCensus {
    std::uint64_t num_patterns = 0;                  // distinct columns
    std::uint64_t invariant_sites = 0;               // sites where one state is possible for all taxa, except those
                                                     // without data
    std::uint64_t gap_sites = 0;                     // sites without data
    std::optional<std::uint64_t> first_not_varying;  // the first site of the two kinds above
    Histogram histogram{};                           // histogram of the cells
    SomeTaxa empty_taxa;                             // taxa without data in this partition, but with data elsewhere
};

/// Counts of an alignment. A cell has data if its symbol excludes a state of its partition's alphabet.
struct Census {
    std::uint64_t num_sites = 0;              // the sum of their weights
    std::vector<PartitionCensus> partitions;  // in the order of those that are checked
    Csr<std::uint32_t> twins;                 // groups of taxa with the same data everywhere, each increasing
    std::vector<std::uint32_t> gap_taxa;      // taxa without data
    std::vector<std::uint64_t> gap_sites;     // the numbers of sites without data
};

/// Counts by hashes of columns and rows; equal rows are compared. Symbols outside of the alphabet count as no data.
/// O(taxa * (sites + partitions)) time; memory: 24 bytes for a pattern, 8 for a site without data, and a bit for any
/// site and for each taxon in each partition. site_weights: how often each site of the alignment counts; empty: once.
/// Precondition: every site is in at most one partition.
Census take_census(Alignment const& alignment, std::span<PartitionToCheck const> partitions,
                   std::span<std::uint32_t const> site_weights = {});

/// error: no tree can be sought. warning: a search may mislead, or take longer than it needs to. note: worth knowing.
enum class Severity : std::uint8_t { error, warning, note };

/// "error", "warning" or "note".
std::string_view name(Severity severity);

/// Something that one of the checks has found.
struct Finding {
    Severity severity = Severity::note;  // what follows for a search
    std::string check;                   // identifies the check; a constant word, for programs
    std::string text;                    // for people, in one line
    TextPosition where;                  // of the first cell that is meant, if the alignment has cells
};

/// The findings of a census, errors first; with an error no tree can be sought. shared_parameters: number of parameters
/// that are estimated from all partitions together, such as branch lengths. O(cells) if there is an error, to find its
/// place. Precondition: the alignment has its cells, or only its names if all symbols are in the alphabets.
std::vector<Finding> findings(Alignment const& alignment, std::span<PartitionToCheck const> partitions,
                              std::uint64_t shared_parameters, Census const& census);

/// An alignment and its partitions.
struct PartitionedAlignment {
    Alignment alignment;                    // without sites and taxa that say nothing
    std::vector<PartitionSpec> partitions;  // over the new numbers of sites
};

/// The alignment without sites and taxa that have no data, and with only the first of each group of twins. Sites of
/// partitions are renumbered, and partitions without sites are left out. Precondition: the census is that of the
/// alignment. O(cells).
PartitionedAlignment reduced(Alignment const& alignment, std::span<PartitionSpec const> partitions,
                             Census const& census);

}  // namespace regraft::msa
#pragma GCC visibility pop
