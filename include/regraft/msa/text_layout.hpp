// The layout of an alignment in its text: the information that is needed to write the same bytes again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/msa/alignment.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// The formats whose regular texts need no skeleton. The values are those of the file format.
enum class TextFormat : std::uint8_t { fasta = 0, phylip = 1, maple = 2 };

/// Names are padded to at most this width.
inline constexpr std::uint64_t max_name_width = 256;

/// A regular text is described by a few numbers. Any other text, also NEXUS, is described by everything in it that is
/// not a cell.
///
/// FASTA: '>', name and description form a line; then come the cells, line_width on each line. PHYLIP: the line "TAXA
/// SITES"; then per row the name, blanks, and the cells as in FASTA, the first of them on the line of the name. A row
/// without cells has no lines for them, and no blanks behind its name. MAPLE: see maple.hpp; the reference has
/// line_width cells on each line, and its name is the only description.
struct TextLayout {
    TextFormat format = TextFormat::fasta;  // how names and cells lie in a regular text
    std::uint64_t line_width = 0;           // cells per line, 0: each row on one line
    std::uint64_t name_width = 0;   // PHYLIP: cells start after this many bytes, and at least one blank after the name
    bool carriage_returns = false;  // lines end with CR LF
    bool ends_with_newline = true;  // behind the last line
    /// FASTA: the rest of each row's name line, blank included; empty: no row has any. MAPLE: the rest of the first
    /// line behind '>'.
    std::vector<std::string> descriptions{};
    /// The text without its cells, compressed (see the .cpp file), unless empty. If there is a skeleton, all other
    /// fields except the format are unused.
    std::vector<std::byte> skeleton{};
    friend bool operator==(TextLayout const&, TextLayout const&) = default;
};

/// The layout with which to_text gives `text` again, exactly. Precondition: alignment = parse_alignment(text, ...) is
/// verbatim. O(text), except for sorting what is between cells.
TextLayout layout_of(std::string_view text, Alignment const& alignment);

/// The layout of a regular text; for any other text only the format, without the skeleton, which takes time.
/// Precondition: alignment = parse_alignment(text, ...).
TextLayout layout_without_skeleton(std::string_view text, Alignment const& alignment);

/// The text of an alignment in a layout. Preconditions: if the layout has descriptions, it is FASTA and they are one
/// per row; it is not MAPLE (see maple.hpp). A skeleton may come from an untrusted source: throws InputError if it does
/// not fit an alignment of this shape. O(text).
std::string to_text(Alignment const& alignment, TextLayout const& layout);

}  // namespace regraft::msa
#pragma GCC visibility pop
