// The arguments of nonblocking collectives. They are kept until all members have succeeded, because the operation may
// have to be attempted again with fewer members.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "shield/calls/collectives/collectives.hpp"
#include "shield/session/buffer.hpp"
#include "shield/session/handles.hpp"

namespace regraft::shield {

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

inline std::shared_ptr<Arguments> arguments(std::vector<MPI_Datatype> types, MPI_Op operation = MPI_OP_NULL) {
    // Data in place have no type.
    std::erase(types, MPI_DATATYPE_NULL);
    return std::make_shared<Arguments>(std::move(types), operation);
}

inline MPI_Datatype unless(bool in_place, MPI_Datatype type) {
    return in_place ? MPI_DATATYPE_NULL : type;
}

}  // namespace regraft::shield
