// Replaces the global new and delete by ones that count.
#include "heap_meter.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

std::atomic<std::size_t> live{0};
std::atomic<std::size_t> peak{0};
std::atomic<std::size_t> allocations{0};

void* take(std::size_t size) {
    void* const memory = std::malloc(std::max<std::size_t>(size, 1));
    if (memory == nullptr) throw std::bad_alloc();
    auto const bytes = malloc_usable_size(memory);
    auto const now = live.fetch_add(bytes) + bytes;
    for (auto most = peak.load(); most < now && !peak.compare_exchange_weak(most, now);) {
    }
    ++allocations;
    return memory;
}

void give_back(void* memory) {
    if (memory != nullptr) live -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

namespace regraft::bench {

Heap heap() {
    return {live, peak, allocations};
}

void forget_peak() {
    peak = live.load();
}

}  // namespace regraft::bench

void* operator new(std::size_t size) {
    return take(size);
}
void* operator new[](std::size_t size) {
    return take(size);
}
void operator delete(void* memory) noexcept {
    give_back(memory);
}
void operator delete[](void* memory) noexcept {
    give_back(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    give_back(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
    give_back(memory);
}
