// Chooses who sends which blocks to whom, where blocks are asked for by ranges: the same question as choose_senders,
// answered for ranges and balanced by bytes. Pure: the same on every PE.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"

namespace regraft::schedule {

/// The receiver wants the blocks, all of which the same PEs hold.
struct RangeRequest {
    BlockRange blocks;
    PeId receiver{};
    friend bool operator==(RangeRequest const&, RangeRequest const&) = default;
};

/// A part of a request.
struct RangeTransfer {
    BlockRange blocks;
    PeId sender{};
    PeId receiver{};
    std::uint64_t request = 0;  // which one
    friend bool operator==(RangeTransfer const&, RangeTransfer const&) = default;
};

/// Every block of every request ends in exactly one of transfers, local and unservable.
struct RangeSenders {
    /// Between different PEs, in the order of the requests and, within one, of the blocks.
    std::vector<RangeTransfer> transfers;
    /// Whole requests of receivers that hold the blocks already; sender == receiver.
    std::vector<RangeTransfer> local;
    /// Indices of requests for blocks that nobody holds.
    std::vector<std::uint64_t> unservable;
    /// The most bytes that one PE sends, what no choice of senders can fall below even if blocks could be divided, and
    /// the most that one PE receives.
    std::uint64_t most_sent = 0;
    std::uint64_t most_sent_bound = 0;
    std::uint64_t most_received = 0;
};

/// Who sends, where row i of holders lists the living PEs that hold requests[i].blocks. Requests with the same holders
/// are pooled and divided among them (matching::min_b_shares), each getting few long ranges. Where single blocks are so
/// long that this comes out more than 1/20 above the bound, blocks are dealt one by one (weighted min_b_matching), as
/// long as blocks times holders are fewer than 2^22; then the busiest is at most one block above the bound.
/// Deterministic. Precondition: a row per request. O(requests + transfers log transfers + largest PeId) beside the
/// matching.
RangeSenders choose_range_senders(std::span<RangeRequest const> requests, CsrView<PeId> holders,
                                  BlockSizes const& sizes);

/// Whether senders serve every block of every request once, by a holder, local where possible, with the sums that its
/// comments promise (bar that the bound is one). O((requests + transfers + holders) log), not by the solver.
bool is_valid(RangeSenders const& senders, std::span<RangeRequest const> requests, CsrView<PeId> holders,
              BlockSizes const& sizes);

}  // namespace regraft::schedule
