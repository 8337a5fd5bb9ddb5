// The next assignment after PEs died: survivors keep what they have, only the sites of the dead move.
#pragma once

#include <cstdint>
#include <span>

#include "regraft/assign/assignment.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"

namespace regraft::assign {

/// How lost sites are dealt to survivors that work on their partition already. docs/reassignment.md compares them.
enum class Method {
    /// Greedy; if that takes new pairs, matching as well, and whichever takes fewer. Matching if they take the same: it
    /// loads survivors more evenly.
    automatic,
    /// Each partition's sites to the least loaded first; partitions with the fewest such survivors first.
    greedy,
    /// As many sites as possible: a maximum capacitated b-matching of lost sites and survivors. Of several the one in
    /// which few survivors come near the limit.
    matching,
};

struct Options {
    /// How far above the mean a survivor may be filled, at least 1. More means fewer PEs that start on a partition new
    /// to them, and a longer time per step.
    double slack = 1.0;
    Method method = Method::automatic;
    /// What a site of each partition costs, for example its number of states times rate categories; none is 0. Empty:
    /// all the same.
    std::span<std::uint64_t const> cost_per_site{};
};

struct Reassignment {
    Assignment after;
    /// Row = value(PeId) like after: only the pieces that are new to the PE, what it has to load.
    Csr<Work> gained;
    /// Row = value(PeId): the partitions that the PE works on after, but not before, ascending. Each costs it a model.
    Csr<PartitionId> new_partitions;
    /// All entries of new_partitions: (PE, partition) pairs.
    std::uint64_t new_pairs = 0;
    /// The one that dealt, never automatic.
    Method method = Method::greedy;
    friend bool operator==(Reassignment const&, Reassignment const&) = default;
};

/// Deals the sites of the PEs that are not among survivors. With N sites and p survivors a survivor ends with at most
/// max(what it had, ceil(slack * N / p)) sites. Lost sites go to survivors that work on their partition, up to the mean
/// if that is enough for all. The rest goes whole, as far as it fits, to others: largest rest first, to the least
/// loaded or to where it leaves the least room, whichever takes fewer new pairs. Fewest new pairs is NP-hard (bin
/// packing); these are few, see docs/reassignment.md.
///
/// With cost_per_site the same holds for cost instead of sites, except that a survivor's cost may exceed the bound by
/// less than the cost of one site that it gained, and matching is optimal up to one site per survivor and partition.
///
/// Deterministic. Precondition: survivors ascends strictly, is not empty, and each is a row of before; slack >= 1;
/// cost_per_site is empty or has a positive value for each partition in before, and all sites cost less than 2^63.
/// O(pieces + lost pieces * log) beside the matching, see matching/shares.hpp.
Reassignment reassign(Assignment const& before, std::span<PeId const> survivors, Options const& options = {});

}  // namespace regraft::assign
