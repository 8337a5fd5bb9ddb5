// Ranges as a set of ids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// Unites as united() does, where ranges ascend by their first id. O(n).
template <StrongId Id>
std::vector<IdRange<Id>> united_in_order(std::vector<IdRange<Id>> ranges) {
    std::size_t count = 0;
    for (auto const& range : ranges) {
        if (range.empty()) continue;
        if (count > 0 && range.first <= ranges[count - 1].last) {
            ranges[count - 1].last = std::max(ranges[count - 1].last, range.last);
        } else {
            ranges[count++] = range;
        }
    }
    ranges.resize(count);
    return ranges;
}

/// Ranges that cover the same ids: ascending, none empty, none touching another. O(n log n).
template <StrongId Id>
std::vector<IdRange<Id>> united(std::vector<IdRange<Id>> ranges) {
    std::sort(ranges.begin(), ranges.end());
    return united_in_order(std::move(ranges));
}

}  // namespace regraft
#pragma GCC visibility pop
