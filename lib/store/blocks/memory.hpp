// Memory for blocks: large, not zeroed twice, in huge pages where the system has them; or a file in the memory of the
// node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "store/kept/segment.hpp"

namespace regraft::store {

class Memory {
public:
    Memory() = default;
    /// Throws std::bad_alloc.
    explicit Memory(std::uint64_t size);
    explicit Memory(std::unique_ptr<Segment> segment);
    Memory(Memory&& other) noexcept;
    Memory& operator=(Memory&& other) noexcept;
    ~Memory();

    std::span<std::byte> bytes() { return {data_, size_}; }
    std::span<std::byte const> bytes() const { return {data_, size_}; }
    /// The file that it is; nothing if it is private.
    Segment* segment() const { return segment_.get(); }
    /// Gives the pages that lie within the part back to the system; their contents are lost. Those
    /// of files stay as they are.
    static void give_back(std::span<std::byte> part);

private:
    std::byte* data_ = nullptr;
    std::uint64_t size_ = 0;
    std::unique_ptr<Segment> segment_;
};

}  // namespace regraft::store
