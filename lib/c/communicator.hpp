// The handle behind regraft_communicator, and how exceptions of modules on MPI become statuses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "c/status.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft_mpi.h"

namespace regraft::c {

/// Stores and checkpoints share it with the communicator's handle, so handles may be freed in any order.
struct Shared {
    explicit Shared(MPI_Comm parent) : comm(parent) { renewed(); }
    /// Is called after a shrink.
    void renewed();

    ft::Communicator comm;
    std::vector<std::uint32_t> members;
    std::optional<ft::ProcessFailure> failure;  // the failure since the last shrink; every call returns it until the
                                                // next one
    bool departed = false;
};

/// Does what status_of_exception does, also for exceptions of modules on MPI; a failure is noted in shared.
regraft_status status_of_exception(Shared& shared) noexcept;

/// Calls work(), unless a failure was noticed before, and returns its outcome as a status.
template <class Work>
regraft_status guarded(Shared& shared, Work work) noexcept {
    try {
        if (shared.departed) throw ft::Departed{};
        if (shared.failure) throw ft::ProcessFailure(*shared.failure);
        work();
        return REGRAFT_OK;
    } catch (...) {
        return status_of_exception(shared);
    }
}

/// The same for work on a handle; an argument error if that is NULL.
template <class Handle, class Work>
regraft_status guarded(Handle* handle, Work work) noexcept {
    if (handle == nullptr) return fail(REGRAFT_ERROR_ARGUMENT, "expected a handle, not NULL");
    return guarded(*handle->shared, [&] { work(*handle); });
}

}  // namespace regraft::c

struct regraft_communicator {
    explicit regraft_communicator(MPI_Comm parent) : shared(std::make_shared<regraft::c::Shared>(parent)) {}
    std::shared_ptr<regraft::c::Shared> shared;
};
