// Messages whose parts are shielded: a send and a receive at once, and messages that are found before they are
// received.
#include <mpi.h>

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "shield/calls/messages/starts.hpp"
#include "shield/waits/any_source.hpp"
#include "shield/waits/messages.hpp"
#include "shield/waits/proxies.hpp"
#include "shield/waits/strangers.hpp"
#include "shield/waits/waiting.hpp"

namespace regraft::shield {
namespace {

/// A message that MPI_Mprobe has found.
struct Found {
    MPI_Comm face = MPI_COMM_NULL;
    int from = 0;
    int tag = 0;
};
std::unordered_map<MPI_Message, Found>& found_messages() {
    static auto& messages = *new std::unordered_map<MPI_Message, Found>;  // never destroyed
    return messages;
}
/// Messages from the dead that did not come. All have the same handle, so they are received in this order.
std::deque<Found>& missing_messages() {
    static auto& messages = *new std::deque<Found>;  // never destroyed
    return messages;
}

void miss_message(MPI_Comm face, int from, int tag, MPI_Message* message, MPI_Status* status) {
    *message = MPI_MESSAGE_NO_PROC;
    missing_messages().push_back({face, from, tag});
    set_empty(status, from, tag);
}

int find_message(Lane& lane, Look look, int from, int tag, int* is_there, MPI_Message* message, MPI_Status* status) {
    session().shield->help();
    *is_there = 0;
    if (is_out_of_range(lane, from)) return complain(lane, MPI_ERR_RANK);
    MPI_Status seen;
    int code = MPI_SUCCESS;
    if (!is_not_on_face(lane, from)) code = PMPI_Improbe(lane.on_face(from), tag, lane.face, is_there, message, &seen);
    bool const failed = is_of_the_dead(code);
    if (failed) *is_there = 0;
    auto const dead = *is_there == 0 ? find_dead(lane, look, from) : std::nullopt;
    if (dead && from == MPI_ANY_SOURCE && session().policy.any_source == AnySource::error)
        return complain(lane, receive_obituary(lane, {}, *dead, tag, status));
    if (dead) {
        if (from == MPI_ANY_SOURCE) {
            deliver_obituary(lane, *dead);
            note_hole(lane, MPI_ANY_SOURCE);
        }
        *is_there = 1;
        miss_message(lane.face, *dead, tag, message, status);
    }
    if (dead || failed) return MPI_SUCCESS;
    if (code != MPI_SUCCESS || *is_there == 0) return complain(lane, code);
    translate(lane, &seen);
    if (*message != MPI_MESSAGE_NO_PROC) found_messages()[*message] = {lane.face, seen.MPI_SOURCE, seen.MPI_TAG};
    if (status != MPI_STATUS_IGNORE) *status = seen;
    return code;
}

/// Makes a request from its parts; the receive gives the status.
int compose(MPI_Request* request, int code, Proxy::Parts& parts) {
    if (code == MPI_SUCCESS) return make_composed(request, parts);
    if (parts[0] != MPI_REQUEST_NULL) {
        MPI_Cancel(&parts[0]);
        MPI_Request_free(&parts[0]);
    }
    return code;
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to, int send_tag, int from, int tag,
                         MPI_Comm comm, MPI_Status* status) {
    if (lane_of(comm) == nullptr)
        return PMPI_Sendrecv_replace(data, count, type, to, send_tag, from, tag, comm, status);
    SentCopy const sent({data, count, type});
    return MPI_Sendrecv(sent.bytes.data(), sent.count, sent.type, to, send_tag, data, count, type, from, tag, comm,
                        status);
}

int MPI_Isendrecv(void const* send, int send_count, MPI_Datatype send_type, int to, int send_tag, void* data, int count,
                  MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    if (lane_of(comm) == nullptr)
        return PMPI_Isendrecv(send, send_count, send_type, to, send_tag, data, count, type, from, tag, comm, request);
    Proxy::Parts parts{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int code = MPI_Irecv(data, count, type, from, tag, comm, &parts[0]);
    if (code == MPI_SUCCESS) code = MPI_Isend(send, send_count, send_type, to, send_tag, comm, &parts[1]);
    return compose(request, code, parts);
}

int MPI_Isendrecv_replace(void* data, int count, MPI_Datatype type, int to, int send_tag, int from, int tag,
                          MPI_Comm comm, MPI_Request* request) {
    if (lane_of(comm) == nullptr)
        return PMPI_Isendrecv_replace(data, count, type, to, send_tag, from, tag, comm, request);
    auto const sent = std::make_shared<SentCopy>(Buffer{data, count, type});
    int const code = MPI_Isendrecv(sent->bytes.data(), sent->count, sent->type, to, send_tag, data, count, type, from,
                                   tag, comm, request);
    if (code == MPI_SUCCESS) find_proxy(*request)->held = sent;
    return code;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int* is_there, MPI_Message* message, MPI_Status* status) {
    auto* const lane = lane_of(comm);
    if (session().shield == nullptr) return PMPI_Improbe(from, tag, comm, is_there, message, status);
    Looking looking;
    if (lane == nullptr) {
        int const code = PMPI_Improbe(from, tag, comm, is_there, message, status);
        if (code != MPI_SUCCESS || *is_there != 0) return code;
        looking.in_vain([&] { return awaited_there(comm); });
        end_if_in_vain(comm);
        return code;
    }
    int const code = find_message(*lane, Look::polls, from, tag, is_there, message, status);
    if (*is_there == 0) looking.in_vain([] { return 0; });
    return code;
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Mprobe(from, tag, comm, message, status);
    enter_message_call();
    Waiting waiting;
    for (int is_there = 0;;) {
        // Asked before the search: a message that came before the death is then there.
        bool const dead = from != MPI_ANY_SOURCE && can_not_send(*lane, from);
        int const code = find_message(*lane, Look::waits, from, tag, &is_there, message, status);
        if (code != MPI_SUCCESS || is_there != 0) return code;
        if (!dead) {
            waiting.go_on([] { return 0; });
            continue;
        }
        receive_probed(*lane, from);
        miss_message(comm, from, tag, message, status);
        return MPI_SUCCESS;
    }
}

int MPI_Imrecv(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
    Buffer const buffer{data, count, type};
    if (*message == MPI_MESSAGE_NO_PROC && !missing_messages().empty()) {
        auto const missing = missing_messages().front();
        missing_messages().pop_front();
        *message = MPI_MESSAGE_NULL;
        return start_nothing(missing.face, buffer, missing.from, missing.tag, request);
    }
    auto const node = found_messages().extract(*message);
    int const code = PMPI_Imrecv(data, count, type, message, request);
    if (!node) return code;
    auto const& found = node.mapped();
    if (is_of_the_dead(code)) return start_nothing(found.face, buffer, found.from, found.tag, request);
    if (code == MPI_SUCCESS) expect_message(*request, found.face, buffer, found.from, found.tag);
    auto* const lane = lane_of(found.face);
    return lane == nullptr ? code : complain(*lane, code);
}

int MPI_Mrecv(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
    if (session().shield == nullptr) return PMPI_Mrecv(data, count, type, message, status);
    MPI_Request request = MPI_REQUEST_NULL;
    int const code = MPI_Imrecv(data, count, type, message, &request);
    return code != MPI_SUCCESS ? code : MPI_Wait(&request, status);
}
}
