// Requests to stop early: SIGINT, which Ctrl-C sends; SIGTERM, which batch systems send before they kill; SIGUSR1,
// which mpirun passes on; and a time limit.
#pragma once

#include <chrono>
#include <exception>
#include <optional>

#include "regraft/ft/communicator.hpp"

namespace regraft::phylo {

/// The exit code of a program if the same command continues its work (EX_TEMPFAIL).
inline constexpr int exit_code_to_continue = 75;

/// From now on SIGINT, SIGTERM and SIGUSR1 are requests to stop instead of ending the process. A second SIGINT ends it.
void catch_stop_signals();

/// Tells whether a stop was requested.
class StopWatch {
public:
    /// limit_seconds: from now on, a request after this time; without it only signals are requests.
    explicit StopWatch(std::optional<double> limit_seconds);
    /// The reason to stop: "SIGINT", "SIGTERM", "SIGUSR1" or "--time-limit"; null: there is none.
    char const* reason() const;

private:
    std::optional<std::chrono::steady_clock::time_point> end_;
};

/// Is thrown when the job has stopped on request, before its end, on all PEs alike.
class Stopped : public std::exception, public ft::Uniform {};

}  // namespace regraft::phylo
