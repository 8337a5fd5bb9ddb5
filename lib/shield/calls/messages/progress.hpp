// How requests end, also those of the dead: a send is left out, and a receive brings nothing.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <optional>
#include <span>

#include "shield/waits/any_source.hpp"

namespace regraft::shield {

/// Whether a request is over, and its code for the program.
struct Progress {
    bool done = false;
    int code = MPI_SUCCESS;
    MPI_Comm face = MPI_COMM_WORLD;  // the handler of this communicator is told
};

/// Looks once whether a request is over; if so, frees it. call: the name of the program's call.
Progress look_at(MPI_Request* request, MPI_Status* status, Look look, char const* call);
/// Whether there is nothing to wait for, as the calls for several requests see it.
bool is_inactive(MPI_Request request);
/// The size of the largest message that is awaited; none if something other than messages is awaited, too.
std::optional<std::size_t> awaited_bytes(std::span<MPI_Request const> requests);

/// Finds requests that MPI_Test would complete although MPI_Request_get_status does not say so.
class Obituaries {
public:
    /// The dead rank whose death completes the request, if any.
    std::optional<int> find(MPI_Request request);

private:
    std::map<MPI_Comm, int> taken_;  // number of obituaries taken, one for each receive
};

/// Whether the request is over for the program, even if MPI has not completed it because its partner is dead. It stays.
bool is_over(MPI_Request request, MPI_Status* status, Obituaries& obituaries);

}  // namespace regraft::shield
