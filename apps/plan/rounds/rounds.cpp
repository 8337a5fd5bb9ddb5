#include "rounds/rounds.hpp"

#include <algorithm>
#include <cstddef>

#include "files/renumber.hpp"

namespace regraft::plan {
namespace {

using schedule::Edge;

/// Renumbers one side of the edges, and says how busy it is.
Degrees compact(std::span<Edge> edges, std::uint32_t Edge::*side) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(edges.size());
    for (auto const& edge : edges) numbers.push_back(edge.*side);
    auto const ranks = renumber(numbers);
    std::vector<std::uint32_t> degree(ranks.size(), 0);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        edges[i].*side = numbers[i];
        ++degree[numbers[i]];
    }
    if (degree.empty()) return {};
    auto const most = std::max_element(degree.begin(), degree.end());
    return {*most, ranks[static_cast<std::size_t>(most - degree.begin())], ranks.size()};
}

}  // namespace

RoundPlan plan_rounds(std::span<Edge const> transfers) {
    RoundPlan plan;
    std::vector<Edge> remote;
    remote.reserve(transfers.size());
    std::copy_if(transfers.begin(), transfers.end(), std::back_inserter(remote),
                 [](Edge const& edge) { return edge.left != edge.right; });
    plan.num_local = transfers.size() - remote.size();
    plan.sent = compact(remote, &Edge::left);
    plan.received = compact(remote, &Edge::right);
    plan.num_rounds = std::max(plan.sent.largest, plan.received.largest);
    plan.round_size.assign(plan.num_rounds, 0);

    auto const colours = schedule::colour_edges(remote);
    auto colour = colours.begin();
    plan.round.reserve(transfers.size());
    for (auto const& edge : transfers) {
        plan.round.push_back(edge.left == edge.right ? no_round : *colour++);
        if (plan.round.back() != no_round) ++plan.round_size[plan.round.back()];
    }
    return plan;
}

}  // namespace regraft::plan
