// Multiple sequence alignments as read from FASTA, PHYLIP and NEXUS files: names and raw characters.
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

/// A matrix of printable characters, one row per taxon. Names are distinct, not empty, and printable UTF-8.
struct Alignment {
    std::string file;                        // where it came from, for messages; may be empty
    std::vector<std::string> names;          // one per taxon
    std::vector<char> cells;                 // row-major: cells[taxon * num_sites() + site]
    std::vector<CellPositions> positions{};  // one per taxon; none if the alignment was not read from a text
    bool is_verbatim = true;                 // cells are what stands in the text; NEXUS can say that they mean others

    std::size_t num_taxa() const { return names.size(); }
    std::size_t num_sites() const { return names.empty() ? 0 : cells.size() / names.size(); }
    std::string_view row(std::size_t taxon) const { return {cells.data() + taxon * num_sites(), num_sites()}; }
    char cell(std::size_t taxon, std::size_t site) const { return cells[taxon * num_sites() + site]; }
    /// Where a cell stands in the file; the file as a whole if that is not known.
    TextPosition position(std::size_t taxon, std::size_t site) const;
};

/// Reads a FASTA, PHYLIP or NEXUS file, whichever it is by its first word. Throws InputError with line and column.
///
/// FASTA: a name ends at the first blank. PHYLIP: names end at a blank (relaxed) or after ten characters (strict,
/// may contain blanks), rows follow each other or are interleaved in blocks that do not repeat the names: the reading
/// that agrees with the numbers in the header. Blanks within sequences and blank lines mean nothing, line ends may be
/// CR LF or, throughout, CR. '.' stays '.' (undetermined): it is not expanded to "as in the first row", since RAxML and
/// its kin do not either.
///
/// NEXUS (Maddison, Swofford and Maddison 1997): the matrix of the one block DATA or CHARACTERS, sequential or
/// interleaved; other blocks are skipped. Names may be 'quoted'; underscores stay underscores. GAP becomes '-', MISSING
/// '?', MATCHCHAR what the first row has, and sets of states such as {CT} the letter for them, if there is one. What no
/// character could say is refused: EQUATE, RESPECTCASE, TRANSPOSE, TOKENS, ELIMINATE, continuous data.
///
/// Whether the characters belong to an alphabet is checked later, by compress_patterns. At least one taxon; there may
/// be no sites, if that is so for all taxa.
Alignment read_alignment(std::filesystem::path const& path);

/// The same for text in memory; `file` is the name to use in messages.
Alignment parse_alignment(std::string_view text, std::string const& file);

/// Throws InputError, with `file` in the message, unless these may be the names of an alignment.
void check_names(std::span<std::string const> names, std::string const& file);

}  // namespace regraft::msa
