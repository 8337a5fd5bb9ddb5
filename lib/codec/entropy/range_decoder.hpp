// Reads what a RangeEncoder wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/entropy/range_coder.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {

/// Reads decisions; what its functions are given as decision does not count. They throw InputError at the end of the
/// bytes.
class RangeDecoder {
public:
    static constexpr bool decodes = true;

    /// `zeros`: how many zeros are behind the bytes.
    explicit RangeDecoder(std::span<std::byte const> bytes, std::size_t zeros = 0) : rest_(bytes), zeros_(zeros) {
        for (int i = 0; i < 4; ++i) code_ = code_ << 8 | next();
    }
    bool bit(std::uint32_t p, bool /*unknown*/ = false) {
        auto const share = static_cast<std::uint32_t>(std::uint64_t{range_} * p >> probability_bits);
        bool const is_set = code_ < share;
        if (is_set) {
            range_ = share;
        } else {
            code_ -= share;
            range_ -= share;
        }
        renew();
        return is_set;
    }
    std::uint32_t uniform(std::uint32_t /*unknown*/, std::uint64_t size) {
        std::uint32_t number = 0;
        if (size > most_at_once) {
            auto const high = uniform(0, (size - 1) / most_at_once + 1);
            number = high * most_at_once + uniform(0, most_at_once);
        } else {
            range_ /= static_cast<std::uint32_t>(size);
            number = code_ / range_;
            code_ -= number * range_;
            renew();
        }
        if (number >= size) fail();
        return number;
    }
    /// Throws InputError if bytes are left.
    void expect_end() const {
        if (!rest_.empty()) fail();
    }
    [[noreturn]] static void fail() { throw InputError("the coded bytes are damaged"); }

private:
    void renew() {
        for (; range_ < 1U << 24; range_ <<= 8) code_ = code_ << 8 | next();
    }
    std::uint32_t next() {
        if (rest_.empty()) {
            if (zeros_ == 0) fail();
            --zeros_;
            return 0;
        }
        auto const byte = std::to_integer<std::uint32_t>(rest_.front());
        rest_ = rest_.subspan(1);
        return byte;
    }

    std::span<std::byte const> rest_;
    std::size_t zeros_;
    std::uint32_t range_ = ~std::uint32_t{0};
    std::uint32_t code_ = 0;
};

}  // namespace regraft::codec
