#include "regraft/core/bytes.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace regraft {

std::uint64_t hash(std::span<std::byte const> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace regraft
