// The next assignment after PEs died: survivors keep what they have, only the sites of the dead move.
#pragma once

#include <cstdint>
#include <span>

#include "regraft/assign/assignment.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"

namespace regraft::assign {

struct Options {
    /// How far above the mean a survivor may be filled, at least 1. More means fewer PEs that start on a partition new
    /// to them, and a longer time per step.
    double slack = 1.0;
};

struct Reassignment {
    Assignment after;
    /// Row = value(PeId) like after: only the pieces that are new to the PE, what it has to load.
    Csr<Work> gained;
    /// How many (PE, partition) pairs are in after that were not in before; each costs the PE a model of its own.
    std::uint64_t new_pairs = 0;
};

/// Deals the sites of the PEs that are not among survivors. With N sites and p survivors a survivor ends with at most
/// max(what it had, ceil(slack * N / p)) sites. Lost sites go first to survivors that work on their partition already,
/// the rest whole, as far as it fits, to the least loaded. Greedy: few new pairs, not provably the fewest.
/// Deterministic. Precondition: survivors ascends strictly, is not empty, and each is a row of before; slack >= 1.
/// O(pieces log pieces + new pairs * log p).
Reassignment reassign(Assignment const& before, std::span<PeId const> survivors, Options options = {});

}  // namespace regraft::assign
