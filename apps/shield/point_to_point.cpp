// Messages. They go by the face, which repairs do not touch. Whoever waits for one helps in repairs meanwhile, for
// others may need what only it knows.
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "ft/backend.hpp"
#include "shield/buffer.hpp"
#include "shield/fail_points.hpp"
#include "shield/session.hpp"

namespace regraft::shield {
namespace {

namespace backend = ft::backend;

int class_of(int code) {
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(code, &error_class);
    return error_class;
}

bool failed(int code) {
    return code != MPI_SUCCESS && backend::is_process_failure(class_of(code));
}

void enter() {
    auto& it = session();
    ++it.counts.calls;
    reach(call_points.call, it.shield->self());
    reach(call_points.inside, it.shield->self());
    it.shield->help();
}

bool all_others_dead(Lane const& lane) {
    for (int rank = 0; rank < static_cast<int>(lane.size()); ++rank) {
        if (rank == lane.self || !lane.lives(rank)) continue;
        if (!backend::is_dead(lane.face, lane.on_face(rank))) return false;
    }
    return true;
}

/// The code with which the request completes. A receive from any source goes on among the living, as long as there are.
int await(Lane const& lane, MPI_Request* request, MPI_Status* status) {
    for (;;) {
        int done = 0;
        int const code = PMPI_Test(request, &done, status);
        if (code != MPI_SUCCESS && backend::is_suspended(class_of(code)) && *request != MPI_REQUEST_NULL) {
            if (!all_others_dead(lane)) {
                backend::acknowledge(lane.face);
                continue;
            }
            PMPI_Cancel(request);
            PMPI_Request_free(request);
            return code;
        }
        if (code != MPI_SUCCESS || done != 0) return code;
        session().shield->help();
    }
}

/// What a receive from the dead says: nothing came.
void set_empty(MPI_Status* status, int source, int tag) {
    if (status == MPI_STATUS_IGNORE) return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag == MPI_ANY_TAG ? 0 : tag;
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
}

/// On faces whose ranks are not those of the program.
void translate(Lane const& lane, MPI_Status* status) {
    if (status == MPI_STATUS_IGNORE || lane.native.empty() || status->MPI_SOURCE < 0) return;
    auto const found = std::find(lane.native.begin(), lane.native.end(), status->MPI_SOURCE);
    status->MPI_SOURCE = static_cast<int>(found - lane.native.begin());
}

bool is_out_of_range(Lane const& lane, int rank) {
    return rank >= static_cast<int>(lane.size());
}

using Start = int (*)(void const*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

/// dead: nothing was sent.
int send(Lane& lane, Start start, Buffer const& buffer, int to, int tag) {
    if (is_out_of_range(lane, to)) return complain(lane, MPI_ERR_RANK);
    int code = MPI_SUCCESS;
    bool dead = lane.on_face(to) == Lane::gone && to >= 0;
    if (!dead) {
        MPI_Request request = MPI_REQUEST_NULL;
        code = start(buffer.data, buffer.count, buffer.type, lane.on_face(to), tag, lane.face, &request);
        if (code == MPI_SUCCESS) code = await(lane, &request, MPI_STATUS_IGNORE);
        dead = failed(code);
    }
    if (!dead) return complain(lane, code);
    ++session().counts.skipped_sends;
    return MPI_SUCCESS;
}

int hole(Buffer const& buffer, int from, int tag, MPI_Status* status) {
    ++session().counts.skipped_receives;
    if (session().policy.fills_holes) buffer.make_hole();
    set_empty(status, from, tag);
    return MPI_SUCCESS;
}

int finish_receive(Lane& lane, MPI_Request* request, Buffer const& buffer, int from, int tag, MPI_Status* status) {
    int const code = await(lane, request, status);
    if (failed(code)) return hole(buffer, from, tag, status);
    translate(lane, status);
    return complain(lane, code);
}

/// Whether nothing can come from there any more.
bool is_dead(Lane const& lane, int from) {
    if (from == MPI_ANY_SOURCE) return all_others_dead(lane);
    return from >= 0 && (lane.on_face(from) == Lane::gone || backend::is_dead(lane.face, lane.on_face(from)));
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Send(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Send(data, count, type, to, tag, comm);
    enter();
    return send(*lane, PMPI_Isend, {const_cast<void*>(data), count, type}, to, tag);
}

int MPI_Ssend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Ssend(data, count, type, to, tag, comm);
    enter();
    return send(*lane, PMPI_Issend, {const_cast<void*>(data), count, type}, to, tag);
}

int MPI_Rsend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Rsend(data, count, type, to, tag, comm);
    enter();
    return send(*lane, PMPI_Irsend, {const_cast<void*>(data), count, type}, to, tag);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Recv(data, count, type, from, tag, comm, status);
    enter();
    Buffer const buffer{data, count, type};
    if (is_out_of_range(*lane, from)) return complain(*lane, MPI_ERR_RANK);
    if (from >= 0 && lane->on_face(from) == Lane::gone) return hole(buffer, from, tag, status);
    MPI_Request request = MPI_REQUEST_NULL;
    int const code = PMPI_Irecv(data, count, type, lane->on_face(from), tag, lane->face, &request);
    if (failed(code)) return hole(buffer, from, tag, status);
    if (code != MPI_SUCCESS) return complain(*lane, code);
    return finish_receive(*lane, &request, buffer, from, tag, status);
}

int MPI_Sendrecv(void const* send_data, int send_count, MPI_Datatype send_type, int to, int send_tag, void* data,
                 int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr)
        return PMPI_Sendrecv(send_data, send_count, send_type, to, send_tag, data, count, type, from, tag, comm,
                             status);
    enter();
    Buffer const buffer{data, count, type};
    if (is_out_of_range(*lane, from)) return complain(*lane, MPI_ERR_RANK);
    MPI_Request request = MPI_REQUEST_NULL;
    bool const nobody = from >= 0 && lane->on_face(from) == Lane::gone;
    if (!nobody) {
        int const code = PMPI_Irecv(data, count, type, lane->on_face(from), tag, lane->face, &request);
        if (code != MPI_SUCCESS && !failed(code)) return complain(*lane, code);
    }
    int const sent = send(*lane, PMPI_Isend, {const_cast<void*>(send_data), send_count, send_type}, to, send_tag);
    if (request == MPI_REQUEST_NULL) return nobody ? hole(buffer, from, tag, status) : sent;
    int const received = finish_receive(*lane, &request, buffer, from, tag, status);
    return sent != MPI_SUCCESS ? sent : received;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Probe(from, tag, comm, status);
    enter();
    for (int found = 0;;) {
        bool const dead = is_dead(*lane, from);  // asked before: what came before the death is there then
        int const code = MPI_Iprobe(from, tag, comm, &found, status);
        if (code != MPI_SUCCESS || found != 0) return code;
        if (dead) {
            set_empty(status, from, tag);
            return MPI_SUCCESS;
        }
    }
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Iprobe(from, tag, comm, found, status);
    session().shield->help();
    *found = 0;
    if (is_out_of_range(*lane, from)) return complain(*lane, MPI_ERR_RANK);
    if (from >= 0 && lane->on_face(from) == Lane::gone) return MPI_SUCCESS;
    int const code = PMPI_Iprobe(lane->on_face(from), tag, lane->face, found, status);
    if (failed(code)) {
        if (from == MPI_ANY_SOURCE) backend::acknowledge(lane->face);
        *found = 0;
        return MPI_SUCCESS;
    }
    if (*found != 0) translate(*lane, status);
    return complain(*lane, code);
}
}
