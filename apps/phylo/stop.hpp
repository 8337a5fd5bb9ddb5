// Requests to stop in time: SIGINT, which Ctrl-C sends, SIGTERM, which batch systems send before they kill, SIGUSR1,
// which mpirun passes on, and a limit of time.
#pragma once

#include <chrono>
#include <exception>
#include <optional>

#include "regraft/ft/communicator.hpp"

namespace regraft::phylo {

/// What a program exits with that another call of the same command continues (EX_TEMPFAIL).
inline constexpr int exit_code_to_continue = 75;

/// From now on SIGINT, SIGTERM and SIGUSR1 do not end the process, but are requests to stop. A second SIGINT ends it.
void catch_stop_signals();

class StopWatch {
public:
    /// No limit: only signals are requests.
    explicit StopWatch(std::optional<double> limit_seconds);
    /// "SIGINT", "SIGTERM", "SIGUSR1", "--time-limit", or null: nobody asked to stop.
    char const* reason() const;

private:
    std::optional<std::chrono::steady_clock::time_point> end_;
};

/// Thrown on all PEs alike when the job has stopped on request, before its end.
class Stopped : public std::exception, public ft::Uniform {};

}  // namespace regraft::phylo
