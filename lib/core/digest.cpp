#include "regraft/core/digest.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace regraft {

Digest digest(std::span<std::byte const> bytes) {
    auto const hash = XXH3_128bits(bytes.data(), bytes.size());
    return {hash.low64, hash.high64};
}

}  // namespace regraft
