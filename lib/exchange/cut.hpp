// Decides how an exchange is cut into calls. Every member decides alone, and all decide alike. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace regraft::exchange {

/// Everything that a member has for another.
struct Message {
    std::uint32_t sender = 0;  // position among the members
    std::uint32_t receiver = 0;
    std::uint64_t bytes = 0;
    std::uint64_t pieces = 0;
};

/// Limits of MPI's int and of the size of pieces. Only tests use other limits than those of limits_of.
struct Limits {
    std::uint64_t direct_bytes = 32 << 10;     // pieces of at least this average length are not copied into a buffer
    std::uint64_t window_bytes = 1 << 20;      // bytes of a pair that are in a buffer at the same time
    std::uint64_t buffer_bytes = 64 << 20;     // bytes of all pairs of a member, unless 4 KiB for each pair are more
    std::uint64_t slice_bytes = 1 << 20;       // longer pieces are cut in parts of at least this, up to what an int
                                               // allows
    std::uint64_t longest_reach = 0x7fffffff;  // largest distance between two places in memory that one call refers to
};

/// How a row is cut. All members know everything it depends on, and so cut alike.
struct Cut {
    std::uint64_t slice_bytes;
    enum class At { pieces, bytes } at;  // where a slice ends: with its piece, or when it is full
};

/// partners: the largest number of members with which one member exchanges bytes at the same time.
inline Cut cut_of(std::uint64_t bytes, std::uint64_t pieces, std::uint64_t partners, Limits const& limits) {
    // If the slices of all partners have to be in a buffer, an int must still be able to count the bytes before each.
    auto const countable = std::max<std::uint64_t>(1, std::numeric_limits<int>::max() / partners);
    auto const share = std::min(countable, std::max<std::uint64_t>(4096, limits.buffer_bytes / partners));
    if (pieces <= 1 || bytes / pieces >= limits.direct_bytes) {
        return {std::min(countable, std::max(share, limits.slice_bytes)), Cut::At::pieces};
    }
    auto const window = std::clamp<std::uint64_t>(bytes / 8, 4096, std::max<std::uint64_t>(4096, limits.window_bytes));
    return {std::min(share, window), Cut::At::bytes};
}

/// An upper bound for the number of slices. It is exact for one piece, and if slices end when they are full.
inline std::uint64_t num_slices(std::uint64_t bytes, std::uint64_t pieces, Cut cut) {
    auto const full = bytes / cut.slice_bytes;
    bool const exact = cut.at == Cut::At::bytes || pieces <= 1;
    return exact ? full + (bytes % cut.slice_bytes == 0 ? 0 : 1) : full + pieces;
}

/// The values that all members must agree on before they cut a collective exchange.
struct Effort {
    std::uint64_t partners = 1;  // rounded up to a power of two
    std::uint64_t calls = 0;
};

/// The effort of an exchange that all members know. O(messages + members).
Effort effort_of(std::span<Message const> messages, std::size_t num_members, Limits const& limits);

}  // namespace regraft::exchange
