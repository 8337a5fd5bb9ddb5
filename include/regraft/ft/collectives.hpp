// MPI collectives that report failures as the communicator does: the death of a process is a ProcessFailure.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"

#pragma GCC visibility push(default)
namespace regraft::ft {

/// Replaces data, of the same length on all members, by that of root. Precondition: the root is a member. Collective;
/// not uniform: after a failure some may have the data and others ProcessFailure.
void broadcast(Communicator& comm, std::span<std::byte> data, PeId root);

/// Returns on the root what every member gives, and nothing on the others. Row = value(PeId), num_founders() rows;
/// those of the dead are empty. All rows together have at most 2^31 - 1 bytes. Precondition: the root is a member.
/// Collective, not uniform.
[[nodiscard]] Csr<std::byte> gather(Communicator& comm, std::span<std::byte const> mine, PeId root);

/// Returns when all requests are complete, and sets them to MPI_REQUEST_NULL. They belong to messages on native() or on
/// communicators derived from comm. If it throws, no request is under way any more, either. Not collective.
void wait_all(Communicator& comm, std::span<MPI_Request> requests);

}  // namespace regraft::ft
#pragma GCC visibility pop
