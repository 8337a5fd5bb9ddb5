// Writes bits to bytes and reads them back, lowest bit first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "regraft/core/errors.hpp"

namespace regraft::codec {

class BitWriter {
public:
    /// Appends the lowest `bits` bits of a number, at most 48.
    void put(std::uint64_t number, std::uint32_t bits) {
        pending_ |= (number & ((std::uint64_t{1} << bits) - 1)) << num_pending_;
        for (num_pending_ += bits; num_pending_ >= 8; num_pending_ -= 8, pending_ >>= 8)
            bytes_.push_back(static_cast<std::byte>(pending_));
    }
    std::uint64_t size() const { return 8 * bytes_.size() + num_pending_; }
    /// The bytes; the last one is filled up with zeros.
    std::vector<std::byte> take() {
        if (num_pending_ > 0) bytes_.push_back(static_cast<std::byte>(pending_));
        return std::move(bytes_);
    }

private:
    std::vector<std::byte> bytes_;
    std::uint64_t pending_ = 0;
    std::uint32_t num_pending_ = 0;
};

class BitReader {
public:
    explicit BitReader(std::span<std::byte const> bytes) : bytes_(bytes) {}
    /// Reads the next `bits` bits, at most 64. Throws InputError if there are fewer.
    std::uint64_t get(std::uint32_t bits) {
        if (bits > 8 * bytes_.size() - position_) throw InputError("a description ends too early");
        std::uint64_t number = 0;
        for (std::uint32_t i = 0; i < bits; ++i, ++position_)
            number |= (std::to_integer<std::uint64_t>(bytes_[position_ / 8]) >> position_ % 8 & 1) << i;
        return number;
    }
    /// The bytes from the next whole one on. Throws InputError if a skipped bit is set.
    std::span<std::byte const> rest() {
        while (position_ % 8 != 0)
            if (get(1) != 0) throw InputError("a description has bits where none were expected");
        return bytes_.subspan(position_ / 8);
    }

private:
    std::span<std::byte const> bytes_;
    std::uint64_t position_ = 0;
};

}  // namespace regraft::codec
