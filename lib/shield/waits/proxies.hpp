// Requests of the program behind which are others: a persistent one starts a new one each time, and one of a send and a
// receive together has one of each.
#pragma once

#include <mpi.h>

#include <array>
#include <functional>
#include <memory>

namespace regraft::shield {

/// What is behind one. Which others, in order: the first gives the status.
struct Proxy {
    static constexpr std::size_t most_parts = 2;
    using Parts = std::array<MPI_Request, most_parts>;

    /// Of a persistent one: starts it. Its return code.
    std::function<int(Parts&)> start;
    MPI_Comm comm = MPI_COMM_NULL;  // and where
    Parts parts{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    bool active = false;
    MPI_Status status{};
    int code = MPI_SUCCESS;
    MPI_Comm face = MPI_COMM_WORLD;  // whose error handler is told of it
    std::shared_ptr<void> held;      // what its parts need
};

/// Whether there are any.
bool has_proxies();
/// nullptr: nothing is behind it. Valid until the request is freed.
Proxy* find_proxy(MPI_Request request);
/// A persistent request, whose handle stays the same. start(parts): starts it on comm. The return code of MPI.
int make_persistent(MPI_Request* request, MPI_Comm comm, std::function<int(Proxy::Parts&)> start);
/// Whether one is to be started there.
bool is_prepared_on(MPI_Comm comm);
/// A request of parts that are under way. The return code of MPI.
int make_composed(MPI_Request* request, Proxy::Parts const& parts);
/// All parts are over: whoever waits for the request is told so. A persistent one becomes inactive, another is freed.
int finish_proxy(MPI_Request* request, MPI_Status* status);
/// Precondition: no part is under way.
int free_proxy(MPI_Request* request);

}  // namespace regraft::shield
