// What members tell each other before blocks travel: which blocks they have, how large these are, and which they want.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/store/options.hpp"
#include "regraft/store/reports.hpp"

namespace regraft::store {

/// The number of blocks that the ranges cover. The ranges, in any order, must cover the blocks 0 .. n - 1 once.
std::uint64_t num_covered(std::span<BlockRange const> ranges);

/// What the members pass when they submit, each at its position.
struct Submitters {
    std::vector<BlockRange> ranges;      // these cover the blocks 0 .. n - 1 once
    std::vector<std::uint32_t> node_of;  // empty if no nodes were given
};

/// identity: of the store (identity.hpp). alike: the digest of the arguments that must be the same on all members. That
/// they are, and that the ranges cover the blocks, are contracts.
Submitters gather_submitters(ft::Communicator& comm, BlockRange mine, std::uint64_t identity, std::uint64_t alike,
                             std::optional<std::uint32_t> node = {});

/// Blocks that this PE submits, and how all members learn the sizes of all blocks.
struct OwnSubmission {
    BlockRange mine;
    std::span<std::byte const> bytes;
    std::uint64_t block_bytes;  // or various_bytes (digest.hpp)
    std::function<BlockSizes(std::span<BlockRange const> ranges)> sizes_of;
};
/// Blocks of one size.
OwnSubmission blocks_of(BlockRange mine, std::span<std::byte const> bytes, std::uint64_t block_bytes);
/// Blocks of different sizes.
OwnSubmission blocks_of(ft::Communicator& comm, BlockRange mine, CsrView<std::byte> blocks);

/// Checks what all members know of a submit; bytes are those of this PE.
void expect_whole(ft::Communicator const& comm, Submissions const& all, std::span<std::byte const> bytes);

/// Combines the reports of what each member sends, receives and misses into one that is the same on all. Collective,
/// not uniform.
void share_report(ft::Communicator& comm, LoadReport& report);

/// Row i: the blocks that PeId i wants. Rows of the dead are empty, and empty ranges are left out. identity: of the
/// store (identity.hpp); alike: as above.
Csr<BlockRange> gather_wanted(ft::Communicator& comm, std::span<BlockRange const> wanted, std::uint64_t identity,
                              std::uint64_t alike);

/// The rows of the members, from rows by PeId.
Csr<BlockRange> rows_of_members(ft::Communicator const& comm, CsrView<BlockRange> rows);

}  // namespace regraft::store
