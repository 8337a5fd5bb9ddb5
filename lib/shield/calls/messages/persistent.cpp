// Starts of persistent requests, and requests that are MPI's own: partitioned ones, and all without a shield.
#include "shield/calls/messages/persistent.hpp"

#include <unordered_map>

#include "shield/calls/collectives/neighbourhood.hpp"
#include "shield/calls/messages/native_persistent.hpp"
#include "shield/waits/guard.hpp"
#include "shield/waits/messages.hpp"

namespace regraft::shield {
namespace {

/// The number of ranks for which arrays have places.
std::size_t partners(MPI_Comm comm) {
    int size = 0;
    int is_inter = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter != 0) {
        PMPI_Comm_remote_size(comm, &size);
    } else {
        MPI_Comm_size(comm, &size);
    }
    return static_cast<std::size_t>(size);
}

/// Requests of MPI that were started, and partitioned ones.
struct Native {
    bool started = false;
    bool active = false;
    MPI_Comm face = MPI_COMM_NULL;  // that of a partitioned request
    int partner = 0;
};
auto& all_natives = *new std::unordered_map<MPI_Request, Native>;  // never destroyed
std::unordered_map<MPI_Request, Native>& natives() {
    return all_natives;
}
Native* find_native(MPI_Request request) {
    if (natives().empty()) return nullptr;
    auto const found = natives().find(request);
    return found == natives().end() ? nullptr : &found->second;
}

}  // namespace

Places places_by_rank(MPI_Comm comm, void const* send) {
    auto const all = partners(comm);
    return {send == MPI_IN_PLACE ? 0 : all, all};
}

Places places_at_root(MPI_Comm comm, int root) {
    int self = 0;
    MPI_Comm_rank(comm, &self);
    auto const all = self == root ? partners(comm) : 0;
    return {all, all};
}

Places places_by_neighbour(MPI_Comm comm) {
    auto const around = neighbours(comm);
    return {around.to.size(), around.from.size()};
}

bool has_natives() {
    return !natives().empty();
}

bool is_inactive_native(MPI_Request request) {
    auto const* const native = find_native(request);
    return native != nullptr && native->started && !native->active;
}

void guard_partner(char const* call, MPI_Request request) {
    auto const* const native = find_native(request);
    auto const* const lane = native == nullptr ? nullptr : lane_of(native->face);
    if (lane != nullptr && can_not_send(*lane, native->partner))
        refuse(call, "the partner of a partitioned message is dead, and the shield cannot complete such messages");
}

void end_native(MPI_Request request) {
    if (auto* const native = find_native(request)) native->active = false;
}

void forget_native(MPI_Request request) {
    natives().erase(request);
}

}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Start(MPI_Request* request) {
    auto* const proxy = find_proxy(*request);
    if (proxy == nullptr) {
        guard_partner("MPI_Start", *request);
        int const code = PMPI_Start(request);
        if (code == MPI_SUCCESS && !passes()) natives()[*request].started = natives()[*request].active = true;
        return code;
    }
    if (proxy->active || !proxy->start) return MPI_ERR_REQUEST;
    int const code = proxy->start(proxy->parts);
    proxy->active = code == MPI_SUCCESS;
    return code;
}
int MPI_Startall(int count, MPI_Request requests[]) {
    for (int i = 0; i < count; ++i)
        if (int const code = MPI_Start(&requests[i]); code != MPI_SUCCESS) return code;
    return MPI_SUCCESS;
}

// Partitioned messages: passed on while all members live.
constexpr auto why_not_in_parts = "a partitioned message needs its partner";

int MPI_Psend_init(void const* data, int parts, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Info info, MPI_Request* request) {
    int code = guard("MPI_Psend_init", why_not_in_parts, comm);
    if (code != MPI_SUCCESS) return code;
    code = PMPI_Psend_init(data, parts, count, type, to, tag, comm, info, request);
    if (code == MPI_SUCCESS) natives()[*request] = {false, false, comm, to};
    return outcome_of("MPI_Psend_init", comm, code);
}
int MPI_Precv_init(void* data, int parts, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                   MPI_Info info, MPI_Request* request) {
    int code = guard("MPI_Precv_init", why_not_in_parts, comm);
    if (code != MPI_SUCCESS) return code;
    code = PMPI_Precv_init(data, parts, count, type, from, tag, comm, info, request);
    if (code == MPI_SUCCESS) natives()[*request] = {false, false, comm, from};
    return outcome_of("MPI_Precv_init", comm, code);
}
}
