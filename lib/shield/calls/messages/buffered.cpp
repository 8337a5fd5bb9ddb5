// Buffered sends. When the program takes its buffer back, MPI waits for ever for its own buffered sends to the dead. So
// the data are copied here, and the program's buffer stays empty.
#include "shield/calls/messages/buffered.hpp"
#include <mpi.h>

#include <cstddef>
#include <list>
#include <vector>

#include "shield/calls/messages/starts.hpp"
#include "shield/waits/messages.hpp"

namespace regraft::shield {
namespace {

struct Sent {
    SentCopy copy;
    MPI_Request request = MPI_REQUEST_NULL;
};

/// Sends under way. Never destroyed: MPI may read from them until it ends.
std::list<Sent>& under_way() {
    static auto& sent = *new std::list<Sent>;
    return sent;
}

void forget_finished() {
    std::erase_if(under_way(), [](Sent& sent) {
        int done = 0;
        int const code = PMPI_Test(&sent.request, &done, MPI_STATUS_IGNORE);
        if (is_of_the_dead(code))
            session().count(&Counts::skipped_sends);  // for the program the send was over long ago
        return code != MPI_SUCCESS || done != 0;
    });
}

int send(Lane& lane, Buffer const& buffer, int to, int tag) {
    enter_message_call();
    if (is_out_of_range(lane, to)) return complain(lane, MPI_ERR_RANK);
    forget_finished();
    bool dead = is_lost(lane, to);
    int code = MPI_SUCCESS;
    if (!dead) {
        auto& sent = under_way().emplace_back(Sent{SentCopy(buffer)});
        code = PMPI_Isend(sent.copy.bytes.data(), sent.copy.count, sent.copy.type, lane.on_face(to), tag, lane.face,
                          &sent.request);
        dead = is_of_the_dead(code);
        if (code != MPI_SUCCESS) under_way().pop_back();
    }
    return complain(lane, dead ? send_nothing(lane, to) : code);
}

}  // namespace

void finish_buffered_sends() {
    for (forget_finished(); !under_way().empty(); forget_finished()) session().shield->help();
}

}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Bsend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Bsend(data, count, type, to, tag, comm);
    return send(*lane, {const_cast<void*>(data), count, type}, to, tag);
}

int MPI_Ibsend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Ibsend(data, count, type, to, tag, comm, request);
    int const code = send(*lane, {const_cast<void*>(data), count, type}, to, tag);
    return code != MPI_SUCCESS ? code : complete_request(MPI_PROC_NULL, MPI_ANY_TAG, request);
}

int MPI_Buffer_detach(void* buffer, int* size) {
    if (session().shield != nullptr) finish_buffered_sends();
    return PMPI_Buffer_detach(buffer, size);
}
}
