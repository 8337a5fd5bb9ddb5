// Range asymmetric numeral systems (Duda 2013): symbols are coded backwards and decoded forwards.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {

/// A symbol's share of 2^bits: [begin, begin + size), size > 0.
struct Share {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    std::uint32_t bits = 0;
};

/// The state is in [least, least * 2^32). It takes 4 to 7 bytes: 4 plus the size of the whole modulo 4. Words of 32
/// bits, little endian, follow.
inline constexpr std::uint64_t least_state = std::uint64_t{1} << 24;
/// Largest number of bits of a share. It is two less than that of least_state, so that rounding costs almost nothing.
inline constexpr std::uint32_t most_share_bits = 22;

/// Appends the coded shares to out, last one first. Decoding ends with least_state and no words left.
inline void append_rans(std::span<Share const> shares, std::vector<std::byte>& out) {
    std::uint64_t state = least_state;
    std::vector<std::uint32_t> words;
    for (auto i = shares.size(); i-- > 0;) {
        auto const share = shares[i];
        if (state >= (least_state >> share.bits << 32) * share.size) {
            words.push_back(static_cast<std::uint32_t>(state));
            state >>= 32;
        }
        state = (state / share.size << share.bits) + state % share.size + share.begin;
    }
    for (unsigned i = 0; i < 4 || state >> (8 * i) != 0; ++i) out.push_back(static_cast<std::byte>(state >> (8 * i)));
    for (auto i = words.size(); i-- > 0;)
        for (unsigned k = 0; k < 4; ++k) out.push_back(static_cast<std::byte>(words[i] >> (8 * k)));
}

/// Reads what append_rans wrote. Any bytes can be read; finish(), at the latest, finds bytes that are wrong.
class RansReader {
public:
    explicit RansReader(std::span<std::byte const> bytes) {
        if (bytes.size() < 4) throw InputError("a coded block ends before its first symbol");
        auto const head = 4 + bytes.size() % 4;
        for (std::size_t i = head; i-- > 0;) state_ = state_ << 8 | std::to_integer<std::uint64_t>(bytes[i]);
        if (state_ < least_state || (head > 4 && state_ >> (8 * (head - 1)) == 0))
            throw InputError("a coded block starts with a state out of range");
        next_ = bytes.data() + head;
        end_ = bytes.data() + bytes.size();
    }

    /// Which of 2^bits slots comes next; take the share that contains it after that.
    std::uint32_t peek(std::uint32_t bits) const {
        return static_cast<std::uint32_t>(state_ & ((std::uint64_t{1} << bits) - 1));
    }
    void take(Share share) {
        auto const slot = peek(share.bits);
        state_ = (state_ >> share.bits) * share.size + (slot - share.begin);
        if (state_ < least_state) refill();
    }
    /// A number below 2^bits; all are equally likely.
    std::uint32_t raw(std::uint32_t bits) {
        auto const number = peek(bits);
        take({number, 1, bits});
        return number;
    }
    /// Throws InputError unless this is exactly the end.
    void finish() const {
        if (state_ != least_state || next_ != end_) throw InputError("a coded block does not end where it should");
    }

private:
    void refill() {
        std::uint32_t word = 0;
        if (next_ != end_) {
            std::memcpy(&word, next_, sizeof word);
            if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap32(word);
            next_ += sizeof word;
        } else {
            overrun();
        }
        state_ = state_ << 32 | word;
    }
    [[noreturn]] static void overrun() { throw InputError("a coded block ends too early"); }

    std::uint64_t state_ = 0;
    std::byte const* next_ = nullptr;
    std::byte const* end_ = nullptr;
};

}  // namespace regraft::codec
