// How many threads a process alone on a machine uses: as many as there are cores that nobody else wants. Threads wait
// for each other at every question, so one that has to share its core makes all wait, and costs more than it computes.
#pragma once

#include <chrono>
#include <cstdint>

namespace regraft::phylo {

/// What is decided from what was seen.
class CoreShare {
public:
    /// At first as many threads as it is allowed. Preconditions: at least 1 each.
    CoreShare(std::uint32_t most_threads, std::uint32_t cores);

    std::uint32_t threads() const { return threads_; }
    /// runnable: threads on this machine that compute or want to, ours included. Gives cores up at once, and takes more
    /// only when they were free several times in a row.
    void see(std::uint32_t runnable);

private:
    std::uint32_t most_;
    std::uint32_t cores_;
    std::uint32_t threads_;
    std::uint32_t times_free_ = 0;
};

/// Looks at the load from time to time.
class LoadWatch {
public:
    explicit LoadWatch(std::uint32_t most_threads);
    /// For what comes next. Looks every 20 ms, which costs 20 us.
    std::uint32_t threads();

private:
    CoreShare share_;
    std::chrono::steady_clock::time_point next_look_;
};

/// Lets threads wait for each other so that it costs less than what they wait for: for some microseconds on their
/// cores, then asleep. OpenMP's own default computes in vain for milliseconds when others have the core. GCC's runtime
/// reads this once, before main(), so the program is started again with it in the environment, unless the user has said
/// how to wait.
void limit_spinning(char** argv);

}  // namespace regraft::phylo
