// Plans who sends which block to whom in which round: a multi-sender h-relation. Pure: the same on every PE.
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

/// Every request ends in exactly one of rounds, local and unservable.
struct HRelation {
    /// Row = round, in the order of the requests. In a round a PE sends at most one block and receives at most one.
    Csr<Transfer> rounds;
    /// The receiver holds the block already; sender == receiver.
    std::vector<Transfer> local;
    /// No living PE holds the block: it is lost.
    std::vector<Request> unservable;
    /// The largest number of blocks sent by one PE; no choice of senders has a smaller one.
    std::uint32_t b = 0;
    /// The largest number of blocks sent or received by one PE: exactly the number of rounds, and no plan for these
    /// senders has fewer.
    std::uint32_t h = 0;
};

/// The plan for requests, where row i of holders lists the living PEs that hold requests[i].block. Senders are an
/// optimal matching, rounds an optimal colouring. Deterministic; PeIds may be sparse. Same complexity as min_b_matching
/// and colour_edges. Precondition: holders has a row per request; fewer than 2^32 - 1 requests.
HRelation h_relation(std::span<Request const> requests, CsrView<PeId> holders);

/// Whether plan serves every request once, by a holder, with the rounds, b and h its comments promise (bar the
/// optimality of b). O((requests + holders) log requests), not by the solver.
bool is_valid(HRelation const& plan, std::span<Request const> requests, CsrView<PeId> holders);

}  // namespace regraft::schedule
