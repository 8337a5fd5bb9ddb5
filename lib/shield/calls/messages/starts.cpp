#include "shield/calls/messages/starts.hpp"

#include <utility>
#include <vector>

#include "shield/waits/any_source.hpp"
#include "shield/waits/messages.hpp"
#include "shield/waits/strangers.hpp"

namespace regraft::shield {

HandleMap<MPI_Request, Message>& messages_under_way = *new HandleMap<MPI_Request, Message>;  // never destroyed

namespace {

/// The envelope of a complete request from a process that was dead before: its status names the rank that was asked.
struct Envelope {
    int from = 0;
    int tag = 0;
};
int query_start(void* envelope, MPI_Status* status) {
    auto const& asked = *static_cast<Envelope const*>(envelope);
    set_empty(status, asked.from, asked.tag);
    return MPI_SUCCESS;
}
int release_start(void* envelope) {
    delete static_cast<Envelope*>(envelope);
    return MPI_SUCCESS;
}
int cancel_start(void*, int) {
    return MPI_SUCCESS;
}

/// Returns an error without a request, after telling the program's handler.
int fail(Lane& lane, int code, MPI_Request* request) {
    *request = MPI_REQUEST_NULL;
    return complain(lane, code);
}

}  // namespace

int complete_request(int from, int tag, MPI_Request* request) {
    auto envelope = std::make_unique<Envelope>(Envelope{from, tag});
    int const code = PMPI_Grequest_start(query_start, release_start, cancel_start, envelope.get(), request);
    if (code != MPI_SUCCESS) return code;
    static_cast<void>(envelope.release());
    return PMPI_Grequest_complete(*request);
}

int start_nothing(MPI_Comm face, Buffer const& buffer, int from, int tag, MPI_Request* request) {
    auto* const lane = lane_of(face);
    if (lane == nullptr) return MPI_ERR_PROC_FAILED;
    int const code = receive_nothing(*lane, buffer, from, tag, MPI_STATUS_IGNORE);
    return code != MPI_SUCCESS ? fail(*lane, code, request) : complete_request(from, tag, request);
}

void expect_message(MPI_Request request, MPI_Comm face, Buffer const& buffer, int from, int tag) {
    auto const uses = buffer.is_plain() ? nullptr : std::make_shared<Uses>(std::vector<MPI_Datatype>{buffer.type});
    messages_under_way[request] = {true, face, buffer, from, tag, uses};
}

bool has_messages(MPI_Comm face) {
    return messages_under_way.any_of([&](Message const& message) { return message.face == face; });
}

namespace {

using Start = int (*)(void const*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

int start_send(Start start, Buffer const& buffer, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) {
        int const code = start(buffer.data, buffer.count, buffer.type, to, tag, comm, request);
        if (code == MPI_SUCCESS && *request != complete_at_once()) note_started(*request, comm);
        return code;
    }
    enter_message_call();
    if (is_out_of_range(*lane, to)) return complain(*lane, MPI_ERR_RANK);
    bool dead = is_lost(*lane, to);
    int code = MPI_SUCCESS;
    if (!dead) {
        code = start(buffer.data, buffer.count, buffer.type, lane->on_face(to), tag, comm, request);
        dead = is_of_the_dead(code);
    }
    if (dead) {
        code = send_nothing(*lane, to);
        return code != MPI_SUCCESS ? fail(*lane, code, request) : complete_request(MPI_PROC_NULL, MPI_ANY_TAG, request);
    }
    if (code == MPI_SUCCESS && *request != complete_at_once())
        messages_under_way[*request] = {false, comm, buffer, to, tag, {}};
    return complain(*lane, code);
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Isend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    return start_send(PMPI_Isend, {const_cast<void*>(data), count, type}, to, tag, comm, request);
}
int MPI_Issend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    return start_send(PMPI_Issend, {const_cast<void*>(data), count, type}, to, tag, comm, request);
}
int MPI_Irsend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    return start_send(PMPI_Irsend, {const_cast<void*>(data), count, type}, to, tag, comm, request);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) {
        int const code = PMPI_Irecv(data, count, type, from, tag, comm, request);
        if (code == MPI_SUCCESS && *request != complete_at_once()) note_started(*request, comm);
        return code;
    }
    enter_message_call();
    if (is_out_of_range(*lane, from)) return complain(*lane, MPI_ERR_RANK);
    Buffer const buffer{data, count, type};
    receive_probed(*lane, from);
    bool dead = is_not_on_face(*lane, from);
    int code = MPI_SUCCESS;
    if (!dead) {
        code = PMPI_Irecv(data, count, type, lane->on_face(from), tag, comm, request);
        dead = is_of_the_dead(code);
    }
    if (dead) return start_nothing(comm, buffer, from, tag, request);
    if (code == MPI_SUCCESS && *request != complete_at_once()) expect_message(*request, comm, buffer, from, tag);
    return complain(*lane, code);
}
}
