// Least-loaded greedy, then blocking flows from overloaded to underloaded right vertices (Dinic 1970 on the graph in
// which one right vertex can hand a left vertex over to another), with b raised by certificates where a flow cannot get
// through.
#include "regraft/matching/b_matching.hpp"

#include <algorithm>
#include <cstddef>

#include "regraft/core/contracts.hpp"

namespace regraft::matching {
namespace {

constexpr auto none = std::numeric_limits<std::uint32_t>::max();

std::uint32_t ceil_div(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint32_t>((a + b - 1) / b);
}

/// The distance of right vertices from the overloaded ones, in hand-overs, up to the nearest vertices with room.
struct Layers {
    std::vector<std::uint32_t> level;    // none: not reached
    std::vector<std::uint32_t> reached;  // in order of level
    std::uint32_t last = none;           // the level of the nearest vertices with room; none: there are none
};

class Solver {
public:
    Solver(CsrView<std::uint32_t> graph, std::uint32_t num_right) : graph_(graph), load_(num_right, 0) {
        answer_.right_of.assign(graph.size(), unmatched);
    }

    BMatching solve() && {
        assign_greedily();
        start_from_lower_bound();
        while (std::any_of(load_.begin(), load_.end(), [&](auto load) { return load > answer_.b; })) {
            auto const owned = owned_by_right();
            auto const layers = find_layers(owned);
            if (layers.last == none) {
                raise_b(layers.reached);
            } else {
                relieve(owned, layers);
            }
        }
        return std::move(answer_);
    }

private:
    /// Left vertices without a choice come first, so that the others can avoid where these went.
    void assign_greedily() {
        for (std::uint32_t x = 0; x < graph_.size(); ++x) {
            if (graph_[x].empty()) answer_.isolated.push_back(x);
            if (graph_[x].size() == 1) give(x, graph_[x][0]);
        }
        for (std::uint32_t x = 0; x < graph_.size(); ++x) {
            if (graph_[x].size() > 1) give(x, least_loaded(graph_[x]));
        }
    }

    void give(std::uint32_t x, std::uint32_t v) {
        REGRAFT_EXPECTS(v < load_.size());
        answer_.right_of[x] = v;
        ++load_[v];
    }

    std::uint32_t least_loaded(std::span<std::uint32_t const> candidates) const {
        auto best = candidates.front();
        for (auto const v : candidates) {
            REGRAFT_EXPECTS(v < load_.size());
            if (load_[v] < load_[best]) best = v;
        }
        return best;
    }

    void start_from_lower_bound() {
        std::vector<char> has_neighbour(load_.size(), 0);
        for (std::size_t x = 0; x < graph_.size(); ++x) {
            for (auto const v : graph_[x]) has_neighbour[v] = 1;
        }
        for (std::uint32_t v = 0; v < load_.size(); ++v) {
            if (has_neighbour[v] != 0) answer_.hall_set.push_back(v);
        }
        if (answer_.hall_set.empty()) return;
        answer_.lower_bound = ceil_div(graph_.size() - answer_.isolated.size(), answer_.hall_set.size());
        answer_.b = answer_.lower_bound;
    }

    Csr<std::uint32_t> owned_by_right() const {
        Csr<std::uint32_t> owned;
        owned.offsets.assign(load_.size() + 1, 0);
        for (std::size_t v = 0; v < load_.size(); ++v) owned.offsets[v + 1] = owned.offsets[v] + load_[v];
        owned.values.resize(owned.offsets.back());
        std::vector<std::uint64_t> next(owned.offsets.begin(), owned.offsets.end() - 1);
        for (std::uint32_t x = 0; x < graph_.size(); ++x) {
            if (answer_.right_of[x] != unmatched) owned.values[next[answer_.right_of[x]]++] = x;
        }
        return owned;
    }

    Layers find_layers(CsrView<std::uint32_t> owned) const {
        Layers layers{.level = std::vector<std::uint32_t>(load_.size(), none), .reached = {}};
        for (std::uint32_t v = 0; v < load_.size(); ++v) {
            if (load_[v] <= answer_.b) continue;
            layers.level[v] = 0;
            layers.reached.push_back(v);
        }
        for (std::size_t i = 0; i < layers.reached.size(); ++i) {
            auto const v = layers.reached[i];
            if (layers.level[v] == layers.last) break;
            for (auto const x : owned[v]) {
                for (auto const w : graph_[x]) {
                    if (layers.level[w] != none) continue;
                    layers.level[w] = layers.level[v] + 1;
                    layers.reached.push_back(w);
                    if (load_[w] < answer_.b) layers.last = layers.level[w];
                }
            }
        }
        return layers;
    }

    /// Nothing leads out of the reached set, which is overloaded as a whole: whatever it owns has all its neighbours in
    /// it.
    void raise_b(std::span<std::uint32_t const> reached) {
        std::uint64_t owned = 0;
        for (auto const v : reached) owned += load_[v];
        answer_.b = ceil_div(owned, reached.size());
        answer_.hall_set.assign(reached.begin(), reached.end());
        std::sort(answer_.hall_set.begin(), answer_.hall_set.end());
    }

    /// How far a right vertex has tried its ways out in this blocking flow.
    struct Cursor {
        std::uint64_t item = 0;  // into owned.values
        std::size_t edge = 0;    // into the row of that left vertex
    };

    /// A blocking flow: afterwards no overloaded vertex reaches one with room within the layers.
    void relieve(CsrView<std::uint32_t> owned, Layers const& layers) {
        cursor_.resize(load_.size());
        for (std::size_t v = 0; v < load_.size(); ++v) cursor_[v] = {owned.offsets[v], 0};
        for (auto const v : layers.reached) {
            if (layers.level[v] != 0) break;
            while (load_[v] > answer_.b && relieve_by_one(v, owned, layers)) {
            }
        }
    }

    /// Finds a path from source to a vertex with room, layer by layer, and hands one left vertex over along each of its
    /// steps. False if there is no path left. Not recursive: a path may have as many vertices as there are PEs.
    bool relieve_by_one(std::uint32_t source, CsrView<std::uint32_t> owned, Layers const& layers) {
        path_.assign(1, source);
        while (!path_.empty()) {
            auto const v = path_.back();
            if (load_[v] < answer_.b) {
                hand_over(owned);
                return true;
            }
            auto const w = next_step(v, owned, layers);
            if (w != none) {
                path_.push_back(w);
                continue;
            }
            path_.pop_back();
            if (!path_.empty()) ++cursor_[path_.back()].edge;
        }
        return false;
    }

    std::uint32_t next_step(std::uint32_t v, CsrView<std::uint32_t> owned, Layers const& layers) {
        auto& at = cursor_[v];
        for (; at.item < owned.offsets[v + 1]; at = {at.item + 1, 0}) {
            auto const neighbours = graph_[owned.values[at.item]];
            for (; at.edge < neighbours.size(); ++at.edge) {
                auto const w = neighbours[at.edge];
                if (layers.level[w] != layers.level[v] + 1) continue;
                if (layers.level[w] < layers.last || load_[w] < answer_.b) return w;
            }
        }
        return none;
    }

    void hand_over(CsrView<std::uint32_t> owned) {
        for (std::size_t i = 0; i + 1 < path_.size(); ++i) {
            auto& at = cursor_[path_[i]];
            answer_.right_of[owned.values[at.item]] = path_[i + 1];
            at = {at.item + 1, 0};
        }
        --load_[path_.front()];
        ++load_[path_.back()];
    }

    CsrView<std::uint32_t> graph_;
    std::vector<std::uint32_t> load_;
    BMatching answer_;
    std::vector<Cursor> cursor_;
    std::vector<std::uint32_t> path_;
};

}  // namespace

BMatching min_b_matching(CsrView<std::uint32_t> graph, std::uint32_t num_right) {
    REGRAFT_EXPECTS(graph.size() < unmatched);
    return Solver(graph, num_right).solve();
}

bool is_b_matching(CsrView<std::uint32_t> graph, std::uint32_t num_right, BMatching const& m) {
    if (m.right_of.size() != graph.size()) return false;
    std::vector<std::uint32_t> isolated;
    std::vector<std::uint32_t> load(num_right, 0);
    for (std::uint32_t x = 0; x < graph.size(); ++x) {
        auto const row = graph[x];
        auto const v = m.right_of[x];
        if (row.empty()) {
            isolated.push_back(x);
            if (v != unmatched) return false;
        } else {
            if (v >= num_right || std::find(row.begin(), row.end(), v) == row.end()) return false;
            ++load[v];
        }
    }
    auto const busiest = std::max_element(load.begin(), load.end());
    return m.isolated == isolated && m.b == (busiest == load.end() ? 0 : *busiest);
}

bool proves_lower_bound(CsrView<std::uint32_t> graph, std::uint32_t num_right, std::span<std::uint32_t const> hall_set,
                        std::uint32_t b) {
    std::vector<char> in_set(num_right, 0);
    for (auto const v : hall_set) {
        if (v >= num_right || in_set[v] != 0) return false;
        in_set[v] = 1;
    }
    if (b == 0) return true;
    std::uint64_t confined = 0;
    for (std::size_t x = 0; x < graph.size(); ++x) {
        auto const row = graph[x];
        if (row.empty()) continue;
        if (std::all_of(row.begin(), row.end(), [&](auto v) { return v < num_right && in_set[v] != 0; })) ++confined;
    }
    return confined > std::uint64_t{b - 1} * hall_set.size();
}

}  // namespace regraft::matching
