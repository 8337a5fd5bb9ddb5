// Augmenting paths one by one (Ford, Fulkerson 1956; for b-matchings: Huebner 2020, Algorithm 11).
#include "regraft/matching/ford_fulkerson.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "regraft/core/contracts.hpp"

namespace regraft::matching {
namespace {

constexpr auto none = unmatched;

std::span<std::uint32_t const> all_edges(CsrView<std::uint32_t> graph) {
    if (graph.size() == 0) return {};
    return graph.values.subspan(graph.offsets.front(), graph.offsets.back() - graph.offsets.front());
}

/// The left neighbours of every right vertex: the transposed graph.
Csr<std::uint32_t> transposed(CsrView<std::uint32_t> graph, std::uint32_t num_right) {
    Csr<std::uint32_t> result;
    // Offsets are shifted by two, so that filling the rows moves each to its final place.
    result.offsets.assign(std::size_t{num_right} + 2, 0);
    for (auto const v : all_edges(graph)) {
        REGRAFT_EXPECTS(v < num_right);
        ++result.offsets[v + std::size_t{2}];
    }
    std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
    result.values.resize(result.offsets.back());
    for (std::uint32_t x = 0; x < graph.size(); ++x) {
        for (auto const v : graph[x]) result.values[result.offsets[v + std::size_t{1}]++] = x;
    }
    result.offsets.pop_back();
    return result;
}

class FordFulkerson {
public:
    FordFulkerson(CsrView<std::uint32_t> graph, std::uint32_t num_right)
        : graph_(graph), transposed_(transposed(graph, num_right)), right_(num_right) {
        answer_.right_of.assign(graph.size(), unmatched);
        queue_.reserve(num_right);
    }

    BMatching solve() && {
        start_from_lower_bound();
        for (std::uint32_t x = 0; x < graph_.size(); ++x) {
            if (graph_[x].empty()) {
                answer_.isolated.push_back(x);
                continue;
            }
            auto end = find_room(x);
            if (end == none) {
                raise_b();
                end = find_room(x);  // ends at once, because its neighbours have room now
            }
            augment(x, end);
        }
        if (answer_.b > answer_.lower_bound) std::sort(answer_.hall_set.begin(), answer_.hall_set.end());
        return std::move(answer_);
    }

private:
    struct Right {
        std::uint32_t load = 0;
        /// The last search that visited this vertex, and the left vertex from which it came.
        std::uint32_t visited_by = 0;
        std::uint32_t from = none;
    };

    void start_from_lower_bound() {
        std::uint64_t num_left = 0;
        for (std::size_t x = 0; x < graph_.size(); ++x) num_left += graph_[x].empty() ? 0 : 1;
        if (num_left == 0) return;
        answer_.hall_set.reserve(right_.size());
        for (std::uint32_t v = 0; v < right_.size(); ++v) {
            if (!std::as_const(transposed_)[v].empty()) answer_.hall_set.push_back(v);
        }
        auto const num_right = answer_.hall_set.size();
        answer_.lower_bound = static_cast<std::uint32_t>((num_left + num_right - 1) / num_right);
        answer_.b = answer_.lower_bound;
    }

    /// The nearest right vertex with room for one more, over edges to the right and matched edges to the left; `none`
    /// if there is none. The queue then holds all visited vertices.
    std::uint32_t find_room(std::uint32_t source) {
        next_search();
        if (auto const end = visit_neighbours(source); end != none) return end;
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            auto const v = queue_[i];
            for (auto const x : std::as_const(transposed_)[v]) {
                if (answer_.right_of[x] != v) continue;
                if (auto const end = visit_neighbours(x); end != none) return end;
            }
        }
        return none;
    }

    void next_search() {
        queue_.clear();
        if (++search_ != 0) return;
        for (auto& right : right_) right.visited_by = 0;  // after 2^32 searches
        search_ = 1;
    }

    std::uint32_t visit_neighbours(std::uint32_t x) {
        for (auto const v : graph_[x]) {
            auto& right = right_[v];
            if (right.visited_by == search_) continue;
            right.visited_by = search_;
            right.from = x;
            if (right.load < answer_.b) return v;
            queue_.push_back(v);
        }
        return none;
    }

    /// Raises b. The visited vertices are all full, and their left vertices have no other neighbours; nor has the
    /// source, which is one too many.
    void raise_b() {
        answer_.hall_set = queue_;
        ++answer_.b;
    }

    /// Moves every left vertex on the path from source to end by one right vertex.
    void augment(std::uint32_t source, std::uint32_t end) {
        ++right_[end].load;
        auto v = end;
        auto x = right_[v].from;
        for (; x != source; x = right_[v].from) v = std::exchange(answer_.right_of[x], v);
        answer_.right_of[source] = v;
    }

    CsrView<std::uint32_t> graph_;
    Csr<std::uint32_t> transposed_;
    std::vector<Right> right_;
    BMatching answer_;
    std::vector<std::uint32_t> queue_;
    std::uint32_t search_ = 0;
};

}  // namespace

BMatching ford_fulkerson_b_matching(CsrView<std::uint32_t> graph, std::uint32_t num_right) {
    REGRAFT_EXPECTS(graph.size() < unmatched);
    return FordFulkerson(graph, num_right).solve();
}

}  // namespace regraft::matching
