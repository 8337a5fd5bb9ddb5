// How an alignment looked in its text: what it takes to write the same bytes again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/msa/alignment.hpp"

namespace regraft::msa {

enum class TextFormat : std::uint8_t { fasta = 0, phylip = 1 };

/// Names are not padded to more.
inline constexpr std::uint64_t max_name_width = 256;

/// A regular text is described by a few numbers; any other one, also NEXUS, by everything in it that is not a cell.
///
/// FASTA: '>', name and description are a line, then come the cells, line_width on each. PHYLIP: the line "TAXA SITES",
/// then per row the name, blanks, and the cells as in FASTA, the first of them on the line of the name. A row without
/// cells has no lines for them, and no blanks behind its name.
struct TextLayout {
    TextFormat format = TextFormat::fasta;
    std::uint64_t line_width = 0;   // cells per line, 0: each row on one line
    std::uint64_t name_width = 0;   // PHYLIP: cells start behind so many bytes, and at least one blank behind the name
    bool carriage_returns = false;  // lines end with CR LF
    bool ends_with_newline = true;
    /// FASTA: per row, what follows the name on its line, blank included; or none.
    std::vector<std::string> descriptions{};
    /// Not empty: the text without its cells, compressed (see the .cpp file); then nothing of the above holds but the
    /// format.
    std::vector<std::byte> skeleton{};
    friend bool operator==(TextLayout const&, TextLayout const&) = default;
};

/// The layout with which to_text gives `text` again, exactly. Precondition: alignment = parse_alignment(text, ...) is
/// verbatim. O(text), but for the sorting of what stands between cells.
TextLayout layout_of(std::string_view text, Alignment const& alignment);

/// The layout of a regular text; of any other only the format, without the skeleton that takes time. Precondition:
/// alignment = parse_alignment(text, ...).
TextLayout layout_without_skeleton(std::string_view text, Alignment const& alignment);

/// The text of an alignment in a layout. Preconditions: if the layout has descriptions, it is FASTA and they are one
/// per row. A skeleton may come from anywhere: throws InputError if it is not one of an alignment of this shape.
/// O(text).
std::string to_text(Alignment const& alignment, TextLayout const& layout);

}  // namespace regraft::msa
