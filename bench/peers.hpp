// General compressors at the settings that make alignments smallest.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace regraft::bench {

using Bytes = std::vector<std::byte>;

/// Both throw std::runtime_error if the library reports an error.
struct Peer {
    std::string_view name;
    std::string_view label;  // the command that gives about the same bytes
    Bytes (*compress)(std::span<char const> text);
    /// Fills out, which has the size of the text.
    void (*decompress)(std::span<std::byte const> bytes, std::span<char> out);
};

std::span<Peer const> peers();

}  // namespace regraft::bench
