#include "matching/block_holdings.hpp"

#include <utility>

namespace regraft::matching {

void BlockHoldings::list(CsrView<std::uint32_t> graph, std::span<std::uint32_t> right_of,
                         std::span<std::uint32_t const> num_owned) {
    graph_ = graph;
    right_of_ = right_of;
    later_.clear();
    incident_.offsets.clear();
    first_later_.assign(num_owned.size(), none);
    cursor_.resize(num_owned.size());
    // Segments end where the next one begins, and are filled from the back.
    segment_.resize(num_owned.size() + 1);
    std::uint32_t end = 0;
    for (std::size_t v = 0; v < num_owned.size(); ++v) segment_[v] = end += num_owned[v];
    segment_.back() = end;
    block_.resize(end);
    for (auto x = static_cast<std::uint32_t>(right_of.size()); x-- > 0;) {
        if (right_of[x] != none) block_[--segment_[right_of[x]]] = x;
    }
}

bool BlockHoldings::begin_distances() {
    if (limited_) return false;
    if (!incident_.offsets.empty()) return true;
    if (graph_.values.size() >= none) return false;
    auto const num_right = first_later_.size();
    incident_.offsets.assign(num_right + 1, 0);
    for (auto const v : graph_.values) ++incident_.offsets[v];
    std::uint32_t end = 0;
    for (auto& offset : incident_.offsets) offset = end += offset;
    incident_.blocks.resize(graph_.values.size());
    for (auto x = static_cast<std::uint32_t>(graph_.size()); x-- > 0;) {
        for (auto const v : graph_[x]) incident_.blocks[--incident_.offsets[v]] = x;
    }
    return true;
}

void BlockHoldings::hand_over(std::span<std::uint32_t const> path, std::uint64_t /*one*/) {
    auto arriving = none;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        auto& block = block_at(cursor_[path[i]]);
        std::swap(block, arriving);
        right_of_[arriving] = path[i + 1];
        next_slot(path[i]);
    }
    later_.push_back({arriving, first_later_[path.back()]});
    first_later_[path.back()] = static_cast<std::uint32_t>(later_.size() - 1);
}

}  // namespace regraft::matching
