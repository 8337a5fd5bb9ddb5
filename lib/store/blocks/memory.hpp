// Memory for blocks: large, not zeroed twice, in huge pages where the system has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace regraft::store {

class Memory {
public:
    Memory() = default;
    /// Throws std::bad_alloc.
    explicit Memory(std::uint64_t size);
    Memory(Memory&& other) noexcept;
    Memory& operator=(Memory&& other) noexcept;
    ~Memory();

    std::span<std::byte> bytes() { return {data_, size_}; }
    std::span<std::byte const> bytes() const { return {data_, size_}; }
    /// Gives the pages that lie within the part back to the system; their contents are lost.
    static void give_back(std::span<std::byte> part);

private:
    std::byte* data_ = nullptr;
    std::uint64_t size_ = 0;
};

}  // namespace regraft::store
