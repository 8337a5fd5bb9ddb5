// Senders by a rule that sender and receiver each evaluate alone: for loads in which so many take part that nobody can
// afford to plan for all of them. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/schedule/range_senders.hpp"

namespace regraft::schedule {

/// Blocks that the same PEs hold, with these, ascending.
using VisitHolders = std::function<void(BlockRange blocks, std::span<PeId const> holders)>;
/// Calls the function for the runs of blocks with the same holders, ascending, neighbours with different ones.
using HoldersOf = std::function<void(BlockRange blocks, VisitHolders const& visit)>;

struct LocalRule {
    std::uint64_t seed = 0;
    /// A run is divided among all of its holders unless that makes shorter parts.
    std::uint64_t part_bytes = 1 << 16;
};

/// Divides the request among its holders: into parts as even as block boundaries allow, as many as there are holders,
/// but none shorter than rule.part_bytes if there are several; the first to a holder that a hash of the seed, the first
/// block and the receiver draws, each further one to the next holder around the row. Calls visit for the parts, in the
/// order of their blocks, none empty. Precondition: the receiver is no holder, there is one, blocks are not empty.
///
/// Balance: let every holder of a request owe an even part of it, E be the most that somebody owes for all requests,
/// and c the longest part. As every part goes to each of its holders with the same probability, whoever sends for d PEs
/// exceeds E + sqrt(2 c E ln(d / q)) + c ln(d / q) / 3 with probability q at most (Bernstein 1924). While nobody is
/// dead and everybody holds as much, E is the mean, so no choice is better; if requests of runs with few holders gather
/// at some PE, choose_range_senders can unburden it, and this rule does not. 64 runs for each PE, 3 copies: the busiest
/// of 1,000 PEs sends 1.35 times the mean and of 100,000 1.45 times if runs are single blocks, 1.1 times at most if
/// they can be divided; with 1 % dead single blocks make it 2.0 (choose_range_senders, without dead: 1.03).
void divide_locally(RangeRequest const& request, std::span<PeId const> holders, BlockSizes const& sizes,
                    LocalRule const& rule, std::function<void(BlockRange blocks, PeId sender)> const& visit);

/// What one PE has to know. `request` counts the ranges in the receiver's row.
struct LocalSenders {
    /// From others, in the order of the row and of the blocks.
    std::vector<RangeTransfer> in;
    /// To others, receiver by receiver. What goes from one PE to another is the same at both, in the same order.
    std::vector<RangeTransfer> out;
    /// What the PE wants and holds: sender == receiver.
    std::vector<RangeTransfer> local;
    /// What it wants and nobody holds: ascending, disjoint.
    std::vector<BlockRange> lost;
};

/// wanted: row i is what PE i wants, whichever ranges, none of a dead one; the same on all. held: all that self holds
/// by holders_of, ascending, neighbours joined. O(all ranges wanted * log(held) + what self holds of them + what it
/// receives), and memory by the last two.
///
/// choose_range_senders divides better, but everybody plans for all: if each PE wants 64 runs, that takes 17 ms for
/// 1,000 PEs, 0.3 s and 100 MB for 10,000, 14 s and 840 MB for 100,000; this takes 0.1, 0.2 and 0.8 ms and 15 KB. 0.3 s
/// is what the uneven rule costs a PE that has to send 1 GB instead of 0.7 at 1 GB/s. So it pays where all PEs together
/// want more than some 500,000 runs; a load of what few dead PEs held never comes near that. Measured by the bench
/// `scale`.
LocalSenders choose_senders_locally(PeId self, CsrView<BlockRange> wanted, std::span<BlockRange const> held,
                                    HoldersOf const& holders_of, BlockSizes const& sizes, LocalRule const& rule = {});

}  // namespace regraft::schedule
