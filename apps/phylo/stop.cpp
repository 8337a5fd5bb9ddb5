#include "stop.hpp"

#include <csignal>

namespace regraft::phylo {
namespace {

std::sig_atomic_t volatile received = 0;

}  // namespace

void catch_stop_signals() {
    for (int const number : {SIGTERM, SIGUSR1}) {
        static_cast<void>(std::signal(number, [](int signal) { received = signal; }));
    }
}

StopWatch::StopWatch(std::optional<double> limit_seconds) {
    using Clock = std::chrono::steady_clock;
    if (!limit_seconds) return;
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*limit_seconds));
}

char const* StopWatch::reason() const {
    if (received != 0) return received == SIGTERM ? "SIGTERM" : "SIGUSR1";
    if (end_ && std::chrono::steady_clock::now() >= *end_) return "--time-limit";
    return nullptr;
}

}  // namespace regraft::phylo
