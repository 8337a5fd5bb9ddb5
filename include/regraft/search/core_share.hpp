// Decides how many threads a process uses that is alone in its job: as many as there are cores that no other process
// needs. Threads wait for each other in every evaluation, so one that has to share its core delays all, and costs more
// than it computes.
#pragma once

#include <chrono>
#include <cstdint>

#pragma GCC visibility push(default)
namespace regraft::search {

/// The decision from the observed load.
class CoreShare {
public:
    /// Starts with the largest number of threads. Preconditions: at least 1 each.
    CoreShare(std::uint32_t most_threads, std::uint32_t cores);

    /// The number of threads to use now.
    std::uint32_t threads() const { return threads_; }
    /// runnable: number of threads on this machine that compute or are ready to, including those of this process. Gives
    /// cores up at once, and takes more only if they were free several times in a row.
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
    /// The number of threads for the next evaluation. Looks every 20 ms, which costs 20 us.
    std::uint32_t threads();

private:
    CoreShare share_;
    std::chrono::steady_clock::time_point next_look_;
};

}  // namespace regraft::search
#pragma GCC visibility pop
