#include "regraft/core/bytes.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "regraft/core/errors.hpp"

namespace regraft {

std::uint64_t hash(std::span<std::byte const> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

void ByteReader::fail() {
    throw InputError("bytes are not what was written: a value is missing, or impossible");
}

}  // namespace regraft
