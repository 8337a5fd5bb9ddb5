// The minimum-b-matching as maximum flows: gallop and binary search on b with LEMON's push-relabel (Preflow).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <lemon/preflow.h>
#include <lemon/smart_graph.h>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/csr.hpp"
#include "support/plans/matching_oracle.hpp"

namespace regraft::test {

/// source -> left vertices (capacity 1) -> their neighbours (1) -> sink (b).
class LemonOracle {
public:
    LemonOracle(CsrView<std::uint32_t> rows, std::uint32_t num_right) {
        network_.reserveNode(checked_cast<int>(rows.size() + num_right + 2));
        network_.reserveArc(checked_cast<int>(rows.values.size() + rows.size() + num_right));
        auto const source = network_.addNode();
        auto const sink = network_.addNode();
        std::vector<Node> right;
        for (std::uint32_t v = 0; v < num_right; ++v) {
            right.push_back(network_.addNode());
            to_sink_.push_back(connect(right.back(), sink));
        }
        for (std::size_t x = 0; x < rows.size(); ++x) {
            if (rows[x].empty()) continue;
            ++num_left_;
            auto const left = network_.addNode();
            connect(source, left);
            for (auto const v : rows[x]) connect(left, right[v]);
        }
        flow_.source(source).target(sink);
    }

    /// Whether every left vertex with a neighbour finds a place if right vertices take b each.
    bool feasible(std::uint32_t b) {
        for (auto const arc : to_sink_) capacity_[arc] = checked_cast<int>(b);
        flow_.init();
        flow_.startFirstPhase();  // the value of the flow; the second phase would tell where it flows
        return flow_.flowValue() == num_left_;
    }

    /// lower_bound: no smaller b is possible.
    std::uint32_t min_b(std::uint32_t lower_bound = 0) {
        return smallest_feasible(lower_bound, [&](std::uint32_t b) { return feasible(b); });
    }

private:
    using Network = lemon::SmartDigraph;
    using Node = Network::Node;
    using Arc = Network::Arc;

    Arc connect(Node from, Node to) {
        auto const arc = network_.addArc(from, to);
        capacity_[arc] = 1;
        return arc;
    }

    Network network_;
    Network::ArcMap<int> capacity_{network_};
    lemon::Preflow<Network, Network::ArcMap<int>> flow_{network_, capacity_, Node(lemon::INVALID),
                                                        Node(lemon::INVALID)};
    int num_left_ = 0;
    std::vector<Arc> to_sink_;
};

}  // namespace regraft::test
