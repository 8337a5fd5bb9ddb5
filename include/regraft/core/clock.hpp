// Measures how long something takes.
#pragma once

#include <chrono>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft {

/// The time from begin to now, in milliseconds.
inline double milliseconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace regraft
#pragma GCC visibility pop
