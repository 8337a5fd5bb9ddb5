// Plans who sends which block to whom in which round: a multi-sender h-relation. Pure: the same on every PE.
//
// choose_senders decides who sends; that is all that an exchange of everything at once (MPI_Alltoallv) needs.
// h_relation also deals the transfers to rounds, in each of which a PE sends at most one message and receives one:
//
// - Messages::per_block: a message is one block, and so all rounds last equally long. There are as many as the busiest
//   PE sends or receives blocks, which no plan can beat: right where blocks are large (bandwidth counts), or where a PE
//   has room for one block at a time.
// - Messages::bundled: a message is all that one PE has for another. There are as many rounds as a PE has partners, at
//   most, but a round lasts as long as its largest message: right where blocks are small (latency counts).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"

namespace regraft::schedule {

/// The receiver wants the block.
struct Request {
    BlockId block{};
    PeId receiver{};
    friend bool operator==(Request const&, Request const&) = default;
};

struct Transfer {
    BlockId block{};
    PeId sender{};
    PeId receiver{};
    friend bool operator==(Transfer const&, Transfer const&) = default;
};

enum class Messages { per_block, bundled };

enum class Balance {
    /// Until b is no more than r: fewer blocks per sender would not make fewer rounds.
    for_rounds,
    /// Until no choice of senders has a smaller b. Without effect on bytes, which are always balanced as well as
    /// possible.
    fully,
};

struct Options {
    /// How long choose_senders searches.
    Balance balance = Balance::for_rounds;
    /// What h_relation sends in a round.
    Messages messages = Messages::per_block;
    /// The size of the block of every request. Empty: all have the same, and senders are balanced by numbers of blocks.
    /// Otherwise they are balanced by bytes.
    std::span<std::uint64_t const> bytes{};
};

/// Every request ends in exactly one of transfers, local and unservable, each in the order of the requests.
struct Senders {
    /// Between different PEs.
    std::vector<Transfer> transfers;
    /// The receiver holds the block already; sender == receiver.
    std::vector<Transfer> local;
    /// No living PE holds the block: it is lost.
    std::vector<Request> unservable;
    /// The largest number of blocks sent by one PE. Without Options::bytes no choice of senders has a smaller max(b,
    /// r): the search for a smaller b ends at r.
    std::uint32_t b = 0;
    /// The largest number of blocks received by one PE, whoever sends.
    std::uint32_t r = 0;
    /// With Options::bytes: the largest number of bytes sent by one PE, and what no choice of senders can fall below.
    /// They differ by the largest block at most.
    std::uint64_t most_bytes = 0;
    std::uint64_t most_bytes_bound = 0;
};

/// Who sends, where row i of holders lists the living PEs that hold requests[i].block. Deterministic; PeIds may be
/// sparse (4 bytes * largest PeId). Same complexity as min_b_matching, of weights with Options::bytes. Precondition:
/// holders has a row per request, bytes a value per request or none; fewer than 2^32 - 1 requests.
Senders choose_senders(std::span<Request const> requests, CsrView<PeId> holders, Options const& options = {});

/// Every request ends in exactly one of rounds, local and unservable.
struct HRelation {
    /// Row = round, in the order of the requests. In a round a PE sends at most one message and receives at most one.
    /// If messages are bundled: a message's blocks one after the other, messages in the order of their senders; a pair
    /// of PEs has one message in all.
    Csr<Transfer> rounds;
    /// As in Senders.
    std::vector<Transfer> local;
    std::vector<Request> unservable;
    /// As in Senders: the largest number of blocks sent by one PE.
    std::uint32_t b = 0;
    /// The largest number of messages sent or received by one PE: exactly the number of rounds, and no plan for these
    /// senders has fewer. With one message per block and without Options::bytes no plan at all has fewer.
    std::uint32_t h = 0;
    /// As in Senders.
    std::uint64_t most_bytes = 0;
    std::uint64_t most_bytes_bound = 0;
};

/// The plan: senders as choose_senders finds them, rounds from an optimal colouring. Deterministic, for any number of
/// threads. Preconditions and complexity as of choose_senders and colour_edges, so at most 2^30 requests.
HRelation h_relation(std::span<Request const> requests, CsrView<PeId> holders, Options const& options = {});

/// Whether senders serve every request once, by a holder, local where possible, with the b, r and most_bytes that its
/// comments promise (bar the optimality). O(requests + holders + largest PeId), not by the solver.
bool is_valid(Senders const& senders, std::span<Request const> requests, CsrView<PeId> holders,
              Options const& options = {});

/// The same for plan, and whether its rounds and h are what its comments promise, bar the order within a round.
/// O((requests + holders) log requests + largest PeId), not by the solver. Precondition: equal requests have equal
/// holders and bytes.
bool is_valid(HRelation const& plan, std::span<Request const> requests, CsrView<PeId> holders,
              Options const& options = {});

}  // namespace regraft::schedule
