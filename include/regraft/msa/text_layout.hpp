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

/// A regular text is described by a few numbers; any other one by everything in it that is not a cell.
struct TextLayout {
    TextFormat format = TextFormat::fasta;
    std::uint64_t line_width = 0;   // cells per line, 0: each row on one line
    bool carriage_returns = false;  // lines end with CR LF
    bool ends_with_newline = true;
    std::vector<std::string>
        descriptions;  // FASTA: per row, what follows the name on its line, blank included; or none
    /// Not empty: the text without its cells, as lengths of runs of cells and the bytes between them (see the .cpp
    /// file); then nothing of the above holds but the format.
    std::vector<std::byte> skeleton;
    friend bool operator==(TextLayout const&, TextLayout const&) = default;
};

/// The layout with which to_text gives `text` again, exactly. Precondition: alignment = parse_alignment(text, ...).
TextLayout layout_of(std::string_view text, Alignment const& alignment);

/// The text of an alignment in a layout. Preconditions: if the layout has descriptions, one per row; if it has a
/// skeleton, the alignment has the shape that the skeleton was made for. Throws InputError if it does not.
std::string to_text(Alignment const& alignment, TextLayout const& layout);

}  // namespace regraft::msa
