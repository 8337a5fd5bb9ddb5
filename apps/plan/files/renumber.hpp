// Ranks as consecutive numbers: memory follows the ranks that occur, not the largest one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace regraft::plan {

/// Replaces every number by its place among the different ones, which are returned in ascending order. O(n) time if the
/// largest number is O(n), else O(n log n); O(n) memory.
std::vector<std::uint32_t> renumber(std::span<std::uint32_t> numbers);

}  // namespace regraft::plan
