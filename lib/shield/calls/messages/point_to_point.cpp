// Messages. They use the face, which repairs do not touch. A process that waits for a message takes part in repairs
// meanwhile, because others may need what only it knows.
#include <mpi.h>

#include "ft/backend.hpp"
#include "shield/lanes/fail_points.hpp"
#include "shield/waits/any_source.hpp"
#include "shield/waits/messages.hpp"
#include "shield/waits/strangers.hpp"
#include "shield/waits/waiting.hpp"

namespace regraft::shield {
namespace backend = ft::backend;

namespace {

/// Waits for the request, and returns the code with which it completes.
int await(MPI_Request* request, Buffer const& buffer, MPI_Status* status) {
    Waiting waiting;
    for (;;) {
        int done = 0;
        int const code = PMPI_Test(request, &done, status);
        if (code != MPI_SUCCESS || done != 0) return code;
        waiting.go_on([&] { return buffer.bytes(); });
        session().shield->help();
    }
}

/// Waits on a communicator that is not shielded. Other operations progress meanwhile, which a blocking call of MPI
/// would prevent.
int await_native(MPI_Comm comm, MPI_Request request, MPI_Status* status) {
    Waiting waiting;
    for (int done = 0;;) {
        int const code = PMPI_Test(&request, &done, status);
        if (code != MPI_SUCCESS || done != 0) return code;
        waiting.go_on([&] { return awaited_there(comm); });
        end_if_in_vain(comm);
        session().shield->help();
    }
}
template <class Start>
int await_native(MPI_Comm comm, Start const& start, MPI_Status* status) {
    MPI_Request request = MPI_REQUEST_NULL;
    int const code = start(&request);
    return code != MPI_SUCCESS ? code : await_native(comm, request, status);
}

/// Probes repeatedly. A blocking probe of MPI would keep this process from repairs, but it ends if the source dies; a
/// nonblocking one does not notice that.
int probe_native(int from, int tag, MPI_Comm comm, MPI_Status* status) {
    Waiting waiting;
    for (int found = 0;;) {
        bool const dead = from >= 0 && backend::knows_of_deaths(MPI_COMM_WORLD) && is_dead_there(comm, from);
        int const code = PMPI_Iprobe(from, tag, comm, &found, status);
        if (code != MPI_SUCCESS || found != 0) return code;
        if (dead) return PMPI_Probe(from, tag, comm, status);
        waiting.go_on([&] { return awaited_there(comm); });
        end_if_in_vain(comm);
        session().shield->help();
    }
}

bool is_shielded() {
    return session().shield != nullptr;
}

/// Waits for a receive from any source, which goes on among the living as long as the policy says. Returns the code for
/// the program.
int await_any(Lane const& lane, MPI_Request* request, Buffer const& buffer, int tag, MPI_Status* status) {
    Waiting waiting;
    for (;;) {
        int done = 0;
        int code = PMPI_Test(request, &done, status);
        bool const suspended = is_suspended(code) && *request != MPI_REQUEST_NULL;
        if (!suspended && (code != MPI_SUCCESS || done != 0)) {
            end_wait(lane);
            translate(lane, status);
            return code;
        }
        waiting.go_on([&] { return buffer.bytes(); });
        if (auto const dead = find_obituary(lane, Look::waits, suspended)) {
            auto const ended = withdraw(request, status);
            if (!ended) return receive_obituary(lane, buffer, *dead, tag, status);
            end_wait(lane);
            translate(lane, status);
            return *ended;
        }
        session().shield->help();
    }
}

using Start = int (*)(void const*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

int send(Lane& lane, Start start, Buffer const& buffer, int to, int tag) {
    if (is_out_of_range(lane, to)) return complain(lane, MPI_ERR_RANK);
    int code = MPI_SUCCESS;
    bool dead = is_lost(lane, to);
    if (!dead) {
        MPI_Request request = MPI_REQUEST_NULL;
        code = start(buffer.data, buffer.count, buffer.type, lane.on_face(to), tag, lane.face, &request);
        if (code == MPI_SUCCESS && request != complete_at_once()) code = await(&request, buffer, MPI_STATUS_IGNORE);
        dead = is_of_the_dead(code);
    }
    return complain(lane, dead ? send_nothing(lane, to) : code);
}

int finish_receive(Lane& lane, MPI_Request* request, Buffer const& buffer, int from, int tag, MPI_Status* status) {
    if (from == MPI_ANY_SOURCE) return complain(lane, await_any(lane, request, buffer, tag, status));
    int const code = await(request, buffer, status);
    if (is_of_the_dead(code)) return complain(lane, receive_nothing(lane, buffer, from, tag, status));
    translate(lane, status);
    return complain(lane, code);
}

int find_message(Lane& lane, Look look, int from, int tag, int* found, MPI_Status* status) {
    session().shield->help();
    *found = 0;
    if (is_out_of_range(lane, from)) return complain(lane, MPI_ERR_RANK);
    int code = MPI_SUCCESS;
    if (!is_not_on_face(lane, from)) code = PMPI_Iprobe(lane.on_face(from), tag, lane.face, found, status);
    bool const failed = is_of_the_dead(code);
    if (failed) *found = 0;
    auto const dead = *found == 0 ? find_dead(lane, look, from) : std::nullopt;
    if (dead && from == MPI_ANY_SOURCE && session().policy.any_source == AnySource::error)
        return complain(lane, receive_obituary(lane, {}, *dead, tag, status));
    if (dead) {
        if (from == MPI_ANY_SOURCE) probe_obituary(lane, *dead);
        set_empty(status, *dead, tag);
        *found = 1;
        return MPI_SUCCESS;
    }
    if (failed) return MPI_SUCCESS;
    if (*found != 0) translate(lane, status);
    return complain(lane, code);
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

namespace backend = regraft::ft::backend;

extern "C" {

int MPI_Send(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (!is_shielded()) return PMPI_Send(data, count, type, to, tag, comm);
    if (lane == nullptr)
        return await_native(
            comm, [&](MPI_Request* request) { return PMPI_Isend(data, count, type, to, tag, comm, request); },
            MPI_STATUS_IGNORE);
    enter_message_call();
    return send(*lane, PMPI_Isend, {const_cast<void*>(data), count, type}, to, tag);
}

int MPI_Ssend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (!is_shielded()) return PMPI_Ssend(data, count, type, to, tag, comm);
    if (lane == nullptr)
        return await_native(
            comm, [&](MPI_Request* request) { return PMPI_Issend(data, count, type, to, tag, comm, request); },
            MPI_STATUS_IGNORE);
    enter_message_call();
    return send(*lane, PMPI_Issend, {const_cast<void*>(data), count, type}, to, tag);
}

int MPI_Rsend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (!is_shielded()) return PMPI_Rsend(data, count, type, to, tag, comm);
    if (lane == nullptr)
        return await_native(
            comm, [&](MPI_Request* request) { return PMPI_Irsend(data, count, type, to, tag, comm, request); },
            MPI_STATUS_IGNORE);
    enter_message_call();
    return send(*lane, PMPI_Irsend, {const_cast<void*>(data), count, type}, to, tag);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    auto* const lane = lane_of(comm);
    if (!is_shielded()) return PMPI_Recv(data, count, type, from, tag, comm, status);
    if (lane == nullptr)
        return await_native(
            comm, [&](MPI_Request* request) { return PMPI_Irecv(data, count, type, from, tag, comm, request); },
            status);
    enter_message_call();
    Buffer const buffer{data, count, type};
    if (is_out_of_range(*lane, from)) return complain(*lane, MPI_ERR_RANK);
    receive_probed(*lane, from);
    if (is_not_on_face(*lane, from)) return complain(*lane, receive_nothing(*lane, buffer, from, tag, status));
    MPI_Request request = MPI_REQUEST_NULL;
    int const code = PMPI_Irecv(data, count, type, lane->on_face(from), tag, lane->face, &request);
    if (is_of_the_dead(code)) return complain(*lane, receive_nothing(*lane, buffer, from, tag, status));
    if (code != MPI_SUCCESS) return complain(*lane, code);
    return finish_receive(*lane, &request, buffer, from, tag, status);
}

int MPI_Sendrecv(void const* send_data, int send_count, MPI_Datatype send_type, int to, int send_tag, void* data,
                 int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    auto* const lane = lane_of(comm);
    if (!is_shielded())
        return PMPI_Sendrecv(send_data, send_count, send_type, to, send_tag, data, count, type, from, tag, comm,
                             status);
    if (lane == nullptr) {
        MPI_Request receipt = MPI_REQUEST_NULL;
        int code = PMPI_Irecv(data, count, type, from, tag, comm, &receipt);
        if (code == MPI_SUCCESS)
            code = await_native(
                comm,
                [&](MPI_Request* request) {
                    return PMPI_Isend(send_data, send_count, send_type, to, send_tag, comm, request);
                },
                MPI_STATUS_IGNORE);
        return code != MPI_SUCCESS ? code : await_native(comm, receipt, status);
    }
    enter_message_call();
    Buffer const buffer{data, count, type};
    if (is_out_of_range(*lane, from)) return complain(*lane, MPI_ERR_RANK);
    receive_probed(*lane, from);
    MPI_Request request = MPI_REQUEST_NULL;
    bool nobody = is_not_on_face(*lane, from);
    if (!nobody) {
        int const code = PMPI_Irecv(data, count, type, lane->on_face(from), tag, lane->face, &request);
        nobody = is_of_the_dead(code);
        if (code != MPI_SUCCESS && !nobody) return complain(*lane, code);
    }
    int const sent = send(*lane, PMPI_Isend, {const_cast<void*>(send_data), send_count, send_type}, to, send_tag);
    if (sent != MPI_SUCCESS && !is_of_the_dead(sent)) {  // the same error may occur on the partner: nothing will come
        if (!nobody) withdraw(&request, status);
        return sent;
    }
    int const received = nobody ? complain(*lane, receive_nothing(*lane, buffer, from, tag, status))
                                : finish_receive(*lane, &request, buffer, from, tag, status);
    return sent != MPI_SUCCESS ? sent : received;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
    auto* const lane = lane_of(comm);
    if (!is_shielded()) return PMPI_Probe(from, tag, comm, status);
    if (lane == nullptr) return probe_native(from, tag, comm, status);
    enter_message_call();
    Waiting waiting;
    for (int found = 0;;) {
        // Asked before the search: a message that came before the death is then there.
        bool const dead = from != MPI_ANY_SOURCE && can_not_send(*lane, from);
        int const code = find_message(*lane, Look::waits, from, tag, &found, status);
        if (code != MPI_SUCCESS || found != 0) return code;
        if (dead) {
            note_hole(*lane, from);
            set_empty(status, from, tag);
            return MPI_SUCCESS;
        }
        waiting.go_on([] { return 0; });
    }
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
    auto* const lane = lane_of(comm);
    if (!is_shielded()) return PMPI_Iprobe(from, tag, comm, found, status);
    Looking looking;
    if (lane == nullptr) {
        int const code = PMPI_Iprobe(from, tag, comm, found, status);
        if (code != MPI_SUCCESS || *found != 0) return code;
        looking.in_vain([&] { return awaited_there(comm); });
        end_if_in_vain(comm);
        return code;
    }
    int const code = find_message(*lane, Look::polls, from, tag, found, status);
    if (*found == 0) looking.in_vain([] { return 0; });
    return code;
}
}
