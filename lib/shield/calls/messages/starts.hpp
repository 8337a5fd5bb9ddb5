// Messages under way: requests of MPI, for which this module keeps where the data go.
#pragma once

#include <mpi.h>

#include <memory>

#include "shield/session/buffer.hpp"
#include "shield/session/handle_map.hpp"
#include "shield/session/handles.hpp"

namespace regraft::shield {

struct Message {
    bool receives = false;
    MPI_Comm face = MPI_COMM_NULL;
    Buffer buffer;
    int partner = 0;
    int tag = 0;
    std::shared_ptr<Uses> uses;  // of a receive: if its partner dies, the shield needs a type that the program may have
                                 // freed
};

/// Without requests that are complete when they are started, which share a handle.
extern HandleMap<MPI_Request, Message>& messages_under_way;

/// Makes a complete request, which says that nothing came from that rank. Returns the code of MPI.
int complete_request(int from, int tag, MPI_Request* request);
/// Takes the place of a receive from the dead that is started: makes such a request, or returns an error without a
/// request.
int start_nothing(MPI_Comm face, Buffer const& buffer, int from, int tag, MPI_Request* request);
/// Registers the request as a receive from that rank on this face.
void expect_message(MPI_Request request, MPI_Comm face, Buffer const& buffer, int from, int tag);
/// Whether a message is under way on this face.
bool has_messages(MPI_Comm face);

}  // namespace regraft::shield
