// Lines of a few forms with numbers in them, such as names of sequences: the form of each line, and its numbers, which
// are near those of the line before or spread evenly (docs/alignments/file-format.md, lines).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace regraft::codec {

/// What a line looks like: with 0 for each digit.
struct NumberedLines {
    std::vector<std::string> forms;  // each once, in the order in which they come first
    std::vector<std::byte> coded;    // for each line its form and its numbers
};

/// None if there are too many forms or numbers. O(lines).
std::optional<NumberedLines> encode_numbered(std::span<std::string const> lines);

/// Throws InputError if the coded bytes are damaged, or if the lines would have more than max_size bytes with the LF
/// behind each.
std::vector<std::string> decode_numbered(NumberedLines const& lines, std::uint64_t num_lines, std::uint64_t max_size);

}  // namespace regraft::codec
