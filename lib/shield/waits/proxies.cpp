#include "shield/waits/proxies.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "shield/waits/messages.hpp"

namespace regraft::shield {
namespace {

/// Never destroyed: persistent requests may still exist when the program ends.
auto& all_proxies = *new std::unordered_map<MPI_Request, Proxy>;
std::unordered_map<MPI_Request, Proxy>& proxies() {
    return all_proxies;
}

int query(void*, MPI_Status* status) {
    set_empty(status, MPI_ANY_SOURCE, MPI_ANY_TAG);
    return MPI_SUCCESS;
}
int release(void*) {
    return MPI_SUCCESS;
}
int cancel(void*, int) {
    return MPI_SUCCESS;
}

}  // namespace

bool has_proxies() {
    return !proxies().empty();
}

Proxy* find_proxy(MPI_Request request) {
    if (proxies().empty()) return nullptr;
    auto const found = proxies().find(request);
    return found == proxies().end() ? nullptr : &found->second;
}

/// The handle is that of a message to MPI_PROC_NULL, which is never started: MPI knows it as a persistent request.
int make_persistent(MPI_Request* request, MPI_Comm comm, std::function<int(Proxy::Parts&)> start) {
    int const code = PMPI_Send_init(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
    if (code != MPI_SUCCESS) return code;
    auto& proxy = proxies()[*request];
    proxy.start = std::move(start);
    proxy.comm = comm;
    return code;
}

bool is_prepared_on(MPI_Comm comm) {
    return std::any_of(proxies().begin(), proxies().end(), [&](auto const& each) { return each.second.comm == comm; });
}

int make_composed(MPI_Request* request, Proxy::Parts const& parts) {
    int const code = PMPI_Grequest_start(query, release, cancel, nullptr, request);
    if (code != MPI_SUCCESS) return code;
    auto& proxy = proxies()[*request];
    proxy.parts = parts;
    proxy.active = true;
    return code;
}

int finish_proxy(MPI_Request* request, MPI_Status* status) {
    auto& proxy = *find_proxy(*request);
    auto const code = proxy.code;
    if (status != MPI_STATUS_IGNORE) *status = proxy.status;
    proxy.active = false;
    proxy.code = MPI_SUCCESS;
    if (proxy.start) return code;
    int done = 0;
    proxies().erase(*request);
    PMPI_Grequest_complete(*request);
    PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    return code;
}

int free_proxy(MPI_Request* request) {
    bool const is_persistent = static_cast<bool>(find_proxy(*request)->start);
    proxies().erase(*request);
    if (!is_persistent) PMPI_Grequest_complete(*request);
    return PMPI_Request_free(request);
}

}  // namespace regraft::shield
