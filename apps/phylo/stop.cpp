#include "stop.hpp"

#include <csignal>

namespace regraft::phylo {
namespace {

std::sig_atomic_t volatile terminated = 0;

}  // namespace

void catch_stop_signals() {
    static_cast<void>(std::signal(SIGTERM, [](int) { terminated = 1; }));
}

StopWatch::StopWatch(std::optional<double> limit_seconds) {
    using Clock = std::chrono::steady_clock;
    if (!limit_seconds) return;
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*limit_seconds));
}

char const* StopWatch::reason() const {
    if (terminated != 0) return "SIGTERM";
    if (end_ && std::chrono::steady_clock::now() >= *end_) return "--time-limit";
    return nullptr;
}

}  // namespace regraft::phylo
