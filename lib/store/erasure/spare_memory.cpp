#include "store/erasure/spare_memory.hpp"

#include <algorithm>

namespace regraft::store {

SharedMemory SpareMemory::find(std::uint64_t size, bool is_file) {
    for (auto* const memories : {&old_, &fresh_}) {
        auto const found = std::ranges::find_if(*memories, [&](auto const& memory) {
            return memory->bytes().size() == size && (memory->segment() != nullptr) == is_file;
        });
        if (found == memories->end()) continue;
        auto memory = std::move(*found);
        memories->erase(found);
        return memory;
    }
    return nullptr;
}

SharedMemory SpareMemory::take(std::uint64_t size) {
    auto memory = find(size, false);
    return memory ? memory : std::make_shared<Memory>(size);
}

SharedMemory SpareMemory::take_for_piece(std::uint64_t size) {
    if (!make_file_) return take(size);
    if (size == 0) return std::make_shared<Memory>();
    auto memory = find(size, true);
    if (memory) memory->segment()->mark(0);
    return memory ? memory : std::make_shared<Memory>(make_file_(size));
}

void SpareMemory::put(SharedMemory memory) {
    if (memory.use_count() == 1) fresh_.push_back(std::move(memory));
}

void SpareMemory::drop_unused() {
    old_ = std::exchange(fresh_, {});
}

void SpareMemory::clear() {
    old_.clear();
    fresh_.clear();
}

std::uint64_t SpareMemory::bytes() const {
    std::uint64_t sum = 0;
    for (auto const* const memories : {&old_, &fresh_}) {
        for (auto const& memory : *memories) sum += memory->bytes().size();
    }
    return sum;
}

}  // namespace regraft::store
