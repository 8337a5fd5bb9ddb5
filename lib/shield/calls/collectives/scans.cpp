// Prefix reductions, and reductions whose result is scattered. Each rank has another result, so none is forwarded. The
// order of the living is that of their ranks, because operations need not commute.
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "regraft/core/checked_cast.hpp"
#include "shield/calls/collectives/collectives.hpp"
#include "shield/calls/collectives/identity.hpp"

namespace regraft::shield {

Scratch living_blocks(Lane const& lane, void* blocks, int const counts[], MPI_Datatype type) {
    std::int64_t total = 0;
    for (auto const rank : lane.living) total += counts[rank];
    Scratch packed({nullptr, checked_cast<int>(total), type});
    MPI_Aint from = 0;
    MPI_Aint to = 0;
    for (int rank = 0; rank < static_cast<int>(lane.size()); ++rank) {
        if (lane.lives(rank)) {
            copy(displaced(blocks, counts[rank], type, from), displaced(packed.buffer().data, counts[rank], type, to));
            to += counts[rank];
        }
        from += counts[rank];
    }
    return packed;
}

namespace {

/// Reduces and scatters the blocks. native(comm): the call of the program, while all members live.
template <class Native>
int scatter_reduced(Lane& lane, void const* send, void* receive, int const counts[], MPI_Datatype type, MPI_Op op,
                    Native const& native) {
    bool const in_place = send == MPI_IN_PLACE;
    std::vector<Kept> kept;
    MPI_Aint place = 0;
    for (int rank = 0; in_place && rank < static_cast<int>(lane.size()); ++rank) {
        kept.emplace_back(true, displaced(receive, counts[rank], type, place));
        place += counts[rank];
    }
    auto const attempt = [&](MPI_Comm on) {
        for (auto& block : kept) block.restore();
        if (lane.is_whole()) return native(on);
        auto const input = living_blocks(lane, in_place ? receive : const_cast<void*>(send), counts, type);
        return PMPI_Reduce_scatter(input.buffer().data, receive, select(lane, counts).data(), type, op, on);
    };
    return run_confirmed(lane, true, no_root, attempt, nothing);
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Scan(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Scan(send, receive, count, type, op, comm);
    Kept kept(send == MPI_IN_PLACE, {receive, count, type});
    auto const attempt = [&](MPI_Comm on) {
        kept.restore();
        return PMPI_Scan(send, receive, count, type, op, on);
    };
    return run_confirmed(*lane, false, no_root, attempt, nothing);
}

/// MPI leaves the result of rank 0 undefined. Another rank relies on its result, even if all ranks before it are dead:
/// what an earlier attempt brought from them does not count.
int MPI_Exscan(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Exscan(send, receive, count, type, op, comm);
    Buffer const result{receive, count, type};
    Kept kept(send == MPI_IN_PLACE || !is_built_in(op), result);  // the rank that becomes the lowest keeps what was
                                                                  // there
    auto const attempt = [&](MPI_Comm on) {
        kept.restore();
        int const code = PMPI_Exscan(send, receive, count, type, op, on);
        if (code == MPI_SUCCESS && lane->self > 0 && lane->position(lane->self) == 0) make_identity(op, result);
        return code;
    };
    return run_confirmed(*lane, false, no_root, attempt, nothing);
}

int MPI_Reduce_scatter(void const* send, void* receive, int const counts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
    auto* const lane = are_missing(counts) ? nullptr : lane_of(comm);
    if (lane == nullptr) return PMPI_Reduce_scatter(send, receive, counts, type, op, comm);
    return scatter_reduced(*lane, send, receive, counts, type, op,
                           [&](MPI_Comm on) { return PMPI_Reduce_scatter(send, receive, counts, type, op, on); });
}

int MPI_Reduce_scatter_block(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Reduce_scatter_block(send, receive, count, type, op, comm);
    std::vector<int> const counts(lane->size(), count);
    return scatter_reduced(*lane, send, receive, counts.data(), type, op,
                           [&](MPI_Comm on) { return PMPI_Reduce_scatter_block(send, receive, count, type, op, on); });
}
}
