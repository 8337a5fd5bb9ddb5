// Persistent requests. The shield keeps their arguments, and each start is a start of the nonblocking call. So the
// program's handle stays valid, whichever process dies. Partitioned requests are MPI's own.
#include <mpi.h>

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shield/calls/messages/native_persistent.hpp"
#include "shield/calls/messages/own_faces.hpp"
#include "shield/session/handles.hpp"
#include "shield/waits/guard.hpp"
#include "shield/waits/messages.hpp"
#include "shield/waits/proxies.hpp"

namespace regraft::shield {
namespace {

/// The number of ranks for which arrays have places.
int partners(MPI_Comm comm) {
    int size = 0;
    int is_inter = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter != 0) {
        PMPI_Comm_remote_size(comm, &size);
    } else {
        MPI_Comm_size(comm, &size);
    }
    return size;
}

/// The arguments of each start, as long as the request exists. Arrays are copied, because some programs free them at
/// once.
class Prepared {
public:
    explicit Prepared(MPI_Comm comm, std::vector<MPI_Datatype> types, MPI_Op op = MPI_OP_NULL)
        : comm_(comm), size_(partners(comm)), uses_(std::move(types), op) {
        MPI_Comm_rank(comm, &self_);
    }
    /// Copies an array by rank; returns nothing if the call does not use it on this process.
    template <class Item>
    Item const* copy(Item const items[], bool used = true) {
        if (!used || items == nullptr) return nullptr;
        auto const memory = std::make_shared<std::vector<Item>>(items, items + size_);
        arrays_.push_back(memory);
        return memory->data();
    }
    bool is(int rank) const { return self_ == rank; }
    MPI_Comm comm() const { return comm_; }

private:
    MPI_Comm comm_;
    int size_;
    int self_ = 0;
    Uses uses_;
    std::vector<std::shared_ptr<void>> arrays_;
};

std::shared_ptr<Prepared> prepare(MPI_Comm comm, std::vector<MPI_Datatype> types, MPI_Op op = MPI_OP_NULL) {
    return std::make_shared<Prepared>(comm, std::move(types), op);
}

/// The types of all ranks; empty if the data are in place.
std::vector<MPI_Datatype> types_of(MPI_Comm comm, void const* buffer, MPI_Datatype const types[]) {
    if (buffer == MPI_IN_PLACE) return {};
    return {types, types + partners(comm)};
}

/// Makes a persistent request. start(arguments..., request): the nonblocking call.
template <class Start, class... Arguments>
int make(MPI_Request* request, std::shared_ptr<Prepared> const& held, Start start, Arguments... arguments) {
    return make_persistent(request, held->comm(), [=](Proxy::Parts& parts) {
        static_cast<void>(held);
        return start(arguments..., &parts[0]);
    });
}

/// The same for a collective. The last argument, the communicator, is left out.
template <class Start, class... Arguments>
int make_collective(MPI_Request* request, std::shared_ptr<Prepared> const& held, Start start, Arguments... arguments) {
    auto const own = std::make_shared<OwnFace>(held->comm());
    return make_persistent(request, held->comm(), [=](Proxy::Parts& parts) {
        static_cast<void>(held);
        return start(arguments..., own->face(), &parts[0]);
    });
}

/// Whether requests are MPI's own, which is so without a shield. With one, even requests on communicators that it does
/// not know are its own, because calls that wait for several requests must know which are active.
bool passes() {
    return session().shield == nullptr;
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

// Messages.

int MPI_Send_init(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
    if (passes()) return PMPI_Send_init(data, count, type, to, tag, comm, request);
    return make(request, prepare(comm, {type}), MPI_Isend, data, count, type, to, tag, comm);
}
int MPI_Bsend_init(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    if (passes()) return PMPI_Bsend_init(data, count, type, to, tag, comm, request);
    return make(request, prepare(comm, {type}), MPI_Ibsend, data, count, type, to, tag, comm);
}
int MPI_Ssend_init(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    if (passes()) return PMPI_Ssend_init(data, count, type, to, tag, comm, request);
    return make(request, prepare(comm, {type}), MPI_Issend, data, count, type, to, tag, comm);
}
int MPI_Rsend_init(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    if (passes()) return PMPI_Rsend_init(data, count, type, to, tag, comm, request);
    return make(request, prepare(comm, {type}), MPI_Irsend, data, count, type, to, tag, comm);
}
int MPI_Recv_init(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    if (passes()) return PMPI_Recv_init(data, count, type, from, tag, comm, request);
    return make(request, prepare(comm, {type}), MPI_Irecv, data, count, type, from, tag, comm);
}

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

// Collectives.

int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes()) return PMPI_Barrier_init(comm, info, request);
    return make_collective(request, prepare(comm, {}), MPI_Ibarrier);
}
int MPI_Bcast_init(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request) {
    if (passes()) return PMPI_Bcast_init(data, count, type, root, comm, info, request);
    return make_collective(request, prepare(comm, {type}), MPI_Ibcast, data, count, type, root);
}
int MPI_Reduce_init(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                    MPI_Info info, MPI_Request* request) {
    if (passes()) return PMPI_Reduce_init(send, receive, count, type, op, root, comm, info, request);
    return make_collective(request, prepare(comm, {type}, op), MPI_Ireduce, send, receive, count, type, op, root);
}
int MPI_Allreduce_init(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                       MPI_Info info, MPI_Request* request) {
    if (passes()) return PMPI_Allreduce_init(send, receive, count, type, op, comm, info, request);
    return make_collective(request, prepare(comm, {type}, op), MPI_Iallreduce, send, receive, count, type, op);
}
int MPI_Scan_init(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                  MPI_Info info, MPI_Request* request) {
    if (passes()) return PMPI_Scan_init(send, receive, count, type, op, comm, info, request);
    return make_collective(request, prepare(comm, {type}, op), MPI_Iscan, send, receive, count, type, op);
}
int MPI_Exscan_init(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Info info, MPI_Request* request) {
    if (passes()) return PMPI_Exscan_init(send, receive, count, type, op, comm, info, request);
    return make_collective(request, prepare(comm, {type}, op), MPI_Iexscan, send, receive, count, type, op);
}
int MPI_Reduce_scatter_init(void const* send, void* receive, int const counts[], MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes()) return PMPI_Reduce_scatter_init(send, receive, counts, type, op, comm, info, request);
    auto const held = prepare(comm, {type}, op);
    return make_collective(request, held, MPI_Ireduce_scatter, send, receive, held->copy(counts), type, op);
}
int MPI_Reduce_scatter_block_init(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes()) return PMPI_Reduce_scatter_block_init(send, receive, count, type, op, comm, info, request);
    return make_collective(request, prepare(comm, {type}, op), MPI_Ireduce_scatter_block, send, receive, count, type,
                           op);
}
int MPI_Gather_init(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                    MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes()) return PMPI_Gather_init(send, send_count, send_type, receive, count, type, root, comm, info, request);
    return make_collective(request, prepare(comm, {send_type, type}), MPI_Igather, send, send_count, send_type, receive,
                           count, type, root);
}
int MPI_Gatherv_init(void const* send, int send_count, MPI_Datatype send_type, void* receive, int const counts[],
                     int const places[], MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                     MPI_Request* request) {
    if (passes())
        return PMPI_Gatherv_init(send, send_count, send_type, receive, counts, places, type, root, comm, info, request);
    auto const held = prepare(comm, {send_type, type});
    return make_collective(request, held, MPI_Igatherv, send, send_count, send_type, receive,
                           held->copy(counts, held->is(root)), held->copy(places, held->is(root)), type, root);
}
int MPI_Scatter_init(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                     MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes())
        return PMPI_Scatter_init(send, send_count, send_type, receive, count, type, root, comm, info, request);
    return make_collective(request, prepare(comm, {send_type, type}), MPI_Iscatter, send, send_count, send_type,
                           receive, count, type, root);
}
int MPI_Scatterv_init(void const* send, int const counts[], int const places[], MPI_Datatype send_type, void* receive,
                      int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes())
        return PMPI_Scatterv_init(send, counts, places, send_type, receive, count, type, root, comm, info, request);
    auto const held = prepare(comm, {send_type, type});
    return make_collective(request, held, MPI_Iscatterv, send, held->copy(counts, held->is(root)),
                           held->copy(places, held->is(root)), send_type, receive, count, type, root);
}
int MPI_Allgather_init(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                       MPI_Datatype type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes()) return PMPI_Allgather_init(send, send_count, send_type, receive, count, type, comm, info, request);
    return make_collective(request, prepare(comm, {send_type, type}), MPI_Iallgather, send, send_count, send_type,
                           receive, count, type);
}
int MPI_Allgatherv_init(void const* send, int send_count, MPI_Datatype send_type, void* receive, int const counts[],
                        int const places[], MPI_Datatype type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes())
        return PMPI_Allgatherv_init(send, send_count, send_type, receive, counts, places, type, comm, info, request);
    auto const held = prepare(comm, {send_type, type});
    return make_collective(request, held, MPI_Iallgatherv, send, send_count, send_type, receive, held->copy(counts),
                           held->copy(places), type);
}
int MPI_Alltoall_init(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                      MPI_Datatype type, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes()) return PMPI_Alltoall_init(send, send_count, send_type, receive, count, type, comm, info, request);
    return make_collective(request, prepare(comm, {send_type, type}), MPI_Ialltoall, send, send_count, send_type,
                           receive, count, type);
}
int MPI_Alltoallv_init(void const* send, int const send_counts[], int const send_places[], MPI_Datatype send_type,
                       void* receive, int const counts[], int const places[], MPI_Datatype type, MPI_Comm comm,
                       MPI_Info info, MPI_Request* request) {
    if (passes())
        return PMPI_Alltoallv_init(send, send_counts, send_places, send_type, receive, counts, places, type, comm, info,
                                   request);
    auto const held = prepare(comm, {send_type, type});
    bool const sends = send != MPI_IN_PLACE;
    return make_collective(request, held, MPI_Ialltoallv, send, held->copy(send_counts, sends),
                           held->copy(send_places, sends), send_type, receive, held->copy(counts), held->copy(places),
                           type);
}
int MPI_Alltoallw_init(void const* send, int const send_counts[], int const send_places[],
                       MPI_Datatype const send_types[], void* receive, int const counts[], int const places[],
                       MPI_Datatype const types[], MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    if (passes())
        return PMPI_Alltoallw_init(send, send_counts, send_places, send_types, receive, counts, places, types, comm,
                                   info, request);
    auto all = types_of(comm, send, send_types);
    for (auto const type : types_of(comm, receive, types)) all.push_back(type);
    auto const held = prepare(comm, std::move(all));
    bool const sends = send != MPI_IN_PLACE;
    return make_collective(request, held, MPI_Ialltoallw, send, held->copy(send_counts, sends),
                           held->copy(send_places, sends), held->copy(send_types, sends), receive, held->copy(counts),
                           held->copy(places), held->copy(types));
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
