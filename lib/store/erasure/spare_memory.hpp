// Memory of pieces, and what submits leave of it to each other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "store/blocks/memory.hpp"

namespace regraft::store {

using SharedMemory = std::shared_ptr<Memory>;

/// Memory that submits leave to each other: memory that was used before is faster than new memory.
class SpareMemory {
public:
    /// Makes memory for pieces.
    using Make = std::function<Memory(std::uint64_t size)>;
    /// Pieces are in private memory.
    SpareMemory() = default;
    /// Pieces are in files.
    explicit SpareMemory(Make make_file) : make_file_(std::move(make_file)) {}

    /// Spare private memory of this size, or new memory. Throws std::bad_alloc.
    SharedMemory take(std::uint64_t size);
    /// The same for pieces, which may be in files.
    SharedMemory take_for_piece(std::uint64_t size);
    /// Keeps memory that nobody else has.
    void put(SharedMemory memory);
    /// Frees what was not used since the last time.
    void drop_unused();
    void clear();
    std::uint64_t bytes() const;

private:
    SharedMemory find(std::uint64_t size, bool is_file);

    Make make_file_;
    std::vector<SharedMemory> old_, fresh_;  // put before and after the last drop_unused
};

}  // namespace regraft::store
