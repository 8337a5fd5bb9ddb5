// The loop around a program that survives failures: run the body, and after a failure shrink, recover and run it again.
#pragma once

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "regraft/core/clock.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::ft {

/// What is known of one failure, or of several that fell together, when the recovery starts.
struct Failure {
    std::vector<PeId> lost;  // all that died since the last recovery that succeeded; the same on all survivors
    std::string noticed_in;  // the call in which this PE first noticed
    double silence_ms = 0;   // since this PE's last successful call: an upper bound for the time to notice
    double shrink_ms = 0;    // from noticing to the renewed communicator, all attempts together
};

/// Ends this process, as a death that the others survive, after saying on standard error what was thrown: they may be
/// waiting for it in a collective, and would for ever. Not by MPI_Abort, which can leave them spinning.
[[noreturn]] void die_of(std::exception_ptr const& error, PeId self);

/// Runs body() until it ends on all survivors alike and returns what it returned, if anything. After every failure:
/// shrink, then recover(Failure), then body() again; a failure inside recover() starts another round. body must start
/// from the last agreed checkpoint each time and may be repeated even if it was complete. Only exceptions that are
/// thrown on all alike (Uniform) pass through; any other ends this process by die_of, unless it is the only one left.
/// A death after the last message that anybody waits for, as of the one who writes the result, may go unnoticed, for an
/// agreement goes on without the dead: let body end with a broadcast by that one. Collective, uniform.
template <class Body, class Recover>
auto resilient(Communicator& comm, Body body, Recover recover) {
    using Clock = std::chrono::steady_clock;
    using Result = std::invoke_result_t<Body&>;
    std::vector<PeId> settled(comm.members().begin(), comm.members().end());
    std::optional<Failure> failure;
    Clock::time_point noticed;
    for (;;) {
        try {
            if (failure) {
                static_cast<void>(comm.shrink());
                failure->shrink_ms = milliseconds_since(noticed);
                auto const alive = comm.members();
                failure->lost.clear();
                std::set_difference(settled.begin(), settled.end(), alive.begin(), alive.end(),
                                    std::back_inserter(failure->lost));
                recover(std::as_const(*failure));
                comm.agree();  // all have recovered, or all start another round with the same list
                settled.assign(alive.begin(), alive.end());
                failure.reset();
            }
            // Leave together: a late failure is noticed by all or by none.
            if constexpr (std::is_void_v<Result>) {
                body();
                comm.agree();
                return;
            } else {
                Result result = body();
                comm.agree();
                return result;
            }
        } catch (ProcessFailure const& error) {
            if (!failure) {
                failure = Failure{{}, error.call(), error.silence_ms(), 0};
                noticed = Clock::now();
            }
        } catch (Uniform const&) {
            throw;
        } catch (Departed const&) {
            throw;
        } catch (...) {
            if (comm.size() == 1) throw;
            die_of(std::current_exception(), comm.self());
        }
    }
}

}  // namespace regraft::ft
