// The hash of an alignment's content (docs/alignments/file-format.md, Content).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "regraft/core/bytes.hpp"
#include "regraft/core/format_bytes.hpp"

namespace regraft::codec {

/// `hashes` are those of the cells of each block, in a sparse file of each row.
inline std::uint64_t hash_of_content(std::span<std::string const> names, std::uint64_t num_sites,
                                     std::span<std::uint64_t const> hashes) {
    std::string joined;
    for (auto const& name : names) joined.append(name).append(1, '\n');
    FormatWriter numbers;
    numbers.fixed(hash(std::as_bytes(std::span(joined))), 8);
    numbers.fixed(num_sites, 8);
    for (auto const one : hashes) numbers.fixed(one, 8);
    return hash(numbers.bytes());
}

}  // namespace regraft::codec
