// Collapses left vertices with the same row into one each.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/core/csr.hpp"

namespace regraft::matching {

/// Groups in the order of their first left vertex.
struct Groups {
    Csr<std::uint32_t> graph;          // row = group
    std::vector<std::uint32_t> group;  // of every left vertex
    std::vector<std::uint32_t> table;  // hash table of groups
};

/// Whether there are at most max_groups different rows, according to a sample. Deterministic. hashes: memory that is
/// used again.
bool looks_grouped(CsrView<std::uint32_t> graph, std::size_t max_groups, std::vector<std::uint64_t>& hashes);

/// Collapses rows that are equal as sequences. Returns false, with unspecified groups, if there are more than
/// max_groups. O(edges).
bool collapse(CsrView<std::uint32_t> graph, std::size_t max_groups, Groups& groups);

}  // namespace regraft::matching
