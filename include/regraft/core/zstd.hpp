// Bytes compressed as one zstd frame, and back from bytes that nobody vouches for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace regraft {

/// The level of the zstd program without options.
inline constexpr int zstd_default_level = 3;

/// One zstd frame without a checksum of its own. O(size) time that grows with the level, 1 to 19.
std::vector<std::byte> zstd_compress(std::span<std::byte const> bytes, int level);

/// The content of exactly one frame. What the frame says about its size is not believed: memory grows with what comes
/// out. Throws InputError if it is damaged, if anything follows it, or if its content has more than max_size bytes.
std::vector<std::byte> zstd_decompress(std::span<std::byte const> frame, std::uint64_t max_size);

/// No frame has more content: a block of at most 2^17 bytes takes at least four.
constexpr std::uint64_t zstd_max_content(std::uint64_t frame_size) {
    return frame_size << 15;
}

}  // namespace regraft
