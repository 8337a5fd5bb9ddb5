// Numbers of a few bits each, one behind the other in words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// Numbers of any widths. The reader has to know where each begins and how wide it is.
class PackedNumbers {
public:
    /// The number of bits so far; the next number begins there.
    std::uint64_t bits() const { return bits_; }
    /// Precondition: number < 2^width, width <= 64.
    void append(std::uint64_t number, std::uint32_t width) {
        if (width == 0) return;
        auto const shift = bits_ % 64;
        if (shift == 0) {
            words_.push_back(number);
        } else {
            words_.back() |= number << shift;
            if (shift + width > 64) words_.push_back(number >> (64 - shift));
        }
        bits_ += width;
    }
    /// Frees memory that was set aside for further numbers.
    void shrink_to_fit() { words_.shrink_to_fit(); }
    /// The bits, from the least significant one of each word on.
    std::vector<std::uint64_t> const& words() const { return words_; }

    /// Reads the number of `width` bits that begins at `bit`. Precondition: it was appended.
    static std::uint64_t read(std::span<std::uint64_t const> words, std::uint64_t bit, std::uint32_t width) {
        if (width == 0) return 0;
        auto const shift = bit % 64;
        auto number = words[bit / 64] >> shift;
        if (shift + width > 64) number |= words[bit / 64 + 1] << (64 - shift);
        return width == 64 ? number : number & ((std::uint64_t{1} << width) - 1);
    }
    friend bool operator==(PackedNumbers const&, PackedNumbers const&) = default;

private:
    std::vector<std::uint64_t> words_;
    std::uint64_t bits_ = 0;
};

}  // namespace regraft
#pragma GCC visibility pop
