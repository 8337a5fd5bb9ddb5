// The next assignment after PEs died: survivors keep what they have, and only the sites of the dead move.
#pragma once

#include <cstdint>
#include <span>

#include "regraft/assign/assignment.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft::assign {

/// How lost sites are dealt to survivors that already work on their partition. docs/mpi/reassignment.md compares the
/// methods.
enum class Method {
    /// Greedy first. If that takes new pairs, matching is tried as well, and the method with fewer new pairs wins.
    /// Matching wins ties, because it loads survivors more evenly.
    automatic,
    /// Each partition's sites go to its least loaded survivor first. Partitions with the fewest such survivors come
    /// first.
    greedy,
    /// Sends as many sites as possible to survivors that work on their partition: a maximum capacitated b-matching of
    /// lost sites and survivors. Among several such matchings, one is taken in which few survivors come near the limit.
    matching,
};

/// How sites are dealt; all PEs that call reassign pass the same.
struct Options {
    /// How far above the mean a survivor may be filled, at least 1. With a larger slack fewer PEs start on a partition
    /// that is new to them, but a step takes longer.
    double slack = 1.0;
    Method method = Method::automatic;  // how lost sites are dealt to survivors that work on their partition
    /// The positive cost of a site of each partition, for example its number of states times rate categories. Empty:
    /// all sites cost the same.
    std::span<std::uint64_t const> cost_per_site{};
};

/// What reassign decided.
struct Reassignment {
    Assignment after;  // the pieces of every PE, with empty rows for the dead
    /// Only the pieces that are new to the PE: it has to load these. Row = value(PeId), as in after.
    Csr<Work> gained;
    /// The partitions that the PE works on after, but not before, ascending. Row = value(PeId). Each costs the PE a
    /// model.
    Csr<PartitionId> new_partitions;
    /// The number of entries of new_partitions: (PE, partition) pairs.
    std::uint64_t new_pairs = 0;
    /// The method that dealt the sites; never automatic.
    Method method = Method::greedy;
    friend bool operator==(Reassignment const&, Reassignment const&) = default;
};

/// Deals the sites of the PEs that are not among survivors. With N sites and p survivors, a survivor ends with at most
/// max(what it had, ceil(slack * N / p)) sites. Lost sites go to survivors that work on their partition, only up to the
/// mean if that suffices for all. The rest goes to other survivors, in whole partitions as far as they fit: the largest
/// rest first, either to the least loaded survivor or to the one where it leaves the least room, whichever takes fewer
/// new pairs. To find the fewest new pairs is NP-hard (bin packing); these are few, see docs/mpi/reassignment.md.
///
/// With cost_per_site the same holds for cost instead of sites, with two exceptions: a survivor's cost may exceed the
/// bound by less than the cost of one site that it gained, and matching is optimal up to one site per survivor and
/// partition.
///
/// Deterministic. Precondition: survivors ascends strictly, is not empty, and each is a row of before; slack >= 1;
/// cost_per_site is empty or has a positive value for each partition in before, and all sites cost less than 2^63.
/// O(pieces + lost pieces * log) beside the matching, see matching/shares.hpp.
Reassignment reassign(Assignment const& before, std::span<PeId const> survivors, Options const& options = {});

}  // namespace regraft::assign
#pragma GCC visibility pop
