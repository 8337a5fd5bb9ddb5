// Multiple sequence alignments as read from files in several formats: names and raw characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/core/errors.hpp"
#include "regraft/msa/alphabet.hpp"
#include "regraft/msa/cell_positions.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// The place of a cell in the text it was read from.
using PlaceOfCell = std::function<TextPosition(std::size_t taxon, std::size_t site)>;

/// A matrix of characters, one row per taxon: printable ones, and those of `sets`. Names are distinct, not empty, and
/// printable UTF-8.
struct Alignment {
    std::string file;                        // file it was read from, for messages; may be empty
    std::vector<std::string> names;          // one per taxon
    std::vector<char> cells;                 // row-major: cells[taxon * num_sites() + site]
    std::vector<CellPositions> positions{};  // one per taxon; none if the alignment was not read from a text
    bool is_verbatim = true;                 // cells are the characters of the text; NEXUS can give characters other
                                             // meanings, and A3M and MAPLE leave cells out
    PlaceOfCell place_of{};                  // instead of positions, if rows come from several files
    SetCharacters sets{};                    // what characters with is_state_set stand for

    /// The number of rows.
    std::size_t num_taxa() const { return names.size(); }
    /// The number of columns.
    std::size_t num_sites() const { return names.empty() ? 0 : cells.size() / names.size(); }
    /// The cells of a taxon. No copy.
    std::string_view row(std::size_t taxon) const { return {cells.data() + taxon * num_sites(), num_sites()}; }
    /// The character of a taxon at a site, both counted from 0.
    char cell(std::size_t taxon, std::size_t site) const { return cells[taxon * num_sites() + site]; }
    /// The position of a cell in the file; the file as a whole if that is not known.
    TextPosition position(std::size_t taxon, std::size_t site) const;
};

/// The formats that are read.
enum class InputFormat : std::uint8_t { fasta, phylip, nexus, stockholm, clustal, maple, vcf };
/// The format of a text, by its first word. None: it is no alignment.
std::optional<InputFormat> find_format(std::string_view text);
/// "FASTA", "Stockholm", ...
std::string_view name(InputFormat format);

/// What the name of a row in FASTA is: the first word behind '>', or the whole line without blanks around it.
enum class FastaNames : std::uint8_t { first_word, whole_line };

/// Reads a file in any of the formats; its first word tells which it is. Throws InputError with line and column.
///
/// FASTA: a name ends at the first blank, unless whole lines are wanted. PHYLIP: names end at a blank (relaxed) or
/// after ten characters (strict, may contain blanks). Rows follow each other or are interleaved in blocks that do not
/// repeat the names. The reading that agrees with the numbers in the header is used. Blanks within sequences and blank
/// lines are ignored; lines end with LF, CR LF or, throughout, CR. '.' stays '.' (undetermined): it is not expanded to
/// "as in the first row", because RAxML and related programs do not expand it either.
///
/// NEXUS (Maddison, Swofford and Maddison 1997): the matrix of the one block DATA or CHARACTERS, sequential or
/// interleaved; other blocks are skipped. Names may be 'quoted'; underscores stay underscores. GAP becomes '-', MISSING
/// becomes '?', MATCHCHAR becomes the character of the first row, and sets of states such as {CT} become the letter for
/// them, if there is one. The SYMBOLS of standard data become the states 0, 1, ... in their order, of which there may
/// be up to 128 different sets. Features that no character can express are refused: TRANSPOSE, TOKENS, ELIMINATE,
/// continuous data.
///
/// Stockholm and Clustal: rows in blocks, each with the same names in the same order. What is between them, marks below
/// the columns and annotations, is skipped. A Stockholm file has one alignment, which ends with '//'.
///
/// A2M is read as FASTA. A3M, which leaves out the '.' of A2M, is, too: if rows have different lengths, the first one
/// has no letter in lower case, and all have as many other cells as the first one, they are filled with '.' so that
/// each letter in lower case has a column.
///
/// MAPLE has the differences of rows to a reference, which is no row (see maple.hpp). Cells have no positions then.
/// Texts of more than 256 MiB of cells, and of 250 for each byte, are refused.
///
/// VCF has a site for each SNP (see vcf.hpp). Cells have no positions then. Records that are no SNPs are refused.
///
/// compress_patterns checks later whether the characters belong to an alphabet. There is at least one taxon; there may
/// be no sites, if that is so for all taxa.
Alignment read_alignment(std::filesystem::path const& path);

/// The same for text in memory; `file` is used in messages.
Alignment parse_alignment(std::string_view text, std::string const& file, FastaNames names = FastaNames::first_word);

/// Throws InputError, with `file` in the message, unless these can be the names of an alignment.
void check_names(std::span<std::string const> names, std::string const& file);

}  // namespace regraft::msa
#pragma GCC visibility pop
