// Rows that are not at a tip yet, numbered anew after each one that is.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace regraft::codec {

/// The remaining rows, in order: a bit each, and a binary indexed tree over words of them, which fits into a cache.
class RowsLeft {
public:
    explicit RowsLeft(std::uint32_t num_rows) : words_(num_rows / bits + 1), sums_(words_.size() + 1), size_(num_rows) {
        std::fill_n(words_.begin(), num_rows / bits, ~std::uint64_t{0});
        words_.back() = below(num_rows % bits);
        for (std::uint32_t i = 1; i < sums_.size(); ++i) {
            sums_[i] += count(words_[i - 1]);
            auto const above = i + lowest_bit(i);
            if (above < sums_.size()) sums_[above] += sums_[i];
        }
    }
    std::uint32_t size() const { return size_; }
    /// The number of remaining rows before a row.
    std::uint32_t rank(std::uint32_t row) const {
        auto sum = count(words_[row / bits] & below(row % bits));
        for (auto i = row / bits; i > 0; i &= i - 1) sum += sums_[i];
        return sum;
    }
    /// The row with a rank. Precondition: rank < size().
    std::uint32_t at(std::uint32_t rank) const {
        std::uint32_t word = 0;
        for (auto step = std::bit_floor(static_cast<std::uint32_t>(sums_.size() - 1)); step > 0; step /= 2) {
            if (word + step >= sums_.size() || sums_[word + step] > rank) continue;
            word += step;
            rank -= sums_[word];
        }
        std::uint32_t bit = 0;
        for (auto step = bits / 2; step > 0; step /= 2) {
            auto const before = count(words_[word] >> bit & below(step));
            if (before > rank) continue;
            bit += step;
            rank -= before;
        }
        return word * bits + bit;
    }
    void remove(std::uint32_t row) {
        words_[row / bits] &= ~(std::uint64_t{1} << row % bits);
        for (auto i = row / bits + 1; i < sums_.size(); i += lowest_bit(i)) --sums_[i];
        --size_;
    }

private:
    static constexpr std::uint32_t bits = 64;  // of a word
    static std::uint32_t count(std::uint64_t word) { return static_cast<std::uint32_t>(std::popcount(word)); }
    static std::uint64_t below(std::uint32_t bit) { return (std::uint64_t{1} << bit) - 1; }
    static std::uint32_t lowest_bit(std::uint32_t i) { return i & (~i + 1); }

    std::vector<std::uint64_t> words_;
    std::vector<std::uint32_t> sums_;
    std::uint32_t size_;
};

}  // namespace regraft::codec
