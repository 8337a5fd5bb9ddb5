// Decides how many threads the only process of a job uses: as many as there are cores that no other process needs.
// Threads wait for each other in every evaluation, so a thread that shares its core delays all others, and costs more
// than it gains.
#pragma once

#include <chrono>
#include <cstdint>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// The decision from the observed load.
class CoreShare {
public:
    /// Starts with most_threads. Precondition: both are at least 1.
    CoreShare(std::uint32_t most_threads, std::uint32_t cores);

    /// The number of threads to use now.
    std::uint32_t threads() const { return threads_; }
    /// Takes the observed load. runnable: number of threads on this machine that compute or are ready to, including
    /// those of this process. The number of threads falls at once, and rises only if cores were free five times in a
    /// row.
    void see(std::uint32_t runnable);

private:
    std::uint32_t most_;
    std::uint32_t cores_;
    std::uint32_t threads_;
    std::uint32_t times_free_ = 0;
};

/// Observes the load from time to time.
class LoadWatch {
public:
    /// Starts with most_threads, on the cores of this machine. Precondition: most_threads >= 1.
    explicit LoadWatch(std::uint32_t most_threads);
    /// The number of threads for the next evaluation. Reads the load at most every 20 ms, which takes 20 us. Where the
    /// system does not tell the load, it counts as none.
    std::uint32_t threads();

private:
    CoreShare share_;
    std::chrono::steady_clock::time_point next_look_;
};

}  // namespace regraft::search
#pragma GCC visibility pop
