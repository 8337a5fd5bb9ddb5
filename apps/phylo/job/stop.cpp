#include "job/stop.hpp"

#include <csignal>

namespace regraft::phylo {
namespace {

std::sig_atomic_t volatile received = 0;

}  // namespace

void catch_stop_signals() {
    for (int const number : {SIGINT, SIGTERM, SIGUSR1}) {
        auto const before = std::signal(number, [](int signal) {
            if (received == SIGINT && signal == SIGINT) {  // the user does not want to wait
                static_cast<void>(std::signal(SIGINT, SIG_DFL));
                static_cast<void>(std::raise(SIGINT));
            }
            received = signal;
        });
        if (number == SIGINT && before == SIG_IGN)
            static_cast<void>(std::signal(SIGINT, SIG_IGN));  // as shells do with &
    }
}

StopWatch::StopWatch(std::optional<double> limit_seconds) {
    using Clock = std::chrono::steady_clock;
    if (!limit_seconds) return;
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*limit_seconds));
}

char const* StopWatch::reason() const {
    if (received != 0) return received == SIGINT ? "SIGINT" : received == SIGTERM ? "SIGTERM" : "SIGUSR1";
    if (end_ && std::chrono::steady_clock::now() >= *end_) return "--time-limit";
    return nullptr;
}

}  // namespace regraft::phylo
