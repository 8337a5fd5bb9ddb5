// Chooses which PE sends which blocks to which, where blocks are requested as ranges. The problem is that of
// choose_senders; this module solves it for ranges and balances bytes. Pure: the same on every PE.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft::schedule {

/// A PE, the receiver, wants blocks that all have the same holders.
struct RangeRequest {
    BlockRange blocks;  // consecutive
    PeId receiver{};    // the PE that wants them
    friend bool operator==(RangeRequest const&, RangeRequest const&) = default;
};

/// A part of a request.
struct RangeTransfer {
    BlockRange blocks;          // some of those of the request
    PeId sender{};              // a holder of the blocks
    PeId receiver{};            // the receiver of the request
    std::uint64_t request = 0;  // index of the request
    friend bool operator==(RangeTransfer const&, RangeTransfer const&) = default;
};

/// The senders of all blocks. Every block of every request ends in exactly one of transfers, local and unservable.
struct RangeSenders {
    /// Transfers between different PEs, in the order of the requests and, within one, of the blocks.
    std::vector<RangeTransfer> transfers;
    /// Whole requests of receivers that hold the blocks already; sender == receiver.
    std::vector<RangeTransfer> local;
    /// Indices of requests for blocks that no PE holds.
    std::vector<std::uint64_t> unservable;
    /// The largest number of bytes that one PE sends; a lower bound for it over all choices of senders, even if blocks
    /// could be divided (with nodes: over those that send as little between nodes); and the largest number of bytes
    /// that one PE receives.
    std::uint64_t most_sent = 0;
    std::uint64_t most_sent_bound = 0;  // no choice of senders has fewer
    std::uint64_t most_received = 0;    // does not depend on the senders
};

/// Chooses senders for all requests; row i of holders lists the living PEs that hold requests[i].blocks. Requests with
/// the same holders are pooled and divided among them (matching::min_b_shares), so that each holder gets few long
/// ranges. If single blocks are so long that the result is more than 1/20 above the bound, blocks are dealt one by one
/// instead (weighted min_b_matching), provided that blocks times holders are below 2^22; then the busiest PE is at most
/// one block above the bound. Deterministic. Precondition: holders has a row per request. O(requests + transfers log
/// transfers + largest PeId) beside the matching.
///
/// node_of: the node of each PeId; empty if nodes are unknown. A PeId beyond its end is on none of them. A request that
/// a holder on the receiver's node can serve is served there, so no choice sends less between nodes. What has to travel
/// between nodes is divided first among the nodes that can send it, and then, together with what stays on a node, among
/// the PEs of each node. Nodes of one PE each, and a single node, change nothing.
RangeSenders choose_range_senders(std::span<RangeRequest const> requests, CsrView<PeId> holders,
                                  BlockSizes const& sizes, std::span<std::uint32_t const> node_of = {});

/// Whether senders serve every block of every request once, by a holder, locally where possible and otherwise from the
/// same node where possible, with the sums that their comments promise (except that the bound is not verified).
/// O((requests + transfers + holders) log). Does not use the solver.
bool is_valid(RangeSenders const& senders, std::span<RangeRequest const> requests, CsrView<PeId> holders,
              BlockSizes const& sizes, std::span<std::uint32_t const> node_of = {});

}  // namespace regraft::schedule
#pragma GCC visibility pop
