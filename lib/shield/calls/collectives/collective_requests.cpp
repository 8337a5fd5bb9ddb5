// These are generalized requests of MPI: complete when all members have succeeded.
#include "shield/calls/collectives/collective_requests.hpp"

#include <unordered_map>
#include <unordered_set>

#include "shield/waits/messages.hpp"

namespace regraft::shield {
namespace {

std::unordered_set<MPI_Request>& under_way() {
    static auto& requests = *new std::unordered_set<MPI_Request>;  // never destroyed
    return requests;
}
std::unordered_map<MPI_Request, Ending>& failures() {
    static auto& endings = *new std::unordered_map<MPI_Request, Ending>;  // never destroyed
    return endings;
}

int query_collective(void*, MPI_Status* status) {
    set_empty(status, MPI_UNDEFINED, MPI_UNDEFINED);
    return MPI_SUCCESS;
}
int release_collective(void*) {
    return MPI_SUCCESS;
}
int cancel_collective(void*, int) {
    return MPI_ERR_REQUEST;  // there is no such request
}

}  // namespace

int begin_request(MPI_Request* request) {
    int const code = PMPI_Grequest_start(query_collective, release_collective, cancel_collective, nullptr, request);
    if (code == MPI_SUCCESS) under_way().insert(*request);
    return code;
}

void end_request(MPI_Request request, Ending ending) {
    if (ending.code != MPI_SUCCESS) failures()[request] = ending;
    under_way().erase(request);
    PMPI_Grequest_complete(request);
}

void withdraw_request(MPI_Request* request) {
    under_way().erase(*request);
    PMPI_Grequest_complete(*request);
    PMPI_Request_free(request);
}

bool has_collectives_under_way() {
    return !under_way().empty();
}

bool is_collective_under_way(MPI_Request request) {
    return under_way().contains(request);
}

Ending take_failure(MPI_Request request) {
    if (failures().empty()) return {};
    auto const node = failures().extract(request);
    return node ? node.mapped() : Ending{};
}

}  // namespace regraft::shield
