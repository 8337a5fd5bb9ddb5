// Ranges as a set of ids.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// Ranges that cover the same ids: ascending, none empty, none touching another. O(n log n).
template <StrongId Id>
std::vector<IdRange<Id>> united(std::vector<IdRange<Id>> ranges) {
    std::sort(ranges.begin(), ranges.end());
    std::vector<IdRange<Id>> result;
    for (auto const& range : ranges) {
        if (range.empty()) continue;
        if (!result.empty() && range.first <= result.back().last) {
            result.back().last = std::max(result.back().last, range.last);
        } else {
            result.push_back(range);
        }
    }
    return result;
}

}  // namespace regraft
#pragma GCC visibility pop
