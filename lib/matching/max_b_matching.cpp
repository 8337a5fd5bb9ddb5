// Greedy, then blocking flows from an additional right vertex, which owns everything unmatched and may own nothing.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "matching/block_holdings.hpp"
#include "matching/relief.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/matching/b_matching.hpp"

namespace regraft::matching {
namespace {

class CapacitatedSolver {
public:
    CapacitatedSolver(CsrView<std::uint32_t> graph, std::span<std::uint32_t const> capacity)
        : graph_(graph),
          leftover_(static_cast<std::uint32_t>(capacity.size())),
          above_capacity_(capacity.size() + 1, 0),
          num_owned_(capacity.size() + 1, 0) {
        for (std::size_t v = 0; v < capacity.size(); ++v) above_capacity_[v] = -std::int64_t{capacity[v]};
        answer_.right_of.assign(graph.size(), unmatched);
    }

    MaxBMatching solve() && {
        assign_greedily();
        if (num_owned_[leftover_] > 0) improve();
        return count();
    }

private:
    void assign_greedily() {
        for (std::uint32_t x = 0; x < graph_.size(); ++x) {
            if (graph_[x].empty()) continue;
            auto const v = roomiest(graph_[x]);
            answer_.right_of[x] = v;
            ++num_owned_[v];
            ++above_capacity_[v];
        }
    }

    std::uint32_t roomiest(std::span<std::uint32_t const> row) const {
        auto best = leftover_;
        std::int64_t least = 0;
        for (auto const v : row) {
            REGRAFT_EXPECTS(v < leftover_);
            if (above_capacity_[v] >= least) continue;
            best = v;
            least = above_capacity_[v];
        }
        return best;
    }

    void improve() {
        BlockHoldings holdings;
        Relief<BlockHoldings, std::int64_t> relief;
        holdings.list(graph_, answer_.right_of, num_owned_);
        if (relief.relieve(holdings, above_capacity_, 0) == decltype(relief)::Outcome::relieved) return;
        for (auto const v : relief.closed_set()) {
            if (v != leftover_) answer_.hall_set.push_back(v);
        }
        std::sort(answer_.hall_set.begin(), answer_.hall_set.end());
    }

    MaxBMatching count() {
        for (auto& right : answer_.right_of) {
            if (right == leftover_) right = unmatched;
            if (right != unmatched) ++answer_.num_matched;
        }
        return std::move(answer_);
    }

    CsrView<std::uint32_t> graph_;
    std::uint32_t leftover_;  // the additional right vertex
    std::vector<std::int64_t> above_capacity_;
    std::vector<std::uint32_t> num_owned_;
    MaxBMatching answer_;
};

}  // namespace

MaxBMatching max_b_matching(CsrView<std::uint32_t> graph, std::span<std::uint32_t const> capacity) {
    REGRAFT_EXPECTS(graph.size() < unmatched && capacity.size() < unmatched);
    return CapacitatedSolver(graph, capacity).solve();
}

}  // namespace regraft::matching
