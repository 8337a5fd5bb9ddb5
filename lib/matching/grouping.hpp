// Left vertices with the same row, collapsed into one each.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/core/csr.hpp"

namespace regraft::matching {

/// Groups in the order of their first left vertex.
struct Groups {
    Csr<std::uint32_t> graph;          // row = group
    std::vector<std::uint32_t> group;  // of every left vertex
    std::vector<std::uint32_t> table;  // memory for the search: groups by hash
};

/// Whether a sample says that there are at most max_groups different rows. Deterministic. hashes: memory.
bool looks_grouped(CsrView<std::uint32_t> graph, std::size_t max_groups, std::vector<std::uint64_t>& hashes);

/// Collapses equal rows, as sequences; false, and nothing useful in groups, if there are more than max_groups.
/// O(edges).
bool collapse(CsrView<std::uint32_t> graph, std::size_t max_groups, Groups& groups);

}  // namespace regraft::matching
