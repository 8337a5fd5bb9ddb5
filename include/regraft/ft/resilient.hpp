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

#pragma GCC visibility push(default)
namespace regraft::ft {

/// What is known when the recovery starts of one failure, or of several at the same time.
struct Failure {
    std::vector<PeId> lost;  // all PEs that died since the last recovery that succeeded; the same on all survivors
    std::string noticed_in;  // the call in which this PE first noticed the failure
    double silence_ms = 0;   // time since this PE's last successful call: an upper bound for the time to notice
    double shrink_ms = 0;    // time from noticing to the renewed communicator, all attempts together
};

/// Says on standard error what was thrown and ends this process, as a death that the others survive. Without that, they
/// might wait for it in a collective for ever. MPI_Abort is not used because it can leave the others spinning.
[[noreturn]] void die_of(std::exception_ptr const& error, PeId self);

/// Runs body() until it ends on all survivors alike, and returns what body returned. After every failure it shrinks,
/// calls recover(Failure), and runs body() again; a failure inside recover() starts another round. body must start from
/// the last agreed checkpoint each time, and may be repeated even if it was complete. Only exceptions that are thrown
/// on all members alike (Uniform) pass through. Any other exception ends this process by die_of, unless it is the only
/// one left. A death after the last message that a PE waits for may go unnoticed, because an agreement goes on without
/// the dead; an example is the death of the PE that writes the result. To notice it, let body end with a broadcast by
/// that PE. Collective, uniform.
template <class Body, class Recover>
auto resilient(Communicator& comm, Body body, Recover recover) {
    using Clock = std::chrono::steady_clock;
    using Result = std::invoke_result_t<Body&>;
    std::vector<PeId> before(comm.members().begin(), comm.members().end());
    std::optional<Failure> failure;
    Clock::time_point noticed;
    for (;;) {
        try {
            if (failure) {
                static_cast<void>(comm.shrink());
                failure->shrink_ms = milliseconds_since(noticed);
                auto const alive = comm.members();
                failure->lost.clear();
                std::set_difference(before.begin(), before.end(), alive.begin(), alive.end(),
                                    std::back_inserter(failure->lost));
                recover(std::as_const(*failure));
                comm.agree();  // either all have recovered, or all start another round with the same list
                before.assign(alive.begin(), alive.end());
                failure.reset();
            }
            // All members leave together: either all notice a late failure, or none does.
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
#pragma GCC visibility pop
