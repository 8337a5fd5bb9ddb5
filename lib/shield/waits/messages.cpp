#include "shield/waits/messages.hpp"
#include <mpi.h>

#include <algorithm>
#include <string>

#include "shield/waits/any_source.hpp"

namespace regraft::shield {
namespace backend = ft::backend;

bool all_others_dead(Lane const& lane) {
    for (int rank = 0; rank < static_cast<int>(lane.size()); ++rank) {
        if (rank == lane.self || !lane.lives(rank)) continue;
        if (!backend::is_dead(lane.face, lane.on_face(rank))) return false;
    }
    return true;
}

bool can_not_send(Lane const& lane, int from) {
    if (from == MPI_ANY_SOURCE) return all_others_dead(lane);
    return from >= 0 && (is_not_on_face(lane, from) || backend::is_dead(lane.face, lane.on_face(from)));
}

MPI_Request complete_at_once() {
    static MPI_Request const handle = [] {
        MPI_Request requests[2];
        for (auto& request : requests) PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
        auto const first = requests[0] == requests[1] ? requests[0] : MPI_REQUEST_NULL;
        PMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        return first;
    }();
    return handle;
}

namespace {

/// Completes a receive from the dead. asked: the rank from which the program receives, or MPI_ANY_SOURCE; from: the
/// dead one.
int leave_out(Lane const& lane, int asked, Buffer const& buffer, int from, int tag, MPI_Status* status) {
    auto& it = session();
    notice_death(lane, from);
    set_empty(status, from, tag);
    if (it.policy.receives == WithDead::raise_error) return MPI_ERR_PROC_FAILED;
    auto const who = from < 0 ? std::string("all other ranks are dead") : "rank " + std::to_string(from) + " is dead";
    if (it.policy.receives == WithDead::end_job)
        refuse(Entry::current()->family().name,
               who + "; REGRAFT_SHIELD_RECV_DEAD=hole lets the program go on without the message");
    it.count(&Counts::skipped_receives);
    buffer.make_hole();
    say_once(who + ": receives from the dead bring no data");
    note_hole(lane, asked);
    return MPI_SUCCESS;
}

}  // namespace

int receive_nothing(Lane const& lane, Buffer const& buffer, int from, int tag, MPI_Status* status) {
    return leave_out(lane, from, buffer, from, tag, status);
}

int receive_obituary(Lane const& lane, Buffer const& buffer, int dead, int tag, MPI_Status* status) {
    deliver_obituary(lane, dead);
    if (session().policy.any_source != AnySource::error)
        return leave_out(lane, MPI_ANY_SOURCE, buffer, dead, tag, status);
    set_empty(status, dead, tag);
    return MPI_ERR_PROC_FAILED;
}

void translate(Lane const& lane, MPI_Status* status) {
    end_holes();
    if (status == MPI_STATUS_IGNORE || lane.native.empty() || status->MPI_SOURCE < 0) return;
    auto const found = std::find(lane.native.begin(), lane.native.end(), status->MPI_SOURCE);
    status->MPI_SOURCE = static_cast<int>(found - lane.native.begin());
}

void set_empty(MPI_Status* status, int from, int tag) {
    if (status == MPI_STATUS_IGNORE) return;
    status->MPI_SOURCE = from;
    status->MPI_TAG = tag == MPI_ANY_TAG ? 0 : tag;
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
}

void set_inactive(MPI_Status* status) {
    if (status == MPI_STATUS_IGNORE) return;
    set_empty(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
    status->MPI_TAG = MPI_ANY_TAG;
    status->MPI_ERROR = MPI_SUCCESS;
}

}  // namespace regraft::shield
