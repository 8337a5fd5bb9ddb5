// Calls of MPI whose failures are those of the communicator: the death of a process is a ProcessFailure.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::ft {

/// Replaces data, of the same length on all members, by the root's. Precondition: the root is a member. Collective; not
/// uniform: after a failure some may have the data and others ProcessFailure.
void broadcast(Communicator& comm, std::span<std::byte> data, PeId root);

/// On the root what everybody gives, row by PeId (num_founders() of them, those of the dead empty); on the others
/// nothing. All rows together have at most 2^31 - 1 bytes. Precondition: the root is a member. Collective, not uniform.
[[nodiscard]] Csr<std::byte> gather(Communicator& comm, std::span<std::byte const> mine, PeId root);

/// Returns when all requests are complete, and leaves them MPI_REQUEST_NULL. They belong to messages on native() or on
/// communicators derived from comm. Also when it throws, nothing is under way any more. Not collective.
void wait_all(Communicator& comm, std::span<MPI_Request> requests);

}  // namespace regraft::ft
