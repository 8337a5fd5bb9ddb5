// Chooses senders by a rule that sender and receiver each evaluate alone. It serves loads with so many participants
// that planning for all of them would cost every PE too much. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/schedule/range_senders.hpp"

#pragma GCC visibility push(default)
namespace regraft::schedule {

/// Receives blocks with the same holders, and these holders, ascending.
using VisitHolders = std::function<void(BlockRange blocks, std::span<PeId const> holders)>;
/// Calls visit for the runs of blocks with the same holders, ascending; neighbouring runs have different holders.
using HoldersOf = std::function<void(BlockRange blocks, VisitHolders const& visit)>;

/// How requests are divided. All PEs pass the same.
struct LocalRule {
    std::uint64_t seed = 0;  // of the hash that draws the first sender
    /// A run is divided among all of its holders, unless the parts would be shorter than this.
    std::uint64_t part_bytes = 1 << 16;
    /// The node of each PeId; empty if nodes are unknown. Holders on the receiver's node are the only ones that count,
    /// if there are any.
    std::span<std::uint32_t const> node_of{};
};

/// Divides the request among its holders, into parts as even as block boundaries allow. There are as many parts as
/// holders, but if there are several parts, none is shorter than rule.part_bytes. The first part goes to a holder that
/// a hash of the seed, the first block and the receiver draws, each further one to the next holder around the row.
/// Calls visit for the parts in the order of their blocks; none is empty. Precondition: the receiver is no holder,
/// there is a holder, and blocks are not empty.
///
/// Balance: let every holder of a request owe an even part of it, let E be the largest amount that one PE owes for all
/// requests, and c the longest part. Every part goes to each of its holders with the same probability. So the busiest
/// of d PEs sends more than E + sqrt(2 c E ln(d / q)) + c ln(d / q) / 3 with probability at most q (Bernstein 1924).
/// While no PE is dead and all hold the same amount, E is the mean, so no choice is better. If requests for runs with
/// few holders gather at one PE, choose_range_senders can unburden it, and this rule does not. Example with 64 runs for
/// each PE and 3 copies: if runs are single blocks, the busiest of 1,000 PEs sends 1.35 times the mean, and the busiest
/// of 100,000 sends 1.45 times; if runs can be divided, at most 1.1 times. With 1 % dead, single blocks make it 2.0
/// (choose_range_senders, without dead: 1.03).
void divide_locally(RangeRequest const& request, std::span<PeId const> holders, BlockSizes const& sizes,
                    LocalRule const& rule, std::function<void(BlockRange blocks, PeId sender)> const& visit);

/// The transfers of one PE. The field `request` of a transfer counts the ranges in the receiver's row.
struct LocalSenders {
    /// Transfers from others, in the order of the row and of the blocks.
    std::vector<RangeTransfer> in;
    /// Transfers to others, receiver by receiver. The transfers from one PE to another are the same on both, in the
    /// same order.
    std::vector<RangeTransfer> out;
    /// Blocks that the PE wants and holds: sender == receiver.
    std::vector<RangeTransfer> local;
    /// Blocks that the PE wants and no PE holds: ascending, disjoint.
    std::vector<BlockRange> lost;
};

/// Chooses the transfers of self. Row i of wanted is the ranges that PE i wants, in any order; a dead PE wants none;
/// the same on all PEs. held: all blocks that self holds by holders_of, ascending, neighbours joined. O(all ranges
/// wanted * log(held) + those that self holds + what it receives) time; memory by the last two.
///
/// choose_range_senders divides better, but every PE plans for all. If each PE wants 64 runs, that takes 17 ms for
/// 1,000 PEs, 0.3 s and 100 MB for 10,000, and 14 s and 840 MB for 100,000; this function takes 0.1, 0.2 and 0.8 ms and
/// 15 KB. 0.3 s is what the uneven rule costs a PE that has to send 1 GB instead of 0.7 at 1 GB/s. So this function
/// pays where all PEs together want more than some 500,000 runs; a load of what few dead PEs held never comes near
/// that. The bench `scale` measures both.
LocalSenders choose_senders_locally(PeId self, CsrView<BlockRange> wanted, std::span<BlockRange const> held,
                                    HoldersOf const& holders_of, BlockSizes const& sizes, LocalRule const& rule = {});

}  // namespace regraft::schedule
#pragma GCC visibility pop
