// How long a process waits in vain before it calls for a repair, in which others confirm what they have done. Pure.
#pragma once

#include <chrono>
#include <cstdint>

namespace regraft::shield {

/// How long this process has looked in vain at its nonblocking operations.
struct Patience {
    static constexpr std::chrono::milliseconds least{10};
    static constexpr std::chrono::milliseconds longest{2000};

    std::uint32_t looks = 0;  // since something has come forward
    std::chrono::steady_clock::time_point since;
    std::chrono::milliseconds most = longest;
    bool is_over = false;  // and calls for the repair that comes

    /// Of the repair that this process has called: how long it took until all had come, and then until its end. If
    /// nobody had to be waited for, all had been in calls that block: the next time may come sooner. A process that
    /// computes is not to be called too often. On a slow machine both last, so one is measured by the other.
    void learn(std::chrono::milliseconds until_all_came, std::chrono::milliseconds rest);
};

}  // namespace regraft::shield
