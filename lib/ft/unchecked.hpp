// What a program overlooks, for it to be told: errors of MPI that it did not check, failures that it did
// not catch, and an end that others do not hear of.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

namespace regraft::ft {

/// The first error that MPI has returned on the communicators that are watched, until it is forgotten.
class Unchecked {
public:
    struct Error {
        std::string call;  // as far as MPI tells
        int code = MPI_SUCCESS;
    };

    Unchecked() = default;
    Unchecked(Unchecked const&) = delete;
    Unchecked& operator=(Unchecked const&) = delete;

    /// Errors on comm are returned, as with MPI_ERRORS_RETURN, and noted here. Those on duplicates of it are returned.
    /// Precondition: this object lives until comm is freed. Local.
    void watch(MPI_Comm comm);
    void forget() { error_.reset(); }
    std::optional<Error> const& error() const { return error_; }

private:
    friend void note_error(Unchecked& unchecked, char const* call, int code);
    std::optional<Error> error_;
};

/// From now on a ProcessFailure that nobody catches says what it is before it ends the process, and a process that
/// exits without MPI_Finalize, of which others hear only by regraft-run, says so.
void explain_early_ends();

}  // namespace regraft::ft
