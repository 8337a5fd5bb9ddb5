// What MPI_X_init consists of. generate.py writes these functions from their declarations: each keeps its arguments,
// and each start of its request is a start of the nonblocking call MPI_IX with them. So the program's handle stays
// valid, whichever process dies.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "shield/calls/collectives/copied.hpp"
#include "shield/calls/messages/own_faces.hpp"
#include "shield/session/handles.hpp"
#include "shield/session/session.hpp"
#include "shield/waits/proxies.hpp"

namespace regraft::shield {

/// Whether persistent requests are MPI's own, which is so without a shield. With one, even requests on communicators
/// that it does not know are its own, because calls that wait for several requests must know which are active.
inline bool passes() {
    return session().shield == nullptr;
}

/// The number of places in the arrays of a call that it reads on this process.
struct Places {
    std::size_t sent = 0;
    std::size_t received = 0;
};
/// Arrays by rank. send: the send buffer; in place it has no arrays.
Places places_by_rank(MPI_Comm comm, void const* send);
/// Arrays by rank of the root; other ranks have none.
Places places_at_root(MPI_Comm comm, int root);
Places places_by_neighbour(MPI_Comm comm);

/// Keeps the types and the operation that a call uses.
inline std::shared_ptr<Uses> keep(std::vector<MPI_Datatype> types, MPI_Op op = MPI_OP_NULL) {
    return std::make_shared<Uses>(std::move(types), op);
}

/// Makes a persistent request. start(arguments..., comm, request): the nonblocking call.
template <class Start, class... Arguments>
int prepare(MPI_Request* request, MPI_Comm comm, std::shared_ptr<Uses> const& uses, Start start,
            Arguments... arguments) {
    return make_persistent(request, comm, [=](Proxy::Parts& parts) {
        static_cast<void>(uses);
        return start(arguments..., comm, &parts[0]);
    });
}

/// The same for a collective, which starts on a communicator of its own.
template <class Start, class... Arguments>
int prepare_on_own_face(MPI_Request* request, MPI_Comm comm, std::shared_ptr<Uses> const& uses, Start start,
                        Arguments... arguments) {
    auto const own = std::make_shared<OwnFace>(comm);
    return make_persistent(request, comm, [=](Proxy::Parts& parts) {
        static_cast<void>(uses);
        return start(arguments..., own->face(), &parts[0]);
    });
}

}  // namespace regraft::shield
