// What differs between an MPI with ULFM (ulfm.cpp) and one without (simulated.cpp). One of the two is linked.
#pragma once

#include <mpi.h>

#include <span>

#include "regraft/ft/failure_plan.hpp"

namespace regraft::ft::backend {

/// Whether a victim of the failure plan really dies, and only it knows of it beforehand.
bool deaths_are_real();
bool is_process_failure(int error_class);
void revoke(MPI_Comm comm);
/// *bits becomes the AND over the living members. Works on revoked communicators. Collective, uniform.
void agree(MPI_Comm comm, int* bits);
/// A communicator of the living members, the same on all of them. `leaving`: ranks that leave although alive
/// (simulation). Collective over all that live, uniform. The result is null on those that leave.
MPI_Comm shrink(MPI_Comm comm, std::span<int const> leaving);
/// Kills this process, at once or a moment later.
void die(Moment moment);

}  // namespace regraft::ft::backend
