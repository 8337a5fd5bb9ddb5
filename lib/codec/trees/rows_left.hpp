// Rows that are not at a tip yet, numbered anew after each one that is.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace regraft::codec {

/// The remaining rows, in order (a binary indexed tree).
class RowsLeft {
public:
    explicit RowsLeft(std::uint32_t num_rows) : sums_(num_rows + 1), size_(num_rows) {
        for (std::uint32_t i = 1; i <= num_rows; ++i) sums_[i] = i & (~i + 1);
    }
    std::uint32_t size() const { return size_; }
    /// The number of remaining rows before a row.
    std::uint32_t rank(std::uint32_t row) const {
        std::uint32_t sum = 0;
        for (auto i = row; i > 0; i &= i - 1) sum += sums_[i];
        return sum;
    }
    /// The row with a rank. Precondition: rank < size().
    std::uint32_t at(std::uint32_t rank) const {
        std::uint32_t row = 0;
        for (auto step = std::bit_floor(static_cast<std::uint32_t>(sums_.size())); step > 0; step /= 2) {
            if (row + step >= sums_.size() || sums_[row + step] > rank) continue;
            row += step;
            rank -= sums_[row];
        }
        return row;
    }
    void remove(std::uint32_t row) {
        for (auto i = row + 1; i < sums_.size(); i += i & (~i + 1)) --sums_[i];
        --size_;
    }

private:
    std::vector<std::uint32_t> sums_;
    std::uint32_t size_;
};

}  // namespace regraft::codec
