// Messages under way, and waiting for them. Requests are MPI's own; for receives, this module keeps where their data
// go. A request of the dead completes: a send is left out, and a receive brings nothing.
#include <mpi.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ft/backend.hpp"
#include "shield/calls/collectives/nonblocking.hpp"
#include "shield/calls/messages/native_persistent.hpp"
#include "shield/calls/messages/requests.hpp"
#include "shield/session/handle_map.hpp"
#include "shield/session/handles.hpp"
#include "shield/waits/any_source.hpp"
#include "shield/waits/messages.hpp"
#include "shield/waits/proxies.hpp"
#include "shield/waits/strangers.hpp"
#include "shield/waits/waiting.hpp"

namespace regraft::shield {
namespace {

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
auto& messages_under_way = *new HandleMap<MPI_Request, Message>;  // never destroyed
HandleMap<MPI_Request, Message>& under_way() {
    return messages_under_way;
}

/// The envelope of a complete request from a process that was dead before: its status names the rank that was asked.
struct Envelope {
    int from = 0;
    int tag = 0;
};
int query(void* envelope, MPI_Status* status) {
    auto const& asked = *static_cast<Envelope const*>(envelope);
    set_empty(status, asked.from, asked.tag);
    return MPI_SUCCESS;
}
int release(void* envelope) {
    delete static_cast<Envelope*>(envelope);
    return MPI_SUCCESS;
}
int cancel(void*, int) {
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
    int const code = PMPI_Grequest_start(query, release, cancel, envelope.get(), request);
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
    under_way()[request] = {true, face, buffer, from, tag, uses};
}

bool has_messages(MPI_Comm face) {
    return under_way().any_of([&](Message const& message) { return message.face == face; });
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
        under_way()[*request] = {false, comm, buffer, to, tag, {}};
    return complain(*lane, code);
}

/// Whether a request is over, and its code for the program.
struct Progress {
    bool done = false;
    int code = MPI_SUCCESS;
    MPI_Comm face = MPI_COMM_WORLD;  // the handler of this communicator is told
};

/// Completes a request that failed because its partner is dead.
int left_out(Message const& message, MPI_Status* status) {
    auto const* const lane = lane_of(message.face);
    if (lane == nullptr) return MPI_ERR_PROC_FAILED;
    if (message.receives) return receive_nothing(*lane, message.buffer, message.partner, message.tag, status);
    set_empty(status, MPI_PROC_NULL, MPI_ANY_TAG);
    return send_nothing(*lane, message.partner);
}

/// Completes a receive from any source, for which nothing has come, with an obituary if there is one.
Progress end_with_obituary(MPI_Request* request, MPI_Status* status, Look look, bool suspended) {
    auto const found = under_way().find(*request);
    auto const* const lane = lane_of(found->second.face);
    auto const dead = lane == nullptr ? std::nullopt : find_obituary(*lane, look, suspended);
    if (!dead) return {};
    auto const message = found->second;
    under_way().erase(found);
    auto const code = withdraw(request, status);
    if (!code) return {true, receive_obituary(*lane, message.buffer, *dead, message.tag, status), message.face};
    end_wait(*lane);
    translate(*lane, status);
    return {true, *code, message.face};
}

Progress look_at_message(MPI_Request* request, MPI_Status* status, Look look, char const* call) {
    auto const before = *request;
    int flag = 0;
    int code = PMPI_Test(request, &flag, status);
    if (code == MPI_SUCCESS && flag == 0 && !may_mourn() && !has_natives()) return {};
    auto const found = under_way().find(before);
    bool const known = found != under_way().end();
    bool const suspended = is_suspended(code) && *request != MPI_REQUEST_NULL;
    if (known && (suspended || (code == MPI_SUCCESS && flag == 0))) {
        if (found->second.receives && found->second.partner == MPI_ANY_SOURCE)
            return end_with_obituary(request, status, look, suspended);
        return {};
    }
    if (code == MPI_SUCCESS && flag == 0) {
        if (!known) guard_partner(call, before);
        return {};
    } else if (is_of_the_dead(code) && !known) {
        refuse(call, "a member has died during a nonblocking or persistent operation, which the shield cannot repeat");
    }
    if (!known) {
        end_native(before);
        note_ended(before);
    }
    if (!known && code == MPI_SUCCESS) {
        auto const ending = take_failure(before);
        return {true, ending.code, ending.face};
    }
    if (!known) return {true, code};
    auto const message = found->second;
    under_way().erase(found);
    if (is_of_the_dead(code)) return {true, left_out(message, status), message.face};
    auto* const lane = lane_of(message.face);
    if (lane == nullptr) return {true, code};
    if (message.receives && message.partner == MPI_ANY_SOURCE) end_wait(*lane);
    if (message.receives && code == MPI_SUCCESS) translate(*lane, status);
    return {true, code, message.face};
}

Progress look_at(MPI_Request* request, MPI_Status* status, Look look, char const* call) {
    if (*request == complete_at_once()) return {true, PMPI_Wait(request, status)};  // such requests are not registered
    auto* const proxy = find_proxy(*request);
    if (proxy == nullptr) return look_at_message(request, status, look, call);
    if (!proxy->active) {
        set_inactive(status);
        return {true, MPI_SUCCESS};
    }
    bool is_over = true;
    for (std::size_t i = 0; i < proxy->parts.size(); ++i) {
        auto& part = proxy->parts[i];
        if (part == MPI_REQUEST_NULL) continue;
        auto const progress = look_at_message(&part, i == 0 ? &proxy->status : MPI_STATUS_IGNORE, look, call);
        is_over = is_over && progress.done;
        if (progress.done) part = MPI_REQUEST_NULL;
        if (progress.code == MPI_SUCCESS) continue;
        proxy->code = progress.code;
        proxy->face = progress.face;
    }
    auto const face = proxy->face;
    return is_over ? Progress{true, finish_proxy(request, status), face} : Progress{};
}

/// Whether there is nothing to wait for, as the calls for several requests see it.
bool is_inactive(MPI_Request request) {
    if (request == MPI_REQUEST_NULL) return true;
    auto const* const proxy = find_proxy(request);
    return proxy == nullptr ? is_inactive_native(request) : !proxy->active;
}

/// The size of the largest message that is awaited; none if something other than messages is awaited, too.
std::optional<std::size_t> awaited_bytes(std::span<MPI_Request const> requests) {
    std::size_t most = 0;
    for (auto const request : requests) {
        if (is_inactive(request)) continue;
        auto const found = under_way().find(request);
        auto const* const proxy = find_proxy(request);
        auto const place = place_of_request(request);
        bool const is_there = place != MPI_COMM_NULL;
        if (proxy == nullptr && found == under_way().end() && !is_there) return {};
        auto const bytes = is_there           ? awaited_there(place)
                           : proxy != nullptr ? awaited_bytes(proxy->parts)
                                              : found->second.buffer.bytes();
        if (!bytes) return {};
        most = std::max(most, *bytes);
    }
    return most;
}

/// Is called when nothing that is awaited has come: ends the job if that is in vain.
void end_if_all_in_vain(std::span<MPI_Request const> requests) {
    if (!has_started_any()) return;
    for (auto const request : requests) {
        auto const place = place_of_request(request);
        if (place != MPI_COMM_NULL) end_if_in_vain(place);
    }
}
void look_in_vain(Looking& looking, std::span<MPI_Request const> requests) {
    looking.in_vain([&] { return awaited_bytes(requests); });
    end_if_all_in_vain(requests);
}
void wait_on(Waiting& waiting, std::span<MPI_Request const> requests) {
    waiting.go_on([&] { return awaited_bytes(requests); });
    end_if_all_in_vain(requests);
    session().shield->help();
}

/// Finds requests that MPI_Test would complete although MPI_Request_get_status does not say so.
class Obituaries {
public:
    /// The dead rank whose death completes the request, if any.
    std::optional<int> find(MPI_Request request) {
        auto const found = under_way().find(request);
        auto const* const lane = found == under_way().end() ? nullptr : lane_of(found->second.face);
        if (lane == nullptr) return {};
        auto const& message = found->second;
        if (message.partner != MPI_ANY_SOURCE)
            return can_not_send(*lane, message.partner) ? std::optional(message.partner) : std::nullopt;
        bool const is_one_left = has_obituaries(*lane, ++taken_[message.face]);
        return is_one_left ? look_for_obituary(*lane, Look::polls) : std::nullopt;
    }

private:
    std::map<MPI_Comm, int> taken_;  // number of obituaries taken, one for each receive
};

/// Whether the request is over for the program, even if MPI has not completed it because its partner is dead.
bool is_over(MPI_Request request, MPI_Status* status, Obituaries& obituaries) {
    if (auto const* const proxy = find_proxy(request)) {
        set_inactive(status);
        if (!proxy->active) return true;
        if (status != MPI_STATUS_IGNORE) *status = proxy->status;
        bool const first = proxy->parts[0] == MPI_REQUEST_NULL || is_over(proxy->parts[0], status, obituaries);
        return first &&
               (proxy->parts[1] == MPI_REQUEST_NULL || is_over(proxy->parts[1], MPI_STATUS_IGNORE, obituaries));
    }
    int done = 0;
    int const code = PMPI_Request_get_status(request, &done, status);
    auto const found = under_way().find(request);
    bool const known = found != under_way().end();
    auto const dead = known && done == 0 ? obituaries.find(request) : std::nullopt;
    if (dead || (known && is_of_the_dead(code))) {
        set_empty(status, found->second.receives ? dead.value_or(found->second.partner) : MPI_PROC_NULL,
                  found->second.tag);
        return true;
    }
    auto const* const lane = known ? lane_of(found->second.face) : nullptr;
    if (done != 0 && lane != nullptr && found->second.receives) translate(*lane, status);
    return done != 0 || code != MPI_SUCCESS;
}

/// The statuses of several requests: those of the program, or none.
class Statuses {
public:
    explicit Statuses(MPI_Status* theirs) : theirs_(theirs) {}
    MPI_Status* at(int i) const { return theirs_ == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : theirs_ + i; }
    void set_code(int i, int code) const {
        if (theirs_ != MPI_STATUSES_IGNORE) theirs_[i].MPI_ERROR = code;
    }

private:
    MPI_Status* theirs_;
};

bool is_shielded() {
    return session().shield != nullptr;
}
/// Whether the arguments are left to MPI: it has an error for them, or the shield is off.
bool is_for_mpi(int size, MPI_Request const requests[]) {
    return !is_shielded() || size < 0 || (requests == nullptr && size > 0);
}

int raise(int code, MPI_Comm face = MPI_COMM_WORLD) {
    if (code == MPI_SUCCESS) return code;
    auto* const lane = lane_of(face);
    return lane == nullptr ? code : complain(*lane, code);
}

/// Tells the handler of the communicator of the first failed request, for calls with several requests.
int raise_in_status(Progress const& failed) {
    return raise(failed.code, failed.face) == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_IN_STATUS;
}

/// Waits for a request, or looks once; returns whether it is over.
Progress finish(MPI_Request* request, MPI_Status* status, Look look, char const* call) {
    Waiting waiting;
    for (;;) {
        auto const progress = look_at(request, status, look, call);
        if (progress.done || look == Look::polls) return progress;
        wait_on(waiting, {request, 1});
    }
}

/// Completes the requests that are over. *count is their number; MPI_UNDEFINED if no request is active.
int finish_some(int size, MPI_Request requests[], int* count, int indices[], Statuses const& statuses, Look look,
                char const* call) {
    Progress failed;  // the first that failed
    Waiting waiting;
    for (;;) {
        bool active = false;
        *count = 0;
        for (int i = 0; i < size; ++i) {
            if (is_inactive(requests[i])) continue;
            active = true;
            auto const progress = look_at(&requests[i], statuses.at(*count), look, call);
            if (!progress.done) continue;
            statuses.set_code(*count, progress.code);
            if (failed.code == MPI_SUCCESS) failed = progress;
            indices[(*count)++] = i;
        }
        if (!active) {
            *count = MPI_UNDEFINED;
            return MPI_SUCCESS;
        }
        if (*count > 0 || look == Look::polls) {
            waiting.end();
            return raise_in_status(failed);
        }
        wait_on(waiting, {requests, static_cast<std::size_t>(size)});
    }
}

/// Completes one of several requests.
int finish_any(int size, MPI_Request requests[], int* index, int* flag, MPI_Status* status, Look look,
               char const* call) {
    session().shield->help();
    Waiting waiting;
    for (;;) {
        bool active = false;
        for (int i = 0; i < size; ++i) {
            if (is_inactive(requests[i])) continue;
            active = true;
            auto const progress = look_at(&requests[i], status, look, call);
            if (!progress.done) continue;
            waiting.end();
            *index = i;
            *flag = 1;
            return raise(progress.code, progress.face);
        }
        *index = MPI_UNDEFINED;
        *flag = active ? 0 : 1;
        if (!active) set_inactive(status);
        if (!active || look == Look::polls) return MPI_SUCCESS;
        wait_on(waiting, {requests, static_cast<std::size_t>(size)});
    }
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

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    if (!is_shielded() || request == nullptr || *request == MPI_REQUEST_NULL) return PMPI_Wait(request, status);
    session().shield->help();
    auto const progress = finish(request, status, Look::waits, "MPI_Wait");
    return raise(progress.code, progress.face);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    if (!is_shielded() || request == nullptr || *request == MPI_REQUEST_NULL) return PMPI_Test(request, flag, status);
    Looking looking;
    session().shield->help();
    auto const progress = finish(request, status, Look::polls, "MPI_Test");
    *flag = progress.done ? 1 : 0;
    if (*flag == 0) look_in_vain(looking, {request, 1});
    return raise(progress.code, progress.face);
}

int MPI_Waitall(int size, MPI_Request requests[], MPI_Status* theirs) {
    if (is_for_mpi(size, requests)) return PMPI_Waitall(size, requests, theirs);
    session().shield->help();
    Statuses const statuses(theirs);
    Progress failed;  // the first that failed
    for (int i = 0; i < size; ++i) {
        auto const progress = requests[i] == MPI_REQUEST_NULL
                                  ? Progress{true, PMPI_Wait(&requests[i], statuses.at(i))}
                                  : finish(&requests[i], statuses.at(i), Look::waits, "MPI_Waitall");
        statuses.set_code(i, progress.code);
        if (failed.code == MPI_SUCCESS) failed = progress;
    }
    return raise_in_status(failed);
}

int MPI_Testall(int size, MPI_Request requests[], int* flag, MPI_Status* theirs) {
    if (is_for_mpi(size, requests)) return PMPI_Testall(size, requests, flag, theirs);
    Looking looking;
    session().shield->help();
    *flag = 0;
    Obituaries obituaries;
    for (int i = 0; i < size; ++i) {
        if (is_over(requests[i], MPI_STATUS_IGNORE, obituaries)) continue;
        look_in_vain(looking, {requests, static_cast<std::size_t>(size)});
        return MPI_SUCCESS;
    }
    *flag = 1;
    return MPI_Waitall(size, requests, theirs);
}

int MPI_Waitany(int size, MPI_Request requests[], int* index, MPI_Status* status) {
    if (is_for_mpi(size, requests)) return PMPI_Waitany(size, requests, index, status);
    int flag = 0;
    return finish_any(size, requests, index, &flag, status, Look::waits, "MPI_Waitany");
}
int MPI_Testany(int size, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
    if (is_for_mpi(size, requests)) return PMPI_Testany(size, requests, index, flag, status);
    Looking looking;
    int const code = finish_any(size, requests, index, flag, status, Look::polls, "MPI_Testany");
    if (*flag == 0) look_in_vain(looking, {requests, static_cast<std::size_t>(size)});
    return code;
}

int MPI_Waitsome(int size, MPI_Request requests[], int* count, int indices[], MPI_Status* statuses) {
    if (is_for_mpi(size, requests)) return PMPI_Waitsome(size, requests, count, indices, statuses);
    session().shield->help();
    return finish_some(size, requests, count, indices, Statuses(statuses), Look::waits, "MPI_Waitsome");
}
int MPI_Testsome(int size, MPI_Request requests[], int* count, int indices[], MPI_Status* statuses) {
    if (is_for_mpi(size, requests)) return PMPI_Testsome(size, requests, count, indices, statuses);
    Looking looking;
    session().shield->help();
    int const code = finish_some(size, requests, count, indices, Statuses(statuses), Look::polls, "MPI_Testsome");
    if (*count == 0) look_in_vain(looking, {requests, static_cast<std::size_t>(size)});
    return code;
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
    if (!is_shielded() || request == MPI_REQUEST_NULL) return PMPI_Request_get_status(request, flag, status);
    Looking looking;
    session().shield->help();
    Obituaries obituaries;
    *flag = is_over(request, status, obituaries) ? 1 : 0;
    if (*flag == 0) look_in_vain(looking, {&request, 1});
    return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request* request) {
    if (request == nullptr || *request == MPI_REQUEST_NULL) return PMPI_Request_free(request);
    if (is_collective_under_way(*request)) return raise(MPI_ERR_REQUEST);  // MPI cannot cancel a collective
    auto* const proxy = find_proxy(*request);
    if (proxy == nullptr) {
        under_way().erase(*request);
        forget_native(*request);
        note_ended(*request);
        return PMPI_Request_free(request);
    }
    for (auto& part : proxy->parts) {
        if (part == MPI_REQUEST_NULL) continue;
        if (int const code = MPI_Request_free(&part); code != MPI_SUCCESS) return code;
    }
    return free_proxy(request);
}

int MPI_Cancel(MPI_Request* request) {
    if (request == nullptr) return PMPI_Cancel(request);
    if (is_collective_under_way(*request)) return raise(MPI_ERR_REQUEST);
    auto* const proxy = find_proxy(*request);
    if (proxy == nullptr) return PMPI_Cancel(request);
    for (auto& part : proxy->parts) {
        if (part == MPI_REQUEST_NULL) continue;
        if (int const code = MPI_Cancel(&part); code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
}
}
