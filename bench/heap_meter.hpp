// Measures what a benchmark program allocates by new: where this is linked in, every new and delete is counted.
#pragma once

#include <cstddef>

namespace regraft::bench {

struct Heap {
    std::size_t live = 0;         // bytes in use
    std::size_t peak = 0;         // the most since forget_peak()
    std::size_t allocations = 0;  // calls of new
};

Heap heap();
void forget_peak();

/// The most bytes in use during body beyond those in use before. Called from one thread at a time.
template <class Body>
std::size_t peak_during(Body body) {
    forget_peak();
    auto const before = heap().live;
    body();
    return heap().peak - before;
}

}  // namespace regraft::bench
