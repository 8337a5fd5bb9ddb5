// Reports what a program overlooks: errors of MPI that it did not check, failures that it did not catch, and an end
// that others do not learn of.
#pragma once

#include <mpi.h>

#include <atomic>
#include <optional>
#include <string>

namespace regraft::ft {

class Communicator;

/// The first error that MPI has returned on the watched communicators, until it is forgotten.
class Unchecked {
public:
    struct Error {
        std::string call;  // the name of the call, as far as MPI tells
        int code = MPI_SUCCESS;
    };

    Unchecked() = default;
    Unchecked(Unchecked const&) = delete;
    Unchecked& operator=(Unchecked const&) = delete;

    /// Makes errors on comm return, as MPI_ERRORS_RETURN does, and notes them here. Errors on duplicates of it return
    /// without a note. Precondition: this object lives until comm is freed. Local. Hidden: the public headers declare
    /// the class, and what follows a visible declaration would be visible, too.
    [[gnu::visibility("hidden")]] void watch(MPI_Comm comm);
    void forget() { error_.reset(); }
    /// Finds out what returned() has to know of this MPI, by a message to itself on comm, which is watched. Once per
    /// process. Not collective. Hidden, too.
    [[gnu::visibility("hidden")]] void learn_how_errors_return(MPI_Comm comm);
    /// The error of a call that has returned `code`: in some MPIs (MPICH) a call returns MPI_SUCCESS after a handler
    /// has noted its error.
    [[gnu::visibility("hidden")]] int returned(int code) const;
    std::optional<Error> const& error() const { return error_; }

    /// Set while a thread is in an agreement on the watched communicators.
    std::atomic_flag in_agreement;

private:
    friend void note_error(Unchecked& unchecked, char const* call, int code);
    std::optional<Error> error_;
};

/// From now on an uncaught ProcessFailure is reported with what it is before it ends the process. Of a Uniform
/// exception, which ends all processes, one reports what it says. A process that exits without MPI_Finalize, of which
/// others learn only by regraft-run, is reported too.
void explain_early_ends();

/// The first communicator of the process that lives: its first member reports for all. null: none.
void set_reporting(Communicator const* comm);
Communicator const* reporting();

}  // namespace regraft::ft
