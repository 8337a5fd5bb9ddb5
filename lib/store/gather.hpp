// What members tell each other before blocks travel: which blocks they have, how long they are, which they want.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::store {

/// Ranges in any order that cover the blocks 0 .. n - 1 once, which is a contract; returns n.
std::uint64_t num_covered(std::span<BlockRange const> ranges);

/// The sizes of all blocks; `blocks` are those of this member's range.
BlockSizes gather_sizes(ft::Communicator& comm, std::span<BlockRange const> ranges, CsrView<std::byte> blocks);

/// Row i: what the i-th member wants. Empty ranges are left out.
Csr<BlockRange> gather_wanted(ft::Communicator& comm, std::span<BlockRange const> wanted);

}  // namespace regraft::store
