// Plans which PE sends which block to which in which round: a multi-sender h-relation. Pure: the same on every PE.
//
// choose_senders chooses the senders; an exchange of everything at once (MPI_Alltoallv) needs no more. h_relation also
// deals the transfers to rounds, in each of which a PE sends at most one message and receives at most one:
//
// - Messages::per_block: a message is one block, and so all rounds take equally long. There are as many rounds as the
//   busiest PE sends or receives blocks, which no plan can beat. This is right where blocks are large (bandwidth
//   counts), or where a PE has room for one block at a time.
// - Messages::bundled: a message is everything that one PE has for another. There are at most as many rounds as a PE
//   has partners, but a round takes as long as its largest message. This is right where blocks are small (latency
//   counts).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft::schedule {

/// A PE, the receiver, wants a block.
struct Request {
    BlockId block{};  // may be wanted by several PEs
    PeId receiver{};  // the PE that wants it
    friend bool operator==(Request const&, Request const&) = default;
};

/// A block that one PE sends to another.
struct Transfer {
    BlockId block{};  // the block of the request
    PeId sender{};    // a holder of the block
    PeId receiver{};  // the PE that wants it
    friend bool operator==(Transfer const&, Transfer const&) = default;
};

/// What a message is: one block, or all that a PE has for another.
enum class Messages { per_block, bundled };

/// How far the numbers of blocks that PEs send are balanced.
enum class Balance {
    /// The search stops when b is at most r: fewer blocks per sender would not make fewer rounds.
    for_rounds,
    /// The search stops when no choice of senders has a smaller b. Without effect on bytes, which are always balanced
    /// as well as possible.
    fully,
};

/// What counts in a plan; all PEs pass the same.
struct Options {
    /// How long choose_senders searches for a smaller b.
    Balance balance = Balance::for_rounds;
    /// What a message of h_relation is.
    Messages messages = Messages::per_block;
    /// The size of the block of every request. Empty: all blocks have the same size, and senders are balanced by
    /// numbers of blocks. Otherwise senders are balanced by bytes.
    std::span<std::uint64_t const> bytes{};
    /// The node of each PeId, for all that occur. Empty: nodes are unknown. Otherwise what a node sends and receives is
    /// spread over the rounds of h_relation, as two_tier_rounds does it. Without effect on senders, h and bytes.
    std::span<std::uint32_t const> node_of{};
};

/// A sender for every request. Every request ends in exactly one of transfers, local and unservable, each in the order
/// of the requests.
struct Senders {
    /// Transfers between different PEs.
    std::vector<Transfer> transfers;
    /// Requests of PEs that hold the block already; sender == receiver.
    std::vector<Transfer> local;
    /// Requests for blocks that no living PE holds: they are lost.
    std::vector<Request> unservable;
    /// The largest number of blocks that one PE sends. Without Options::bytes no choice of senders has a smaller max(b,
    /// r): the search for a smaller b ends at r.
    std::uint32_t b = 0;
    /// The largest number of blocks that one PE receives; it does not depend on the senders.
    std::uint32_t r = 0;
    /// With Options::bytes: the largest number of bytes that one PE sends, and a lower bound for it over all choices of
    /// senders. They differ by at most the largest block.
    std::uint64_t most_bytes = 0;
    std::uint64_t most_bytes_bound = 0;  // as for Senders::most_bytes
};

/// Chooses a sender for each request; row i of holders lists the living PEs that hold requests[i].block. Deterministic;
/// PeIds may be sparse (4 bytes * largest PeId). Same complexity as min_b_matching, of weights with Options::bytes.
/// Precondition: holders has a row per request, bytes a value per request or none; fewer than 2^32 - 1 requests.
Senders choose_senders(std::span<Request const> requests, CsrView<PeId> holders, Options const& options = {});

/// A plan in rounds. Every request ends in exactly one of rounds, local and unservable.
struct HRelation {
    /// The transfers of each round, in the order of the requests. Row = round. In a round a PE sends at most one
    /// message and receives at most one. If messages are bundled, a pair of PEs has one message in all; the blocks of a
    /// message are one after the other, and messages are in the order of their senders.
    Csr<Transfer> rounds;
    /// The requests that are served locally or not at all, as in Senders.
    std::vector<Transfer> local;
    std::vector<Request> unservable;  // as in Senders
    /// The largest number of blocks that one PE sends, as in Senders.
    std::uint32_t b = 0;
    /// The largest number of messages that one PE sends or receives. It is exactly the number of rounds, and no plan
    /// for these senders has fewer. With one message per block and without Options::bytes no plan at all has fewer.
    std::uint32_t h = 0;
    /// The bytes of the busiest sender and their lower bound, as in Senders.
    std::uint64_t most_bytes = 0;
    std::uint64_t most_bytes_bound = 0;  // no choice of senders has fewer
};

/// Makes the plan: senders as choose_senders finds them, rounds from an optimal colouring. Deterministic, for any
/// number of threads. Preconditions and complexity as of choose_senders and colour_edges, so at most 2^30 requests.
HRelation h_relation(std::span<Request const> requests, CsrView<PeId> holders, Options const& options = {});

/// Whether senders serve every request once, by a holder, locally where possible, with b, r and most_bytes as their
/// comments promise (except for optimality). O(requests + holders + largest PeId). Does not use the solver.
bool is_valid(Senders const& senders, std::span<Request const> requests, CsrView<PeId> holders,
              Options const& options = {});

/// The same for plan, and whether its rounds and h are as their comments promise, except for the order within a round.
/// O((requests + holders) log requests + largest PeId). Does not use the solver. Precondition: equal requests have
/// equal holders and bytes.
bool is_valid(HRelation const& plan, std::span<Request const> requests, CsrView<PeId> holders,
              Options const& options = {});

}  // namespace regraft::schedule
#pragma GCC visibility pop
