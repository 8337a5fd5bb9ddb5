// Calls that wait for requests, look at them, and give them up.
#include <mpi.h>

#include <span>

#include "shield/calls/collectives/collective_requests.hpp"
#include "shield/calls/messages/native_persistent.hpp"
#include "shield/calls/messages/progress.hpp"
#include "shield/calls/messages/starts.hpp"
#include "shield/waits/messages.hpp"
#include "shield/waits/proxies.hpp"
#include "shield/waits/strangers.hpp"
#include "shield/waits/waiting.hpp"

namespace regraft::shield {
namespace {

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

bool requests_are_shielded() {
    return session().shield != nullptr;
}
/// Whether the arguments are left to MPI: it has an error for them, or the shield is off.
bool is_for_mpi(int size, MPI_Request const requests[]) {
    return !requests_are_shielded() || size < 0 || (requests == nullptr && size > 0);
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

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    if (!requests_are_shielded() || request == nullptr || *request == MPI_REQUEST_NULL)
        return PMPI_Wait(request, status);
    session().shield->help();
    auto const progress = finish(request, status, Look::waits, "MPI_Wait");
    return raise(progress.code, progress.face);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    if (!requests_are_shielded() || request == nullptr || *request == MPI_REQUEST_NULL)
        return PMPI_Test(request, flag, status);
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
    if (!requests_are_shielded() || request == MPI_REQUEST_NULL) return PMPI_Request_get_status(request, flag, status);
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
        messages_under_way.erase(*request);
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
