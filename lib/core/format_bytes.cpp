#include "regraft/core/format_bytes.hpp"

#include "regraft/core/errors.hpp"

namespace regraft {

std::span<std::byte const> FormatReader::take(std::uint64_t size) {
    if (size > rest_.size()) throw InputError("a part of the file is shorter than it says");
    auto const bytes = rest_.first(size);
    rest_ = rest_.subspan(size);
    return bytes;
}

std::uint64_t FormatReader::fixed(std::size_t num_bytes) {
    auto const bytes = take(num_bytes);
    std::uint64_t number = 0;
    for (auto i = num_bytes; i > 0; --i) number = number << 8 | std::to_integer<std::uint64_t>(bytes[i - 1]);
    return number;
}

std::uint64_t FormatReader::number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        auto const byte = std::to_integer<std::uint64_t>(take(1)[0]);
        bool const is_last = (byte & 0x80) == 0;
        bool const is_too_large = shift == 63 && byte > 1;
        if (is_too_large || (is_last && byte == 0 && shift > 0)) throw InputError("a number in the file is damaged");
        number |= (byte & 0x7f) << shift;
        if (is_last) return number;
    }
}

void FormatReader::expect_end() const {
    if (!rest_.empty()) throw InputError("a part of the file is longer than expected");
}

}  // namespace regraft
