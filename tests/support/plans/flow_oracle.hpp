// The minimum-b-matching as maximum flows: gallop and binary search on b with Boost's push-relabel (Goldberg, Tarjan
// 1988).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/graph/push_relabel_max_flow.hpp>

#include "regraft/core/csr.hpp"
#include "support/plans/flow_network.hpp"
#include "support/plans/matching_oracle.hpp"

namespace regraft::test {

/// source -> left vertices (capacity 1) -> their neighbours (1) -> sink (b).
class FlowOracle {
public:
    FlowOracle(CsrView<std::uint32_t> rows, std::uint32_t num_right)
        : network_(rows.size() + num_right + 2), source_(rows.size() + num_right), sink_(source_ + 1) {
        for (std::size_t x = 0; x < rows.size(); ++x) {
            if (rows[x].empty()) continue;
            ++num_left_;
            connect(network_, source_, x, 1);
            for (auto const v : rows[x]) connect(network_, x, rows.size() + v, 1);
        }
        for (std::uint32_t v = 0; v < num_right; ++v) to_sink_.push_back(connect(network_, rows.size() + v, sink_, 0));
    }

    /// Whether every left vertex with a neighbour finds a place if right vertices take b each.
    bool feasible(std::uint32_t b) {
        for (auto const edge : to_sink_) boost::put(boost::edge_capacity, network_, edge, b);
        return boost::push_relabel_max_flow(network_, source_, sink_) == num_left_;
    }

    /// lower_bound: no smaller b is possible.
    std::uint32_t min_b(std::uint32_t lower_bound = 0) {
        return smallest_feasible(lower_bound, [&](std::uint32_t b) { return feasible(b); });
    }

private:
    FlowNetwork network_;
    std::size_t source_;
    std::size_t sink_;
    std::int64_t num_left_ = 0;
    std::vector<FlowEdge> to_sink_;
};

}  // namespace regraft::test
