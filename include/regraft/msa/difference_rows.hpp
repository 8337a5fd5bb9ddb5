// Nearly equal rows as their differences to a reference: alignments with many more genomes than memory has cells.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/msa/text_layout.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// Largest number of sites of difference rows.
inline constexpr std::uint32_t most_difference_sites = (1U << 28) - 1;

/// Neighbouring cells of a row with the same character, which is none of the four letters.
struct CharacterRun {
    std::uint32_t first = 0;  // the first of the sites
    std::uint32_t size = 0;   // at least 1
    char character = '-';     // of all its cells
    /// One behind its last site.
    std::uint32_t last() const { return first + size; }
    friend bool operator==(CharacterRun const&, CharacterRun const&) = default;
};

/// A site, and one of the four letters, by its number.
class SiteLetter {
public:
    SiteLetter() = default;
    /// Preconditions: site <= most_difference_sites, letter < 4.
    SiteLetter(std::uint32_t site, std::uint32_t letter) : bits_(site << 2 | letter) {}
    /// The site, counted from 0.
    std::uint32_t site() const { return bits_ >> 2; }
    /// The number of the letter: an index of DifferenceRows::letters.
    std::uint32_t letter() const { return bits_ & 3; }
    friend bool operator==(SiteLetter const&, SiteLetter const&) = default;

private:
    std::uint32_t bits_ = 0;
};

/// The rows of an alignment. A cell is the letter of a difference, the character of a run, or else that of the
/// reference.
struct DifferenceRows {
    std::vector<std::string> names;       // one per row
    std::array<char, 4> letters{};        // the letters of bases in alphabetical order, such as ACGT or acgu
    std::vector<std::uint8_t> reference;  // per site a letter, by its number
    Csr<SiteLetter> differences;          // per row, by site; none has the letter of the reference
    Csr<CharacterRun> runs;               // per row, by site; none overlaps or continues another one

    /// The number of rows, without the reference.
    std::size_t num_taxa() const { return names.size(); }
    /// The number of columns.
    std::size_t num_sites() const { return reference.size(); }
    /// The cells of the reference, as text.
    std::string reference_text() const;
    /// Writes the cells of a row. `cells` has the reference before. O(differences of the row, cells of its runs).
    void write_row(std::size_t row, std::span<char> cells) const;
    friend bool operator==(DifferenceRows const&, DifferenceRows const&) = default;
};

/// A text as difference rows. The layout has no skeleton.
struct DifferenceText {
    DifferenceRows rows;  // names and cells
    TextLayout layout;    // line width, line ends and descriptions
};

/// Fills a buffer with the next bytes of a text. Returns how many; 0 at its end.
using TextSource = std::function<std::size_t(std::span<char>)>;
/// Gives a text in memory, in pieces of this size at most. The text outlives the source.
TextSource pieces_of(std::string_view text, std::size_t piece = ~std::size_t{0});

/// Reads a FASTA text in one pass. None if its layout is not regular (see TextLayout), if it is no alignment, or if
/// rows have more than a difference or run per 16 sites: parse_alignment reads all texts, and tells what is wrong. The
/// reference is the most frequent letter among the first 256 rows. Time: O(text). Memory: that of the result, and of
/// the first 256 rows.
std::optional<DifferenceText> read_differences(TextSource const& source);
/// The same with letters and reference of other rows. None also if the rows have another number of sites.
std::optional<DifferenceText> read_differences(TextSource const& source, DifferenceRows const& like);

/// Puts rows behind those of a text, in its layout. Preconditions: the same letters and reference; `more` was FASTA.
void append(DifferenceText& text, DifferenceText const& more);

/// Receives a text in pieces.
using TextSink = std::function<void(std::string_view)>;

/// Writes the text in its layout. Memory: some MiB. Rows are made in parallel. Preconditions: there are
/// rows and sites; the layout has no skeleton.
void write_text(DifferenceRows const& rows, TextLayout const& layout, TextSink const& sink);

/// The number of bytes that write_text writes to FASTA or MAPLE. O(rows), and for MAPLE O(differences + runs).
std::uint64_t text_size(DifferenceRows const& rows, TextLayout const& layout);

}  // namespace regraft::msa
#pragma GCC visibility pop
