// Nonblocking collectives with a root.
#include <mpi.h>

#include "shield/calls/collectives/arguments.hpp"
#include "shield/calls/collectives/nonblocking.hpp"

using namespace regraft::shield;

extern "C" {

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
}
