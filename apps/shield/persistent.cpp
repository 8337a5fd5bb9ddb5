// Persistent requests. The shield keeps their arguments, and each start is one of the nonblocking call, so whoever
// dies, the program's handle stays what it is. And partitioned ones, which are MPI's own.
#include <mpi.h>

#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shield/guard.hpp"
#include "shield/handles.hpp"
#include "shield/messages.hpp"
#include "shield/partitioned.hpp"
#include "shield/proxies.hpp"

namespace regraft::shield {
namespace {

std::shared_ptr<Uses> uses(std::vector<MPI_Datatype> types, MPI_Op op = MPI_OP_NULL) {
    return std::make_shared<Uses>(std::move(types), op);
}

/// Types of the living and the dead, as MPI_Alltoallw has them; none where the data are in place.
std::vector<MPI_Datatype> types_of(MPI_Comm comm, void const* buffer, MPI_Datatype const types[]) {
    auto const* const lane = lane_of(comm);
    if (lane == nullptr || buffer == MPI_IN_PLACE) return {};
    return {types, types + lane->size()};
}

/// Copies of arrays: programs free theirs when the request is made, for MPI has looked at them then.
class Arrays {
public:
    Arrays(MPI_Comm comm, std::vector<MPI_Datatype> types, MPI_Op op = MPI_OP_NULL)
        : size_(lane_of(comm)->size()), uses_(std::move(types), op) {}
    /// By rank. nullptr if it is not significant, or null.
    int const* keep(int const all[], bool significant = true) { return keep(numbers_, all, significant); }
    MPI_Datatype const* keep(MPI_Datatype const all[], bool significant) { return keep(types_, all, significant); }

private:
    template <class Item>
    Item const* keep(std::deque<std::vector<Item>>& kept, Item const all[], bool significant) {
        return significant && all != nullptr ? kept.emplace_back(all, all + size_).data() : nullptr;
    }

    std::size_t size_;
    Uses uses_;
    std::deque<std::vector<int>> numbers_;
    std::deque<std::vector<MPI_Datatype>> types_;
};

bool is_self(MPI_Comm comm, int rank) {
    return lane_of(comm)->self == rank;
}

/// start(arguments..., comm, request): the nonblocking call. held: what the arguments need.
template <class Held, class Start, class... Arguments>
int make(MPI_Request* request, std::shared_ptr<Held> const& held, Start start, Arguments... arguments) {
    return make_persistent(request, [=](Proxy::Parts& parts) {
        static_cast<void>(held);
        return start(arguments..., &parts[0]);
    });
}

bool passes(MPI_Comm comm) {
    return lane_of(comm) == nullptr;
}

struct Partner {
    MPI_Comm face = MPI_COMM_NULL;
    int rank = 0;
};
std::unordered_map<MPI_Request, Partner>& partitioned() {
    static std::unordered_map<MPI_Request, Partner> requests;
    return requests;
}

}  // namespace

void guard_partitioned(char const* call, MPI_Request request) {
    if (partitioned().empty()) return;
    auto const found = partitioned().find(request);
    if (found == partitioned().end()) return;
    auto const* const lane = lane_of(found->second.face);
    if (lane != nullptr && can_not_send(*lane, found->second.rank))
        refuse(call, "the partner of a partitioned message is dead, and the shield does not carry such messages out");
}

void forget_partitioned(MPI_Request request) {
    partitioned().erase(request);
}

}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

// Messages.

int MPI_Send_init(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
    if (passes(comm)) return PMPI_Send_init(data, count, type, to, tag, comm, request);
    return make(request, uses({type}), MPI_Isend, data, count, type, to, tag, comm);
}
int MPI_Bsend_init(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    if (passes(comm)) return PMPI_Bsend_init(data, count, type, to, tag, comm, request);
    return make(request, uses({type}), MPI_Ibsend, data, count, type, to, tag, comm);
}
int MPI_Ssend_init(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    if (passes(comm)) return PMPI_Ssend_init(data, count, type, to, tag, comm, request);
    return make(request, uses({type}), MPI_Issend, data, count, type, to, tag, comm);
}
int MPI_Rsend_init(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    if (passes(comm)) return PMPI_Rsend_init(data, count, type, to, tag, comm, request);
    return make(request, uses({type}), MPI_Irsend, data, count, type, to, tag, comm);
}
int MPI_Recv_init(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    if (passes(comm)) return PMPI_Recv_init(data, count, type, from, tag, comm, request);
    return make(request, uses({type}), MPI_Irecv, data, count, type, from, tag, comm);
}

int MPI_Start(MPI_Request* request) {
    auto* const proxy = find_proxy(*request);
    if (proxy == nullptr) {
        guard_partitioned("MPI_Start", *request);
        return PMPI_Start(request);
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

// Collectives.

int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes(comm)) return PMPI_Barrier_init(comm, info, request);
    return make(request, uses({}), MPI_Ibarrier, comm);
}
int MPI_Bcast_init(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request) {
    if (passes(comm)) return PMPI_Bcast_init(data, count, type, root, comm, info, request);
    return make(request, uses({type}), MPI_Ibcast, data, count, type, root, comm);
}
int MPI_Reduce_init(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                    MPI_Info info, MPI_Request* request) {
    if (passes(comm)) return PMPI_Reduce_init(send, receive, count, type, op, root, comm, info, request);
    return make(request, uses({type}, op), MPI_Ireduce, send, receive, count, type, op, root, comm);
}
int MPI_Allreduce_init(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                       MPI_Info info, MPI_Request* request) {
    if (passes(comm)) return PMPI_Allreduce_init(send, receive, count, type, op, comm, info, request);
    return make(request, uses({type}, op), MPI_Iallreduce, send, receive, count, type, op, comm);
}
int MPI_Scan_init(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                  MPI_Info info, MPI_Request* request) {
    if (passes(comm)) return PMPI_Scan_init(send, receive, count, type, op, comm, info, request);
    return make(request, uses({type}, op), MPI_Iscan, send, receive, count, type, op, comm);
}
int MPI_Exscan_init(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Info info, MPI_Request* request) {
    if (passes(comm)) return PMPI_Exscan_init(send, receive, count, type, op, comm, info, request);
    return make(request, uses({type}, op), MPI_Iexscan, send, receive, count, type, op, comm);
}
int MPI_Reduce_scatter_init(void const* send, void* receive, int const counts[], MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes(comm)) return PMPI_Reduce_scatter_init(send, receive, counts, type, op, comm, info, request);
    auto const held = std::make_shared<Arrays>(comm, std::vector{type}, op);
    return make(request, held, MPI_Ireduce_scatter, send, receive, held->keep(counts), type, op, comm);
}
int MPI_Reduce_scatter_block_init(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes(comm)) return PMPI_Reduce_scatter_block_init(send, receive, count, type, op, comm, info, request);
    return make(request, uses({type}, op), MPI_Ireduce_scatter_block, send, receive, count, type, op, comm);
}
int MPI_Gather_init(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                    MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes(comm))
        return PMPI_Gather_init(send, send_count, send_type, receive, count, type, root, comm, info, request);
    return make(request, uses({send_type, type}), MPI_Igather, send, send_count, send_type, receive, count, type, root,
                comm);
}
int MPI_Gatherv_init(void const* send, int send_count, MPI_Datatype send_type, void* receive, int const counts[],
                     int const places[], MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                     MPI_Request* request) {
    if (passes(comm))
        return PMPI_Gatherv_init(send, send_count, send_type, receive, counts, places, type, root, comm, info, request);
    auto const held = std::make_shared<Arrays>(comm, std::vector{send_type, type});
    bool const receives = is_self(comm, root);
    return make(request, held, MPI_Igatherv, send, send_count, send_type, receive, held->keep(counts, receives),
                held->keep(places, receives), type, root, comm);
}
int MPI_Scatter_init(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                     MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes(comm))
        return PMPI_Scatter_init(send, send_count, send_type, receive, count, type, root, comm, info, request);
    return make(request, uses({send_type, type}), MPI_Iscatter, send, send_count, send_type, receive, count, type, root,
                comm);
}
int MPI_Scatterv_init(void const* send, int const counts[], int const places[], MPI_Datatype send_type, void* receive,
                      int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes(comm))
        return PMPI_Scatterv_init(send, counts, places, send_type, receive, count, type, root, comm, info, request);
    auto const held = std::make_shared<Arrays>(comm, std::vector{send_type, type});
    bool const sends = is_self(comm, root);
    return make(request, held, MPI_Iscatterv, send, held->keep(counts, sends), held->keep(places, sends), send_type,
                receive, count, type, root, comm);
}
int MPI_Allgather_init(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                       MPI_Datatype type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes(comm))
        return PMPI_Allgather_init(send, send_count, send_type, receive, count, type, comm, info, request);
    return make(request, uses({send_type, type}), MPI_Iallgather, send, send_count, send_type, receive, count, type,
                comm);
}
int MPI_Allgatherv_init(void const* send, int send_count, MPI_Datatype send_type, void* receive, int const counts[],
                        int const places[], MPI_Datatype type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes(comm))
        return PMPI_Allgatherv_init(send, send_count, send_type, receive, counts, places, type, comm, info, request);
    auto const held = std::make_shared<Arrays>(comm, std::vector{send_type, type});
    return make(request, held, MPI_Iallgatherv, send, send_count, send_type, receive, held->keep(counts),
                held->keep(places), type, comm);
}
int MPI_Alltoall_init(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                      MPI_Datatype type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes(comm)) return PMPI_Alltoall_init(send, send_count, send_type, receive, count, type, comm, info, request);
    return make(request, uses({send_type, type}), MPI_Ialltoall, send, send_count, send_type, receive, count, type,
                comm);
}
int MPI_Alltoallv_init(void const* send, int const send_counts[], int const send_places[], MPI_Datatype send_type,
                       void* receive, int const counts[], int const places[], MPI_Datatype type, MPI_Comm comm,
                       MPI_Info info, MPI_Request* request) {
    if (passes(comm))
        return PMPI_Alltoallv_init(send, send_counts, send_places, send_type, receive, counts, places, type, comm, info,
                                   request);
    auto const held = std::make_shared<Arrays>(comm, std::vector{send_type, type});
    bool const sends = send != MPI_IN_PLACE;
    return make(request, held, MPI_Ialltoallv, send, held->keep(send_counts, sends), held->keep(send_places, sends),
                send_type, receive, held->keep(counts), held->keep(places), type, comm);
}
int MPI_Alltoallw_init(void const* send, int const send_counts[], int const send_places[],
                       MPI_Datatype const send_types[], void* receive, int const counts[], int const places[],
                       MPI_Datatype const types[], MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes(comm))
        return PMPI_Alltoallw_init(send, send_counts, send_places, send_types, receive, counts, places, types, comm,
                                   info, request);
    auto all = types_of(comm, send, send_types);
    for (auto const type : types_of(comm, receive, types)) all.push_back(type);
    auto const held = std::make_shared<Arrays>(comm, std::move(all));
    bool const sends = send != MPI_IN_PLACE;
    return make(request, held, MPI_Ialltoallw, send, held->keep(send_counts, sends), held->keep(send_places, sends),
                held->keep(send_types, sends), receive, held->keep(counts), held->keep(places), held->keep(types, true),
                comm);
}

// Partitioned messages: passed on while all live.
constexpr auto why_not_in_parts = "what was prepared counts on its partner";

int MPI_Psend_init(void const* data, int parts, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Info info, MPI_Request* request) {
    int code = guard("MPI_Psend_init", why_not_in_parts, comm);
    if (code != MPI_SUCCESS) return code;
    code = PMPI_Psend_init(data, parts, count, type, to, tag, comm, info, request);
    if (code == MPI_SUCCESS && !passes(comm)) partitioned()[*request] = {comm, to};
    return judge("MPI_Psend_init", comm, code);
}
int MPI_Precv_init(void* data, int parts, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                   MPI_Info info, MPI_Request* request) {
    int code = guard("MPI_Precv_init", why_not_in_parts, comm);
    if (code != MPI_SUCCESS) return code;
    code = PMPI_Precv_init(data, parts, count, type, from, tag, comm, info, request);
    if (code == MPI_SUCCESS && !passes(comm)) partitioned()[*request] = {comm, from};
    return judge("MPI_Precv_init", comm, code);
}
}
