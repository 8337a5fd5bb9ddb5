// Helpers for all calls that read and write files.
#pragma once

#include <cerrno>
#include <cstddef>

namespace regraft::disk {

/// Repeats a call as long as a signal interrupts it.
template <class Call>
auto uninterrupted(Call call) {
    for (;;) {
        auto const result = call();
        if (result >= 0 || errno != EINTR) return result;
    }
}

/// Linux moves less than 2^31 bytes in a call.
inline constexpr std::size_t most_at_once = std::size_t{1} << 30;

}  // namespace regraft::disk
