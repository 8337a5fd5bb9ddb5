// Puts alignments side by side: rows of the same name become one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "regraft/msa/alignment.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// A row of one of several alignments.
struct RowOf {
    std::uint32_t alignment = 0;
    std::uint32_t row = 0;
};

/// The taxa of several alignments, in the order in which their names first appear.
class JoinedTaxa {
public:
    /// Adds the names of the next alignment, which are distinct.
    void add(std::span<std::string const> names);
    std::vector<std::string> const& names() const { return names_; }
    /// The rows that a taxon has, in the order of the alignments. Not all need to have one.
    std::span<RowOf const> rows(std::size_t taxon) const { return rows_[taxon]; }

private:
    std::uint32_t num_alignments_ = 0;
    std::vector<std::string> names_;
    std::vector<std::vector<RowOf>> rows_;
    std::unordered_map<std::string, std::size_t> taxon_of_;
};

/// An alignment, and which of its sites are to be taken.
struct Joinable {
    Alignment alignment;
    std::vector<std::uint64_t> sites;
};

/// The alignments side by side: their sites in this order, all taxa, and '-' where an alignment lacks a taxon. `file`
/// is for messages on the whole; those on a cell have its place in its own text. Throws InputError if they have too
/// many different sets of states together (see SetCharacters).
Alignment join(std::vector<Joinable> parts, std::string file);

}  // namespace regraft::msa
#pragma GCC visibility pop
