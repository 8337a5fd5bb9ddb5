#include "match/match.hpp"

#include <algorithm>
#include <vector>

namespace regraft::plan {

MatchPlan plan_senders(HolderGraph const& graph) {
    MatchPlan plan;
    plan.matching = matching::min_b_matching(graph.holders, static_cast<std::uint32_t>(graph.ranks.size()));
    plan.hall_blocks = count_confined(graph.holders, plan.matching.hall_set);
    return plan;
}

std::uint64_t count_confined(CsrView<std::uint32_t> rows, std::span<std::uint32_t const> among,
                             std::span<std::uint64_t const> weight) {
    if (among.empty()) return 0;
    std::vector<char> is_among(std::size_t{*std::max_element(among.begin(), among.end())} + 1, 0);
    for (auto const v : among) is_among[v] = 1;
    auto const inside = [&](std::uint32_t v) { return v < is_among.size() && is_among[v] != 0; };
    std::uint64_t count = 0;
    for (std::size_t x = 0; x < rows.size(); ++x) {
        auto const row = rows[x];
        if (row.empty() || !std::all_of(row.begin(), row.end(), inside)) continue;
        count += weight.empty() ? 1 : weight[x];
    }
    return count;
}

}  // namespace regraft::plan
