#include "matching/share_holdings.hpp"

namespace regraft::matching {

void ShareHoldings::list(CsrView<std::uint32_t> graph, std::span<std::uint64_t> share, std::uint32_t num_right) {
    graph_ = graph;
    share_ = share;
    cursor_.resize(num_right);
    scan_.assign(graph.size(), {});
    way_.clear();
    phase_ = 0;
    segment_.assign(std::size_t{num_right} + 1, 0);
    for (auto const v : graph.values) ++segment_[v + 1];
    for (std::size_t v = 0; v < num_right; ++v) segment_[v + 1] += segment_[v];
    edge_.resize(graph.values.size());
    row_.resize(graph.values.size());
    for (std::uint32_t x = 0; x < graph.size(); ++x) {
        for (auto e = graph.offsets[x]; e < graph.offsets[x + 1]; ++e) {
            row_[e] = x;
            edge_[segment_[graph.values[e]]++] = static_cast<std::uint32_t>(e);
        }
    }
    // Filling has moved every begin to its end.
    for (std::size_t v = num_right; v > 0; --v) segment_[v] = segment_[v - 1];
    segment_[0] = 0;
}

}  // namespace regraft::matching
