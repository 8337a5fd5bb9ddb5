// Options of the shield.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "shield/protocol/call.hpp"
#include "shield/protocol/repair.hpp"

namespace regraft::shield {

struct ShieldOptions {
    CommitOptions commit;
    /// Results of more bytes are confirmed and not kept. Where inputs differ in size from rank to rank, the root
    /// confirms receipt of inputs of more bytes.
    std::size_t most_forwarded = 4096;
    /// The error handler of faces. It is called for errors in calls of MPI on them, including those of the shield, and
    /// must return.
    MPI_Errhandler on_error = MPI_ERRORS_RETURN;
    /// Is called with each step of a repair before it is carried out, and with Repair::Step::done. May be nullptr.
    void (*on_step)(Repair::Step step) = nullptr;
    /// Is called when this process enters and leaves a call of MPI from which it may not return if a process dies in
    /// it, even if a repair is called. May be nullptr.
    void (*on_uninterruptible)(bool inside) = nullptr;
};

}  // namespace regraft::shield
