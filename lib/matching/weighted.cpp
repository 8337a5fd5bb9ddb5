// Heaviest-first greedy (Graham 1969), divided where that evens out the loads, and rounded as in Lenstra et al. 1990.
#include "regraft/matching/weighted.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "matching/share_solver.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/matching/b_matching.hpp"

namespace regraft::matching {
namespace {

/// Gives divided left vertices to one of their right vertices each, such that no right vertex gets more than one of
/// them beyond what it has. Left vertices and the right vertices that have a share of them form a graph. A right vertex
/// with one edge takes the whole left vertex at its end. If there is none, edges lie on cycles, and shares are moved
/// around a cycle until one is used up.
class Rounding {
public:
    Rounding(CsrView<std::uint32_t> graph, std::span<std::uint64_t> share, std::uint32_t num_right,
             std::span<std::uint32_t> right_of)
        : graph_(graph), share_(share), right_of_(right_of), degree_(num_right, 0), edges_at_(num_right) {
        step_at_right_.assign(num_right, none);
        step_at_left_.assign(graph.size(), none);
        parts_.assign(graph.size(), {});
        first_edge_to_.assign(num_right, graph.values.size());
        for (std::uint32_t x = 0; x < graph.size(); ++x) add(x);
        for (std::uint32_t v = 0; v < num_right; ++v) {
            if (degree_[v] == 1) leaves_.push_back(v);
        }
    }

    void round() {
        give_to_leaves();
        for (std::uint32_t v = 0; v < degree_.size(); ++v) {
            while (degree_[v] > 0) {
                move_around_cycle(v);
                give_to_leaves();
            }
        }
    }

private:
    struct Edge {
        std::uint32_t left;
        std::uint64_t index;  // into share_
    };

    void add(std::uint32_t x) {
        merge_parallel_edges(x);
        auto& parts = parts_[x];
        parts.first = parts.second = graph_.offsets[x];
        for_each_part(x, [&](std::uint64_t e) {
            ++parts.count;
            right_of_[x] = graph_.values[e];
        });
        if (parts.count < 2) return;
        right_of_[x] = unmatched;
        for_each_part(x, [&](std::uint64_t e) {
            ++degree_[graph_.values[e]];
            edges_at_[graph_.values[e]].push_back({x, e});
        });
    }

    void merge_parallel_edges(std::uint32_t x) {
        for_each_part(x, [&](std::uint64_t e) {
            auto& first = first_edge_to_[graph_.values[e]];
            if (first >= graph_.offsets[x] && first < e) {
                share_[first] += std::exchange(share_[e], 0);
            } else {
                first = e;
            }
        });
    }

    template <class Visit>
    void for_each_part(std::uint32_t x, Visit visit) const {
        for (auto e = graph_.offsets[x]; e < graph_.offsets[x + 1]; ++e) {
            if (share_[e] > 0) visit(e);
        }
    }

    void give_to_leaves() {
        while (!leaves_.empty()) {
            auto const leaf = leaves_.back();
            leaves_.pop_back();
            if (degree_[leaf] == 1) give_whole(next_edge(leaf, none).left, leaf);
        }
    }

    /// Gives the whole of x to v; x is no longer divided.
    void give_whole(std::uint32_t x, std::uint32_t v) {
        right_of_[x] = v;
        for_each_part(x, [&](std::uint64_t e) { drop(e); });
    }

    void drop(std::uint64_t e) {
        auto const v = graph_.values[e];
        if (--degree_[v] == 1) leaves_.push_back(v);
    }

    /// An edge from v to a divided left vertex other than but_not. Precondition: there is one.
    Edge next_edge(std::uint32_t v, std::uint32_t but_not) {
        auto& edges = edges_at_[v];
        auto const forget_gone = [&] {
            while (right_of_[edges.back().left] != unmatched || share_[edges.back().index] == 0) edges.pop_back();
        };
        forget_gone();
        if (edges.back().left != but_not) return edges.back();
        auto const not_this = edges.back();
        edges.pop_back();
        forget_gone();
        auto const found = edges.back();
        edges.push_back(not_this);
        return found;
    }

    /// Walks from v, into a left vertex by one edge and out by another, until it meets a right vertex or a left vertex
    /// again, and moves shares from the edges in to the edges out. Precondition: right vertices have no edge or at
    /// least two.
    void move_around_cycle(std::uint32_t v) {
        walk_.clear();
        auto last = none;
        for (auto at = v; step_at_right_[at] == none; at = graph_.values[walk_.back().out]) {
            auto const in = next_edge(at, last);
            last = in.left;
            step_at_right_[at] = static_cast<std::uint32_t>(walk_.size());
            if (step_at_left_[last] != none) {
                walk_.push_back({at, in, walk_[step_at_left_[last]].out});
            } else {
                step_at_left_[last] = static_cast<std::uint32_t>(walk_.size());
                walk_.push_back({at, in, way_out(last, at)});
            }
        }
        auto const first = step_at_right_[graph_.values[walk_.back().out]];
        for (auto const& step : walk_) {
            step_at_right_[step.from] = none;
            step_at_left_[step.in.left] = none;
        }
        move_shares(std::span(walk_).subspan(first));
    }

    /// One of the first two parts of x. Precondition: there are two. Parts only vanish, so the search continues where
    /// the last one ended.
    std::uint64_t way_out(std::uint32_t x, std::uint32_t but_not) {
        auto& [count, first, second] = parts_[x];
        while (share_[first] == 0) ++first;
        if (graph_.values[first] != but_not) return first;
        second = std::max(second, first + 1);
        while (share_[second] == 0) ++second;
        return second;
    }

    struct Hop {
        std::uint32_t from;
        Edge in;
        std::uint64_t out;
    };

    void move_shares(std::span<Hop const> cycle) {
        auto units = share_[cycle.front().in.index];
        for (auto const& step : cycle) units = std::min(units, share_[step.in.index]);
        for (auto const& step : cycle) {
            share_[step.in.index] -= units;
            share_[step.out] += units;
        }
        for (auto const& step : cycle) {
            if (share_[step.in.index] > 0) continue;
            drop(step.in.index);
            if (--parts_[step.in.left].count == 1) give_whole(step.in.left, graph_.values[way_out(step.in.left, none)]);
        }
    }

    struct Parts {
        std::uint32_t count = 0;
        std::uint64_t first = 0;   // there is none before this edge
        std::uint64_t second = 0;  // there is none between the first and this edge
    };

    CsrView<std::uint32_t> graph_;
    std::span<std::uint64_t> share_;
    std::span<std::uint32_t> right_of_;
    std::vector<Parts> parts_;                  // by left vertex
    std::vector<std::uint64_t> first_edge_to_;  // by right vertex: from the left vertex that was added last
    std::vector<std::uint32_t> degree_;         // by right vertex: number of edges to divided left vertices
    std::vector<std::vector<Edge>> edges_at_;   // by right vertex; may include edges that no longer exist
    std::vector<std::uint32_t> leaves_;         // right vertices that had one edge when they were added
    std::vector<std::uint32_t> step_at_right_;
    std::vector<std::uint32_t> step_at_left_;
    std::vector<Hop> walk_;
};

/// Left vertices with a choice, the heaviest first.
std::vector<std::uint32_t> by_weight(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> weight) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t x = 0; x < graph.size(); ++x) {
        if (graph[x].size() > 1) order.push_back(x);
    }
    std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return weight[x] > weight[y]; });
    return order;
}

class Solver {
public:
    Solver(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> weight, std::uint32_t num_right)
        : graph_(graph), weight_(weight), load_(num_right, 0) {
        answer_.right_of.assign(graph.size(), unmatched);
    }

    WeightedBMatching solve() && {
        assign_greedily();
        answer_.b = most_loaded();
        auto bound = bound_below(graph_, weight_, num_right());
        answer_.hall_set = std::move(bound.hall_set);
        answer_.lower_bound = std::max(bound.lower_bound, heaviest());
        if (answer_.b > answer_.lower_bound) divide_and_round();
        std::sort(answer_.hall_set.begin(), answer_.hall_set.end());
        return std::move(answer_);
    }

private:
    std::uint32_t num_right() const { return static_cast<std::uint32_t>(load_.size()); }
    std::uint64_t most_loaded() const { return load_.empty() ? 0 : *std::max_element(load_.begin(), load_.end()); }

    std::uint64_t heaviest() const {
        std::uint64_t most = 0;
        for (std::size_t x = 0; x < graph_.size(); ++x) {
            if (!graph_[x].empty()) most = std::max(most, weight_[x]);
        }
        return most;
    }

    void assign_greedily() {
        for (std::uint32_t x = 0; x < graph_.size(); ++x) {
            if (graph_[x].empty()) answer_.isolated.push_back(x);
            if (graph_[x].size() == 1) give(x, graph_[x].front());
        }
        for (auto const x : by_weight(graph_, weight_)) {
            give(x, *std::min_element(graph_[x].begin(), graph_[x].end(),
                                      [&](auto v, auto w) { return load_[v] < load_[w]; }));
        }
    }

    void give(std::uint32_t x, std::uint32_t v) {
        answer_.right_of[x] = v;
        load_[v] += weight_[x];
    }

    void divide_and_round() {
        std::vector<std::uint64_t> share(graph_.values.size(), 0);
        for (std::size_t x = 0; x < graph_.size(); ++x) {
            if (graph_[x].empty()) continue;
            auto const at = std::find(graph_[x].begin(), graph_[x].end(), answer_.right_of[x]) - graph_[x].begin();
            share[graph_.offsets[x] + static_cast<std::size_t>(at)] = weight_[x];
        }
        answer_.lower_bound =
            ShareSolver().minimise(graph_, num_right(), answer_.lower_bound, share, answer_.hall_set).proven;
        auto rounded = answer_.right_of;
        Rounding(graph_, share, num_right(), rounded).round();
        std::fill(load_.begin(), load_.end(), 0U);
        for (std::size_t x = 0; x < graph_.size(); ++x) {
            // A left vertex of weight 0 had no share.
            if (rounded[x] == unmatched) rounded[x] = answer_.right_of[x];
            if (rounded[x] != unmatched) load_[rounded[x]] += weight_[x];
        }
        if (most_loaded() >= answer_.b) return;
        answer_.b = most_loaded();
        answer_.right_of = std::move(rounded);
    }

    CsrView<std::uint32_t> graph_;
    std::span<std::uint64_t const> weight_;
    std::vector<std::uint64_t> load_;
    WeightedBMatching answer_;
};

}  // namespace

WeightedBMatching min_b_matching(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> weight,
                                 std::uint32_t num_right) {
    expect_rows(graph, weight, num_right);
    REGRAFT_EXPECTS(graph.size() < none);
    return Solver(graph, weight, num_right).solve();
}

}  // namespace regraft::matching
