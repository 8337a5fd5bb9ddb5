// Requests of the program that stand for others: a persistent request starts a new one each time, and a request of a
// send and a receive together has one of each.
#pragma once

#include <mpi.h>

#include <array>
#include <functional>
#include <memory>

namespace regraft::shield {

/// What is behind a request: the other requests, in order; the first gives the status.
struct Proxy {
    static constexpr std::size_t most_parts = 2;
    using Parts = std::array<MPI_Request, most_parts>;

    /// For a persistent request: starts it and returns the code.
    std::function<int(Parts&)> start;
    MPI_Comm comm = MPI_COMM_NULL;  // the communicator on which it starts
    Parts parts{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    bool active = false;
    MPI_Status status{};
    int code = MPI_SUCCESS;
    MPI_Comm face = MPI_COMM_WORLD;  // the handler of this communicator is told
    std::shared_ptr<void> held;      // keeps what its parts need
};

/// Whether there are any.
bool has_proxies();
/// The proxy of a request; nullptr: it has none. Valid until the request is freed.
Proxy* find_proxy(MPI_Request request);
/// Makes a persistent request, whose handle stays the same. start(parts): starts it on comm. Returns the code of MPI.
int make_persistent(MPI_Request* request, MPI_Comm comm, std::function<int(Proxy::Parts&)> start);
/// Whether a persistent request is prepared on this communicator.
bool is_prepared_on(MPI_Comm comm);
/// Makes a request of parts that are under way. Returns the code of MPI.
int make_composed(MPI_Request* request, Proxy::Parts const& parts);
/// Is called when all parts are over, and tells the call that waits for the request. A persistent request becomes
/// inactive; another one is freed.
int finish_proxy(MPI_Request* request, MPI_Status* status);
/// Precondition: no part is under way.
int free_proxy(MPI_Request* request);

}  // namespace regraft::shield
