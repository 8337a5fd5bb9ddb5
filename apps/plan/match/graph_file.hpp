// Files that say which ranks hold which blocks:
//
//   # a comment
//   4 3        BLOCKS RANKS; then a line per block with its holders
//   0 1
//   1 2
//              an empty line is a block that no rank holds
//   2          # a comment behind a block; a line with nothing but a comment is no block
//
// Empty lines and comments may surround all that. A holder that is repeated in a line counts once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/core/csr.hpp"

namespace regraft::plan {

/// Which ranks hold a block, with ranks renumbered so that a header may name any number of them.
struct HolderGraph {
    /// Row = block; values index `ranks`.
    Csr<std::uint32_t> holders;
    /// The ranks that hold any block, ascending.
    std::vector<std::uint32_t> ranks;
    /// RANKS as the file has it.
    std::uint64_t num_ranks = 0;
};

/// Reads the text of a graph file. O(text) memory whatever the header says; O(text) time unless ranks are sparse, then
/// O(text log text). Throws InputError with name, line and column.
HolderGraph parse_graph(std::string_view text, std::string const& name);

}  // namespace regraft::plan
