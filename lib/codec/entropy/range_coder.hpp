// A binary range coder with carries (Martin 1979; Subbotin 1999), for bits whose probabilities adapt. Encoder and
// decoder have the same functions, so that one template codes and decodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace regraft::codec {

/// How many zeros a decoder may put behind the end of bytes that are written briefly.
inline constexpr std::size_t most_zeros_behind_end = 4;

/// The number of fractional bits of a probability.
inline constexpr int probability_bits = 16;
inline constexpr std::uint32_t one_probability = 1U << probability_bits;
/// Numbers that are equally likely are coded at once if there are at most so many.
inline constexpr std::uint32_t most_at_once = 1U << 16;

/// Writes decisions. Each function returns what it is given.
class RangeEncoder {
public:
    static constexpr bool decodes = false;

    /// p: the probability that the bit is set, within (0, 1).
    bool bit(std::uint32_t p, bool is_set) {
        auto const share = static_cast<std::uint32_t>(std::uint64_t{range_} * p >> probability_bits);
        if (is_set) {
            range_ = share;
        } else {
            low_ += share;
            range_ -= share;
        }
        renew();
        return is_set;
    }
    /// A number below `size`, all of which are equally likely. Precondition: 0 < size <= 2^32.
    std::uint32_t uniform(std::uint32_t number, std::uint64_t size) {
        if (size > most_at_once) {
            uniform(static_cast<std::uint32_t>(number / most_at_once), (size - 1) / most_at_once + 1);
            uniform(number % most_at_once, most_at_once);
            return number;
        }
        range_ /= static_cast<std::uint32_t>(size);
        low_ += std::uint64_t{range_} * number;
        renew();
        return number;
    }
    std::vector<std::byte> finish() {
        for (int i = 0; i < 5; ++i) shift();
        bytes_.erase(bytes_.begin());  // is always 0
        return std::move(bytes_);
    }
    /// The bytes for a decoder that puts zeros behind the end: up to four zeros less, after the roundest number of the
    /// last interval.
    std::vector<std::byte> finish_briefly() {
        auto const last = low_ + range_ - 1;
        for (auto bits = 32U; bits-- > 0;) {
            auto const rounded = last >> bits << bits;
            if (rounded < low_) continue;
            low_ = rounded;
            break;
        }
        auto bytes = finish();
        for (std::size_t i = 0; i < most_zeros_behind_end && !bytes.empty() && bytes.back() == std::byte{0}; ++i)
            bytes.pop_back();
        return bytes;
    }

private:
    void renew() {
        for (; range_ < 1U << 24; range_ <<= 8) shift();
    }
    /// Moves the top byte of low out. It may still get a carry, as may bytes of 0xFF behind it.
    void shift() {
        auto const carry = static_cast<std::uint32_t>(low_ >> 32);
        if (carry != 0 || low_ < 0xFF000000U) {
            bytes_.push_back(static_cast<std::byte>(held_ + carry));
            bytes_.insert(bytes_.end(), num_full_, static_cast<std::byte>(0xFF + carry));
            num_full_ = 0;
            held_ = static_cast<std::uint32_t>(low_ >> 24 & 0xFF);
        } else {
            ++num_full_;
        }
        low_ = (low_ & 0x00FFFFFF) << 8;
    }

    std::vector<std::byte> bytes_;
    std::uint64_t low_ = 0;
    std::uint32_t range_ = ~std::uint32_t{0};
    std::uint32_t held_ = 0;    // a byte that waits for a carry
    std::size_t num_full_ = 0;  // bytes of 0xFF behind it
};

}  // namespace regraft::codec
