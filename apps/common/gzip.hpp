// Texts that gzip has packed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace regraft::common {

/// Whether these are the first bytes of what gzip writes.
bool is_gzip(std::string_view bytes);

/// No text of an alignment is packed so well that it is larger: a bomb is refused before it fills the memory.
constexpr std::size_t most_text(std::size_t packed) {
    return (std::size_t{256} << 20) + 250 * packed;
}

/// The text in the members of a gzip file, one after the other (RFC 1952). Memory grows with what comes out. Throws
/// InputError with `name` if the bytes are damaged or cut off, if something else follows them, or if they hold anything
/// but a text: a NUL, or more than most_text.
std::string gunzip(std::string_view bytes, std::string const& name);

}  // namespace regraft::common
