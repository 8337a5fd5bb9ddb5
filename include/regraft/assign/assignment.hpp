// Assignments: which PE computes on which sites.
#pragma once

#include <cstdint>
#include <span>

#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft::assign {

/// A piece of work: sites of one partition, at least one. Site numbers run across partitions: partition q owns
/// [partition_begin[q], partition_begin[q + 1]).
struct Work {
    SiteRange sites;          // at least one, all of the partition
    PartitionId partition{};  // the one whose sites they are
    friend bool operator==(Work const&, Work const&) = default;
};

/// The pieces of every PE. Row = value(PeId), for all founding PEs; a dead PE's row is empty. A row ascends by site,
/// and pieces of one partition that touch are one piece.
using Assignment = Csr<Work>;

/// The number of sites in a row. O(pieces).
std::uint64_t num_sites(std::span<Work const> row);

/// The sum over sites of cost_per_site[their partition]. Precondition: cost_per_site has an entry for each partition in
/// the row, and the sum is below 2^63. O(pieces).
std::uint64_t cost(std::span<Work const> row, std::span<std::uint64_t const> cost_per_site);

/// Whether every site of every partition is in exactly one piece, every piece lies within its partition, and the rows
/// keep the order that Assignment promises. Precondition: partition_begin is not empty and ascends. O(pieces log
/// pieces).
bool covers_once(Assignment const& assignment, std::span<std::uint64_t const> partition_begin);

}  // namespace regraft::assign
#pragma GCC visibility pop
