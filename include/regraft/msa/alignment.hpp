// Multiple sequence alignments as read from FASTA and PHYLIP files: names and raw characters.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/core/errors.hpp"
#include "regraft/msa/cell_positions.hpp"

namespace regraft::msa {

/// A matrix of printable characters, one row per taxon, as in the file. Names are distinct, not empty, and printable
/// UTF-8.
struct Alignment {
    std::string file;                        // where it came from, for messages; may be empty
    std::vector<std::string> names;          // one per taxon
    std::vector<char> cells;                 // row-major: cells[taxon * num_sites() + site]
    std::vector<CellPositions> positions{};  // one per taxon; none if the alignment was not read from a text

    std::size_t num_taxa() const { return names.size(); }
    std::size_t num_sites() const { return names.empty() ? 0 : cells.size() / names.size(); }
    std::string_view row(std::size_t taxon) const { return {cells.data() + taxon * num_sites(), num_sites()}; }
    char cell(std::size_t taxon, std::size_t site) const { return cells[taxon * num_sites() + site]; }
    /// Where a cell stands in the file; the file as a whole if that is not known.
    TextPosition position(std::size_t taxon, std::size_t site) const;
};

/// Reads a FASTA or PHYLIP file, whichever it is by its first character. Throws InputError with line and column.
///
/// FASTA: a name ends at the first blank. PHYLIP: names end at a blank (relaxed) or after ten characters (strict,
/// may contain blanks), rows follow each other or are interleaved in blocks that do not repeat the names: the reading
/// that agrees with the numbers in the header. Blanks within sequences and blank lines mean nothing, line ends may be
/// CR LF or, throughout, CR. '.' stays '.' (undetermined): it is not expanded to "as in the first row", since RAxML and
/// its kin do not either.
///
/// Whether the characters belong to an alphabet is checked later, by compress_patterns. At least one taxon; there may
/// be no sites, if that is so for all taxa.
Alignment read_alignment(std::filesystem::path const& path);

/// The same for text in memory; `file` is the name to use in messages.
Alignment parse_alignment(std::string_view text, std::string const& file);

/// Throws InputError, with `file` in the message, unless these may be the names of an alignment.
void check_names(std::span<std::string const> names, std::string const& file);

}  // namespace regraft::msa
