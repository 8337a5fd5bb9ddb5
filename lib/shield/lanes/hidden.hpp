// Communicators that the program does not see.
#pragma once

#include <mpi.h>

#include <exception>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::shield {

/// A rank has died before the shield had what it needs to survive that.
class DeathInStart : public std::exception {};

/// A duplicate whose errors are returned. Throws DeathInStart if a member dies during the call. Collective, not
/// uniform.
MPI_Comm duplicate_hidden(MPI_Comm comm);

/// Whether all living members say so. Works on revoked communicators. Collective, uniform.
bool agree(MPI_Comm comm, bool says);

struct Renewed {
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<PeId> members;  // by rank
};

/// A communicator of the living members, in the same order. self: this process. before: the members of damaged, by
/// rank. Collective over the living members of damaged, uniform.
Renewed renewed(MPI_Comm damaged, PeId self, std::span<PeId const> before);

}  // namespace regraft::shield
