// Memory that is handed out piece by piece, and freed all at once.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "likelihood/kernels/aligned.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {

class SideMemory {
public:
    explicit SideMemory(std::size_t bytes) : memory_(make_aligned<std::byte>(bytes)), size_(bytes) {}

    /// The bytes that take<T>(count) uses.
    template <class T>
    static constexpr std::size_t bytes(std::size_t count) {
        constexpr auto alignment = static_cast<std::size_t>(AlignedDelete<T>::alignment);
        return (count * sizeof(T) + alignment - 1) / alignment * alignment;
    }

    std::size_t used() const { return used_; }
    std::size_t room() const { return size_ - used_; }
    /// Memory that is not initialised. Precondition: there is room.
    template <class T>
    std::span<T> take(std::size_t count) {
        REGRAFT_EXPECTS(bytes<T>(count) <= room());
        auto* const begin = reinterpret_cast<T*>(memory_.get() + std::exchange(used_, used_ + bytes<T>(count)));
        return {begin, count};
    }
    /// Frees what was taken since used() had this value.
    void give_back(std::size_t used = 0) { used_ = used; }

private:
    Aligned<std::byte> memory_;
    std::size_t size_;
    std::size_t used_ = 0;
};

}  // namespace regraft::likelihood
