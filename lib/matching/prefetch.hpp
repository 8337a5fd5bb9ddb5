// Fetches rows of a graph into the cache before they are looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "matching/holdings.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::matching {

/// Prefetches for block[i]. Blocks in another order than the graph's lie anywhere in it.
inline void prefetch_row(CsrView<std::uint32_t> graph, std::span<std::uint32_t const> block, std::size_t i) {
    constexpr std::size_t near = 8;
    constexpr std::size_t far = 16;
    if (i + far >= block.size()) return;
    if (block[i + far] != none) __builtin_prefetch(&graph.offsets[block[i + far]]);
    if (block[i + near] != none) __builtin_prefetch(graph.values.data() + graph.offsets[block[i + near]]);
}

}  // namespace regraft::matching
