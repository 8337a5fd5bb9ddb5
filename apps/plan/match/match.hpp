// Senders for the blocks of a graph file.
#pragma once

#include <cstdint>
#include <span>

#include "match/graph_file.hpp"
#include "regraft/matching/b_matching.hpp"

namespace regraft::plan {

struct MatchPlan {
    /// In the numbers of the graph: ranks[i] is the rank i.
    matching::BMatching matching;
    /// How many blocks are held by ranks of matching.hall_set only: more than (b - 1) * |hall_set|.
    std::uint64_t hall_blocks = 0;
};

MatchPlan plan_senders(HolderGraph const& graph);

/// How many rows that are not empty have all their values among the given ones; row x counts weight[x] times, or once
/// if there are no weights. O(values + largest value).
std::uint64_t count_confined(CsrView<std::uint32_t> rows, std::span<std::uint32_t const> among,
                             std::span<std::uint64_t const> weight = {});

}  // namespace regraft::plan
