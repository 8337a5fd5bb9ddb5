// Requests of nonblocking collectives, and of what else the shield carries out beside the program.
#pragma once

#include <mpi.h>

namespace regraft::shield {

/// Makes a request of the program for an operation under way. Returns the code of MPI.
int begin_request(MPI_Request* request);
/// How an operation ended, for the call that waits for it.
struct Ending {
    int code = MPI_SUCCESS;
    MPI_Comm face = MPI_COMM_WORLD;  // the handler of this communicator is told
};
/// Is called when the operation of the request is over.
void end_request(MPI_Request request, Ending ending);
/// Is called when the operation of the request was not started: frees the request.
void withdraw_request(MPI_Request* request);

/// Whether any collective is not over.
bool has_collectives_under_way();
/// Whether the request is that of a nonblocking collective that is not over.
bool is_collective_under_way(MPI_Request request);
/// How the collective of this request has ended, once; success if it is no collective of the shield.
Ending take_failure(MPI_Request request);

}  // namespace regraft::shield
