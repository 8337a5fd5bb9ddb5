// Nonblocking collectives. The program's request is a generalized one, which is complete when all members have
// succeeded. The arguments are kept until then, because the operation may have to be attempted again with fewer
// members.
#include "shield/calls/collectives/nonblocking.hpp"

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shield/calls/collectives/collectives.hpp"
#include "shield/calls/collectives/identity.hpp"
#include "shield/session/buffer.hpp"
#include "shield/session/handles.hpp"
#include "shield/session/session.hpp"
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

int query(void*, MPI_Status* status) {
    set_empty(status, MPI_UNDEFINED, MPI_UNDEFINED);
    return MPI_SUCCESS;
}
int release(void*) {
    return MPI_SUCCESS;
}
int cancel(void*, int) {
    return MPI_ERR_REQUEST;  // there is no such request
}

}  // namespace

int begin_request(MPI_Request* request) {
    int const code = PMPI_Grequest_start(query, release, cancel, nullptr, request);
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

namespace {

/// Starts as start() of nonblocking.hpp does. root: a rank, or no_root.
int start_with(Lane& lane, MPI_Request* request, int root, Attempt attempt, std::function<void()> finish) {
    if (int const code = begin_request(request); code != MPI_SUCCESS) return code;
    auto const all_live = std::make_shared<bool>(true);  // for the last attempt, even if a member dies before it is
                                                         // over
    auto const noted = [=, &lane, attempt = std::move(attempt)](MPI_Comm on, MPI_Request* native) {
        *all_live = lane.is_whole();
        return attempt(on, native);
    };
    auto& family = Entry::current()->family();
    auto const end = [=, &lane, &family, handle = *request, finish = std::move(finish)](int ended) {
        if (ended == MPI_SUCCESS) finish();
        if (root == no_root || lane.lives(root)) end_holes();
        if (ended == MPI_SUCCESS && !*all_live) ended_without_the_dead(family, lane, root);
        end_request(handle, {ended, lane.face});
    };
    int const code = session().shield->start(lane, {noted, end});
    if (code != MPI_SUCCESS) withdraw_request(request);
    return complain(lane, code);
}

}  // namespace

int start(Lane& lane, MPI_Request* request, Attempt attempt, std::function<void()> finish) {
    return start_with(lane, request, no_root, std::move(attempt), std::move(finish));
}

namespace {

/// Starts a collective with a root, which may be dead: then only skip() is called, at the end.
int start_rooted(Lane& lane, MPI_Request* request, int root, Attempt attempt, std::function<void()> skip) {
    auto const skips = std::make_shared<bool>(false);
    auto const with_root = [&lane, root, skips, attempt = std::move(attempt)](MPI_Comm on, MPI_Request* native) {
        *skips = !lane.lives(root);
        *native = MPI_REQUEST_NULL;
        return *skips ? MPI_SUCCESS : attempt(on, native);
    };
    return start_with(lane, request, root, with_root, [skips, skip = std::move(skip)] {
        if (*skips) skip();
    });
}

/// Arrays by rank that the program passes. They are copied, because some programs free them as soon as a call has
/// returned.
struct Arrays {
    std::vector<int> counts, places;
    std::vector<MPI_Datatype> types;

    void copy(Lane const& lane, int const all_counts[], int const all_places[]) {
        counts.assign(all_counts, all_counts + lane.size());
        places.assign(all_places, all_places + lane.size());
    }
    Selected select(Lane const& lane) const { return {lane, counts.data(), places.data()}; }
    Buffer row(void* data, int rank, MPI_Datatype type) const {
        auto const i = static_cast<std::size_t>(rank);
        return displaced(data, counts[i], type, places[i]);
    }
};

/// The arguments of an attempt, as long as it is under way, for the members that live then.
struct Arguments {
    Arrays sent, received;  // those of all members
    int position = 0;       // that of this process
    Selected out, in;
    std::vector<MPI_Datatype> out_types, in_types;
    std::unique_ptr<BlockType> out_block, in_block;
    std::optional<Scratch> blocks;
    std::vector<Kept> kept;
    Uses uses;

    explicit Arguments(std::vector<MPI_Datatype> types, MPI_Op operation = MPI_OP_NULL)
        : uses(std::move(types), operation) {}
    void keep(Buffer const& buffer) { kept.emplace_back(true, buffer); }
    void restore() {
        for (auto& part : kept) part.restore();
    }
    /// Selects blocks at the numbers of their ranks.
    void select_blocks(Lane const& lane, Buffer const& row_sent, Buffer const& row_received) {
        out = in = Selected(lane);
        out_block = std::make_unique<BlockType>(row_sent.count, row_sent.type);
        in_block = std::make_unique<BlockType>(row_received.count, row_received.type);
    }
};

std::shared_ptr<Arguments> arguments(std::vector<MPI_Datatype> types, MPI_Op operation = MPI_OP_NULL) {
    // Data in place have no type.
    std::erase(types, MPI_DATATYPE_NULL);
    return std::make_shared<Arguments>(std::move(types), operation);
}

MPI_Datatype unless(bool in_place, MPI_Datatype type) {
    return in_place ? MPI_DATATYPE_NULL : type;
}

/// Starts a reduction whose blocks are scattered to the ranks.
int scatter_reduced(Lane& lane, MPI_Request* request, void const* send, void* receive, std::vector<int> const& counts,
                    MPI_Datatype type, MPI_Op op) {
    auto const held = arguments({type}, op);
    MPI_Aint place = 0;
    for (auto const count : counts) {
        if (send == MPI_IN_PLACE) held->keep(displaced(receive, count, type, place));
        place += count;
    }
    return start(lane, request, [=, &lane](MPI_Comm on, MPI_Request* native) {
        held->restore();
        held->out.counts = select(lane, counts.data());
        if (lane.is_whole()) return PMPI_Ireduce_scatter(send, receive, held->out.counts.data(), type, op, on, native);
        auto* const input = send == MPI_IN_PLACE ? receive : const_cast<void*>(send);
        held->blocks.emplace(living_blocks(lane, input, counts.data(), type));
        return PMPI_Ireduce_scatter(held->blocks->buffer().data, receive, held->out.counts.data(), type, op, on,
                                    native);
    });
}

}  // namespace

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

using namespace regraft::shield;

extern "C" {

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Ibarrier(comm, request);
    return start(*lane, request, PMPI_Ibarrier);
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Ibcast(data, count, type, root, comm, request);
    if (!is_rank(*lane, root)) return complain(*lane, MPI_ERR_ROOT);
    auto const attempt = [=, held = arguments({type})](MPI_Comm on, MPI_Request* native) {
        return PMPI_Ibcast(data, count, type, lane->position(root), on, native);
    };
    return start_rooted(*lane, request, root, attempt, [=] {
        without_root(*lane, "MPI_Ibcast", root, true);
        Buffer{data, count, type}.make_hole();
    });
}

int MPI_Iallreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Iallreduce(send, receive, count, type, op, comm, request);
    auto const held = arguments({type}, op);
    if (send == MPI_IN_PLACE) held->keep({receive, count, type});
    return start(*lane, request, [=](MPI_Comm on, MPI_Request* native) {
        held->restore();
        return PMPI_Iallreduce(send, receive, count, type, op, on, native);
    });
}

int MPI_Ireduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Ireduce(send, receive, count, type, op, root, comm, request);
    if (!is_rank(*lane, root)) return complain(*lane, MPI_ERR_ROOT);
    auto const held = arguments({type}, op);
    if (send == MPI_IN_PLACE) held->keep({receive, count, type});
    auto const attempt = [=](MPI_Comm on, MPI_Request* native) {
        held->restore();
        return PMPI_Ireduce(send, receive, count, type, op, lane->position(root), on, native);
    };
    return start_rooted(*lane, request, root, attempt, [=] { without_root(*lane, "MPI_Ireduce", root, false); });
}

int MPI_Iscan(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Iscan(send, receive, count, type, op, comm, request);
    auto const held = arguments({type}, op);
    if (send == MPI_IN_PLACE) held->keep({receive, count, type});
    return start(*lane, request, [=](MPI_Comm on, MPI_Request* native) {
        held->restore();
        return PMPI_Iscan(send, receive, count, type, op, on, native);
    });
}

int MPI_Iexscan(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Iexscan(send, receive, count, type, op, comm, request);
    Buffer const result{receive, count, type};
    auto const held = arguments({type}, op);
    if (send == MPI_IN_PLACE) held->keep(result);
    auto const attempt = [=](MPI_Comm on, MPI_Request* native) {
        held->restore();
        held->position = lane->position(lane->self);
        return PMPI_Iexscan(send, receive, count, type, op, on, native);
    };
    return start(*lane, request, attempt, [=] {
        if (lane->self > 0 && held->position == 0) make_identity(op, result);
    });
}

int MPI_Ireduce_scatter(void const* send, void* receive, int const counts[], MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm, MPI_Request* request) {
    auto* const lane = are_missing(counts) ? nullptr : lane_of(comm);
    if (lane == nullptr) return PMPI_Ireduce_scatter(send, receive, counts, type, op, comm, request);
    return scatter_reduced(*lane, request, send, receive, {counts, counts + lane->size()}, type, op);
}

int MPI_Ireduce_scatter_block(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Ireduce_scatter_block(send, receive, count, type, op, comm, request);
    return scatter_reduced(*lane, request, send, receive, std::vector<int>(lane->size(), count), type, op);
}

int MPI_Igather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type,
                int root, MPI_Comm comm, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Igather(send, send_count, send_type, receive, count, type, root, comm, request);
    if (!is_rank(*lane, root)) return complain(*lane, MPI_ERR_ROOT);
    bool const in_place = send == MPI_IN_PLACE;
    bool const is_root = lane->self == root;
    auto const held = arguments({unless(in_place, send_type), unless(!is_root, type)});
    if (in_place) held->keep(Buffer{receive, count, type}.part(root));
    auto const attempt = [=](MPI_Comm on, MPI_Request* native) {
        held->restore();
        int const to = lane->position(root);
        if (lane->is_whole()) return PMPI_Igather(send, send_count, send_type, receive, count, type, to, on, native);
        if (!is_root)
            return PMPI_Igatherv(send, send_count, send_type, nullptr, nullptr, nullptr, MPI_BYTE, to, on, native);
        Buffer const rows{receive, count, type};
        make_holes(*lane, [&](int rank) { return rows.part(rank); });
        held->select_blocks(*lane, rows, rows);
        return PMPI_Igatherv(send, send_count, send_type, receive, held->in.counts.data(), held->in.places.data(),
                             held->in_block->get(), to, on, native);
    };
    return start_rooted(*lane, request, root, attempt, [=] { without_root(*lane, "MPI_Igather", root, false); });
}

int MPI_Igatherv(void const* send, int send_count, MPI_Datatype send_type, void* receive, int const counts[],
                 int const places[], MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr)
        return PMPI_Igatherv(send, send_count, send_type, receive, counts, places, type, root, comm, request);
    if (!is_rank(*lane, root)) return complain(*lane, MPI_ERR_ROOT);
    bool const in_place = send == MPI_IN_PLACE;
    bool const is_root = lane->self == root;
    auto const held = arguments({unless(in_place, send_type), unless(!is_root, type)});
    if (is_root) held->received.copy(*lane, counts, places);
    if (in_place) held->keep(held->received.row(receive, root, type));
    auto const attempt = [=](MPI_Comm on, MPI_Request* native) {
        held->restore();
        int const to = lane->position(root);
        if (!is_root)
            return PMPI_Igatherv(send, send_count, send_type, nullptr, nullptr, nullptr, MPI_BYTE, to, on, native);
        make_holes(*lane, [&](int rank) { return held->received.row(receive, rank, type); });
        held->in = held->received.select(*lane);
        return PMPI_Igatherv(send, send_count, send_type, receive, held->in.counts.data(), held->in.places.data(), type,
                             to, on, native);
    };
    return start_rooted(*lane, request, root, attempt, [=] { without_root(*lane, "MPI_Igatherv", root, false); });
}

int MPI_Iscatter(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type,
                 int root, MPI_Comm comm, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Iscatter(send, send_count, send_type, receive, count, type, root, comm, request);
    if (!is_rank(*lane, root)) return complain(*lane, MPI_ERR_ROOT);
    bool const in_place = receive == MPI_IN_PLACE;
    bool const is_root = lane->self == root;
    auto const held = arguments({unless(!is_root, send_type), unless(in_place, type)});
    auto const attempt = [=](MPI_Comm on, MPI_Request* native) {
        int const from = lane->position(root);
        if (lane->is_whole()) return PMPI_Iscatter(send, send_count, send_type, receive, count, type, from, on, native);
        if (!is_root)
            return PMPI_Iscatterv(nullptr, nullptr, nullptr, MPI_BYTE, receive, count, type, from, on, native);
        Buffer const rows{const_cast<void*>(send), send_count, send_type};
        held->select_blocks(*lane, rows, rows);
        return PMPI_Iscatterv(send, held->out.counts.data(), held->out.places.data(), held->out_block->get(), receive,
                              count, type, from, on, native);
    };
    return start_rooted(*lane, request, root, attempt, [=] {
        without_root(*lane, "MPI_Iscatter", root, true);
        Buffer{receive, count, type}.make_hole();
    });
}

int MPI_Iscatterv(void const* send, int const counts[], int const places[], MPI_Datatype send_type, void* receive,
                  int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr)
        return PMPI_Iscatterv(send, counts, places, send_type, receive, count, type, root, comm, request);
    if (!is_rank(*lane, root)) return complain(*lane, MPI_ERR_ROOT);
    bool const in_place = receive == MPI_IN_PLACE;
    bool const is_root = lane->self == root;
    auto const held = arguments({unless(!is_root, send_type), unless(in_place, type)});
    if (is_root) held->sent.copy(*lane, counts, places);
    auto const attempt = [=](MPI_Comm on, MPI_Request* native) {
        int const from = lane->position(root);
        if (!is_root)
            return PMPI_Iscatterv(nullptr, nullptr, nullptr, MPI_BYTE, receive, count, type, from, on, native);
        held->out = held->sent.select(*lane);
        return PMPI_Iscatterv(send, held->out.counts.data(), held->out.places.data(), send_type, receive, count, type,
                              from, on, native);
    };
    return start_rooted(*lane, request, root, attempt, [=] {
        without_root(*lane, "MPI_Iscatterv", root, true);
        Buffer{receive, count, type}.make_hole();
    });
}

int MPI_Iallgather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                   MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Iallgather(send, send_count, send_type, receive, count, type, comm, request);
    bool const in_place = send == MPI_IN_PLACE;
    Buffer const rows{receive, count, type};
    auto const held = arguments({unless(in_place, send_type), type});
    if (in_place) held->keep(rows.part(lane->self));
    return start(*lane, request, [=](MPI_Comm on, MPI_Request* native) {
        held->restore();
        if (lane->is_whole()) return PMPI_Iallgather(send, send_count, send_type, receive, count, type, on, native);
        make_holes(*lane, [&](int rank) { return rows.part(rank); });
        held->select_blocks(*lane, rows, rows);
        return PMPI_Iallgatherv(send, send_count, send_type, receive, held->in.counts.data(), held->in.places.data(),
                                held->in_block->get(), on, native);
    });
}

int MPI_Iallgatherv(void const* send, int send_count, MPI_Datatype send_type, void* receive, int const counts[],
                    int const places[], MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
    auto* const lane = are_missing(counts, places) ? nullptr : lane_of(comm);
    if (lane == nullptr)
        return PMPI_Iallgatherv(send, send_count, send_type, receive, counts, places, type, comm, request);
    bool const in_place = send == MPI_IN_PLACE;
    auto const held = arguments({unless(in_place, send_type), type});
    held->received.copy(*lane, counts, places);
    if (in_place) held->keep(held->received.row(receive, lane->self, type));
    return start(*lane, request, [=](MPI_Comm on, MPI_Request* native) {
        held->restore();
        make_holes(*lane, [&](int rank) { return held->received.row(receive, rank, type); });
        held->in = held->received.select(*lane);
        return PMPI_Iallgatherv(send, send_count, send_type, receive, held->in.counts.data(), held->in.places.data(),
                                type, on, native);
    });
}

int MPI_Ialltoall(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type,
                  MPI_Comm comm, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Ialltoall(send, send_count, send_type, receive, count, type, comm, request);
    bool const in_place = send == MPI_IN_PLACE;
    Buffer const in{receive, count, type};
    Buffer const out = in_place ? in : Buffer{const_cast<void*>(send), send_count, send_type};
    auto const held = arguments({unless(in_place, send_type), type});
    for (int rank = 0; in_place && rank < static_cast<int>(lane->size()); ++rank) held->keep(in.part(rank));
    return start(*lane, request, [=](MPI_Comm on, MPI_Request* native) {
        held->restore();
        if (lane->is_whole()) return PMPI_Ialltoall(send, send_count, send_type, receive, count, type, on, native);
        make_holes(*lane, [&](int rank) { return in.part(rank); });
        held->select_blocks(*lane, out, in);
        return PMPI_Ialltoallv(send, held->out.counts.data(), held->out.places.data(), held->out_block->get(), receive,
                               held->in.counts.data(), held->in.places.data(), held->in_block->get(), on, native);
    });
}

int MPI_Ialltoallv(void const* send, int const send_counts[], int const send_places[], MPI_Datatype send_type,
                   void* receive, int const counts[], int const places[], MPI_Datatype type, MPI_Comm comm,
                   MPI_Request* request) {
    auto* const lane = are_missing(counts, places) ? nullptr : lane_of(comm);
    if (lane == nullptr)
        return PMPI_Ialltoallv(send, send_counts, send_places, send_type, receive, counts, places, type, comm, request);
    bool const in_place = send == MPI_IN_PLACE;
    auto const held = arguments({unless(in_place, send_type), type});
    held->received.copy(*lane, counts, places);
    held->sent = held->received;
    if (!in_place) held->sent.copy(*lane, send_counts, send_places);
    auto const row = [=](int rank) { return held->received.row(receive, rank, type); };
    for (int rank = 0; in_place && rank < static_cast<int>(lane->size()); ++rank) held->keep(row(rank));
    return start(*lane, request, [=](MPI_Comm on, MPI_Request* native) {
        held->restore();
        make_holes(*lane, row);
        held->in = held->received.select(*lane);
        held->out = held->sent.select(*lane);
        return PMPI_Ialltoallv(send, held->out.counts.data(), held->out.places.data(), in_place ? type : send_type,
                               receive, held->in.counts.data(), held->in.places.data(), type, on, native);
    });
}

int MPI_Ialltoallw(void const* send, int const send_counts[], int const send_places[], MPI_Datatype const send_types[],
                   void* receive, int const counts[], int const places[], MPI_Datatype const types[], MPI_Comm comm,
                   MPI_Request* request) {
    auto* const lane = are_missing(counts, places, types) ? nullptr : lane_of(comm);
    if (lane == nullptr)
        return PMPI_Ialltoallw(send, send_counts, send_places, send_types, receive, counts, places, types, comm,
                               request);
    bool const in_place = send == MPI_IN_PLACE;
    auto const size = static_cast<int>(lane->size());
    std::vector<MPI_Datatype> all(types, types + size);
    if (!in_place) all.insert(all.end(), send_types, send_types + size);
    auto const held = arguments(std::move(all));
    held->received.copy(*lane, counts, places);
    held->received.types.assign(types, types + size);
    held->sent = held->received;
    if (!in_place) {
        held->sent.copy(*lane, send_counts, send_places);
        held->sent.types.assign(send_types, send_types + size);
    }
    auto const row = [receive, arrays = held->received](int rank) {
        auto const i = static_cast<std::size_t>(rank);
        return Buffer{static_cast<std::byte*>(receive) + arrays.places[i], arrays.counts[i], arrays.types[i]};
    };
    for (int rank = 0; in_place && rank < size; ++rank) held->keep(row(rank));
    return start(*lane, request, [=](MPI_Comm on, MPI_Request* native) {
        held->restore();
        make_holes(*lane, row);
        held->in = held->received.select(*lane);
        held->out = held->sent.select(*lane);
        held->in_types = select(*lane, held->received.types.data());
        held->out_types = select(*lane, held->sent.types.data());
        return PMPI_Ialltoallw(send, held->out.counts.data(), held->out.places.data(), held->out_types.data(), receive,
                               held->in.counts.data(), held->in.places.data(), held->in_types.data(), on, native);
    });
}
}
