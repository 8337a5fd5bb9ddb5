// What members tell each other before blocks travel: which blocks they have, how long they are, which they want.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/store/reports.hpp"

namespace regraft::store {

/// Ranges in any order that cover the blocks 0 .. n - 1 once, which is a contract; returns n.
std::uint64_t num_covered(std::span<BlockRange const> ranges);

/// What the members say of themselves when they submit, each at its position.
struct Submitters {
    std::vector<BlockRange> ranges;      // cover the blocks 0 .. n - 1 once
    std::vector<std::uint32_t> node_of;  // empty if they do not say
};

/// alike: the digest of what all must give alike; that they do, and that the ranges cover the blocks, are contracts.
Submitters gather_submitters(ft::Communicator& comm, BlockRange mine, std::uint64_t alike,
                             std::optional<std::uint32_t> node = {});

/// The sizes of all blocks; `blocks` are those of this member's range.
BlockSizes gather_sizes(ft::Communicator& comm, std::span<BlockRange const> ranges, CsrView<std::byte> blocks);

/// Makes of reports on what each member alone sends, receives and misses the one that is the same on all. Collective,
/// not uniform.
void share_report(ft::Communicator& comm, LoadReport& report);

/// Row i: what PeId i wants; those of the dead are empty, and empty ranges are left out. alike: as above.
Csr<BlockRange> gather_wanted(ft::Communicator& comm, std::span<BlockRange const> wanted, std::uint64_t alike);

/// Of rows by PeId those of the members.
Csr<BlockRange> rows_of_members(ft::Communicator const& comm, CsrView<BlockRange> rows);

}  // namespace regraft::store
