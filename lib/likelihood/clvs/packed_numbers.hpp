// Numbers that take as few bytes as the largest of them needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace regraft::likelihood {

class PackedNumbers {
public:
    /// The number of bytes that each number takes if there are `bound` different ones from 0 on.
    static constexpr std::size_t width(std::size_t bound) {
        if (bound <= std::size_t{1} << 8) return 1;
        return bound <= std::size_t{1} << 16 ? 2 : 4;
    }

    PackedNumbers() = default;
    /// Packs numbers below bound, and fills them up to this size with a number of that kind.
    PackedNumbers(std::span<std::uint32_t const> numbers, std::size_t size, std::uint32_t fill, std::size_t bound)
        : width_(width(bound)), bytes_(size * width_) {
        with_type([&]<class Number>(Number) {
            auto* const out = reinterpret_cast<Number*>(bytes_.data());
            for (std::size_t i = 0; i < size; ++i) {
                out[i] = static_cast<Number>(i < numbers.size() ? numbers[i] : fill);
            }
        });
    }

    std::size_t size() const { return bytes_.size() / width_; }
    bool empty() const { return bytes_.empty(); }
    /// Writes all numbers to out, which has their size.
    void unpack(std::span<std::uint32_t> out) const {
        with_type([&]<class Number>(Number) {
            std::copy_n(reinterpret_cast<Number const*>(bytes_.data()), out.size(), out.begin());
        });
    }

private:
    template <class Function>
    void with_type(Function f) const {
        if (width_ == 1) return f(std::uint8_t{});
        if (width_ == 2) return f(std::uint16_t{});
        return f(std::uint32_t{});
    }

    std::size_t width_ = 1;
    std::vector<std::byte> bytes_;  // aligned for all types, as all memory of operator new is
};

}  // namespace regraft::likelihood
