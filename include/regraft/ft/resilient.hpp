// The loop around a program that survives failures: run the body, and after a failure shrink, recover and run it again.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "regraft/ft/communicator.hpp"

namespace regraft::ft {

/// What is known of one failure, or of several that fell together, when the recovery starts.
struct Failure {
    std::vector<PeId> lost;  // all that died since the last recovery that succeeded; the same on all survivors
    std::string noticed_in;  // the call in which this PE first noticed
    double silence_ms = 0;   // since this PE's last successful call: an upper bound for the time to notice
    double shrink_ms = 0;    // from noticing to the renewed communicator, all attempts together
};

/// Runs body() until it ends on all survivors alike and returns what it returned. After every failure: shrink, then
/// recover(Failure), then body() again; a failure inside recover() starts another round. body must start from the last
/// agreed checkpoint each time and may be repeated even if it was complete. Collective; other exceptions pass through.
template <class Body, class Recover>
auto resilient(Communicator& comm, Body body, Recover recover) {
    using Clock = std::chrono::steady_clock;
    std::vector<PeId> settled(comm.members().begin(), comm.members().end());
    std::optional<Failure> failure;
    Clock::time_point noticed;
    for (;;) {
        try {
            if (failure) {
                static_cast<void>(comm.shrink());
                failure->shrink_ms = std::chrono::duration<double, std::milli>(Clock::now() - noticed).count();
                auto const alive = comm.members();
                failure->lost.clear();
                std::set_difference(settled.begin(), settled.end(), alive.begin(), alive.end(),
                                    std::back_inserter(failure->lost));
                recover(std::as_const(*failure));
                comm.agree();  // all have recovered, or all start another round with the same list
                settled.assign(alive.begin(), alive.end());
                failure.reset();
            }
            auto result = body();
            comm.agree();  // leave together: a late failure is noticed here by all or by none
            return result;
        } catch (ProcessFailure const& error) {
            if (!failure) {
                failure = Failure{{}, error.call(), error.silence_ms(), 0};
                noticed = Clock::now();
            }
        }
    }
}

}  // namespace regraft::ft
