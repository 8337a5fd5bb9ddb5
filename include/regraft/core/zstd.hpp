// Compresses bytes to one zstd frame, and decompresses frames from untrusted sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// The level that the zstd program uses without options.
inline constexpr int zstd_default_level = 3;

/// One zstd frame without a checksum. O(size) time, which grows with the level, 1 to 19.
std::vector<std::byte> zstd_compress(std::span<std::byte const> bytes, int level);
/// The same for bytes that lie in several pieces, one behind the other.
std::vector<std::byte> zstd_compress_pieces(std::span<std::span<std::byte const> const> pieces, int level);

/// The content of exactly one frame. The size that the frame states is not trusted: memory grows with the output.
/// Throws InputError if the frame is damaged, if anything follows it, or if its content has more than max_size bytes.
std::vector<std::byte> zstd_decompress(std::span<std::byte const> frame, std::uint64_t max_size);

/// An upper bound for the content of a frame of this size: a block of at most 2^17 bytes takes at least four.
constexpr std::uint64_t zstd_max_content(std::uint64_t frame_size) {
    return frame_size << 15;
}

}  // namespace regraft
#pragma GCC visibility pop
