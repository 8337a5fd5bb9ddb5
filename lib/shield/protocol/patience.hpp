// How long a process waits in vain before it calls for a repair, in which others confirm what they have done. Pure.
#pragma once

#include <chrono>
#include <cstdint>

namespace regraft::shield {

/// Measures how long this process has looked in vain at its nonblocking operations.
struct Patience {
    static constexpr std::chrono::milliseconds least{10};
    static constexpr std::chrono::milliseconds longest{2000};

    std::uint32_t looks = 0;  // number of looks since the last progress
    std::chrono::steady_clock::time_point since;
    std::chrono::milliseconds most = longest;
    bool is_over = false;  // this process calls for a repair

    /// Learns from a repair that this process has called: how long it took until all had come, and then until its end.
    /// If this process had to wait for none, all had been in calls that block, so it may call sooner next time;
    /// otherwise later, because a process that computes should not be called too often. On a slow machine both times
    /// are long, so the first is compared with the second.
    void learn(std::chrono::milliseconds until_all_came, std::chrono::milliseconds rest);
};

}  // namespace regraft::shield
