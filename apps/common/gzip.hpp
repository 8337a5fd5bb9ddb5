// Unpacks texts that gzip has packed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace regraft::common {

/// Whether these are the first bytes of a gzip file.
bool is_gzip(std::string_view bytes);

/// An upper bound for the size of a text of an alignment by its packed size. A larger text is refused as a bomb before
/// it fills the memory.
constexpr std::size_t most_text(std::size_t packed) {
    return (std::size_t{256} << 20) + 250 * packed;
}

/// The text in the members of a gzip file, one after the other (RFC 1952). Memory grows with the output. Throws
/// InputError with `name` if the bytes are damaged or cut off, if something else follows them, or if they do not hold a
/// text: if there is a NUL, or more than most_text.
std::string gunzip(std::string_view bytes, std::string const& name);

}  // namespace regraft::common
