// Nonblocking collectives without a root.
#include <mpi.h>

#include <vector>

#include "shield/calls/collectives/arguments.hpp"
#include "shield/calls/collectives/identity.hpp"
#include "shield/calls/collectives/nonblocking.hpp"

namespace regraft::shield {
namespace {

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
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Ibarrier(comm, request);
    return start(*lane, request, PMPI_Ibarrier);
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
