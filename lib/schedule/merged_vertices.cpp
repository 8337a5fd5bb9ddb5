// Large vertices are filled up with small ones, as long as they fit. The smallest one left over does not fit, so that
// any two merged vertices but the last exceed the limit together.
#include "schedule/merged_vertices.hpp"

#include <algorithm>
#include <cstddef>

namespace regraft::schedule {

MergedVertices merge_vertices(std::span<std::uint32_t const> degrees, std::uint32_t limit) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t v = 0; v < degrees.size(); ++v) {
        if (degrees[v] > 0) order.push_back(v);
    }
    std::stable_sort(order.begin(), order.end(), [&](auto v, auto w) { return degrees[v] > degrees[w]; });
    MergedVertices merged{0, std::vector<std::uint32_t>(degrees.size()), std::vector<std::uint32_t>(degrees.size())};
    std::size_t last = order.size();
    for (std::size_t i = 0; i < last; ++i, ++merged.count) {
        std::uint32_t filled = 0;
        auto const add = [&](std::uint32_t v) {
            merged.of[v] = merged.count;
            merged.before[v] = filled;
            filled += degrees[v];
        };
        add(order[i]);
        while (i + 1 < last && filled + std::uint64_t{degrees[order[last - 1]]} <= limit) add(order[--last]);
    }
    return merged;
}

}  // namespace regraft::schedule
