// What collectives throw.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::ft {

/// Marks exceptions that are thrown on all survivors alike and may therefore leave the body of ft::resilient. Such
/// exceptions derive from Uniform and from std::exception.
class Uniform {
public:
    virtual ~Uniform() = default;
};

/// A member died. Some PEs may see it earlier than others, in different calls; Communicator::shrink brings them
/// together. It is not a std::exception, so that a handler of errors around a collective does not swallow it.
/// ft::resilient catches it; thrown from a collective outside of its body and recovery, it leaves main on all
/// survivors.
class ProcessFailure {
public:
    /// `call` names the call that noticed it.
    ProcessFailure(std::string call, double silence_ms) : call_(std::move(call)), silence_ms_(silence_ms) {}
    /// The call that noticed it.
    std::string const& call() const { return call_; }
    /// Milliseconds since this PE's last successful call on the communicator: an upper bound for the time to notice.
    double silence_ms() const { return silence_ms_; }

private:
    std::string call_;
    double silence_ms_;
};

/// Any other error that MPI returned. Not survivable.
class MpiError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Members that must compute alike did not, as an agreement found: a bug, or different hardware. Thrown on all members
/// alike.
class Divergence : public MpiError, public Uniform {
public:
    using MpiError::MpiError;
};

/// Recovery after recovery found that nobody had died: a call fails again and again on a communicator that still has
/// dead ranks, such as MPI_COMM_WORLD. Thrown on all members alike.
class EndlessRecovery : public MpiError, public Uniform {
public:
    using MpiError::MpiError;
};

/// What has started the job ends it when a rank dies. what() says what to type instead. Thrown on all ranks alike.
class WrongLauncher : public MpiError, public Uniform {
public:
    using MpiError::MpiError;
};

/// Thrown on a PE whose death is simulated (MPIs without ULFM): unwind, call MPI_Finalize, and leave without a result.
class Departed {};

}  // namespace regraft::ft
#pragma GCC visibility pop
