// What is indexed by rank, when some ranks are dead: the rows of the living, and holes in place of the others.
#pragma once

#include <mpi.h>

#include <vector>

#include "shield/buffer.hpp"
#include "shield/session.hpp"

namespace regraft::shield {

/// Counts and places of the living, out of those of all.
struct Selected {
    std::vector<int> counts, places;
    Selected() = default;
    Selected(Lane const& lane, int const* all_counts, int const* all_places) {
        for (auto const rank : lane.living) {
            counts.push_back(all_counts[rank]);
            places.push_back(all_places[rank]);
        }
    }
    /// For blocks, each at the number that its rank says.
    explicit Selected(Lane const& lane) : counts(lane.living.size(), 1), places(lane.living) {}
};

inline Buffer displaced(void* data, int count, MPI_Datatype type, int displacement) {
    MPI_Aint first = 0;
    MPI_Aint extent = 0;
    PMPI_Type_get_extent(type, &first, &extent);
    return {static_cast<std::byte*>(data) + extent * displacement, count, type};
}

inline void make_hole(Buffer const& buffer) {
    if (session().policy.fills_holes) buffer.make_hole();
}

/// part(rank): the buffer of a rank.
template <class Part>
void make_holes(Lane const& lane, Part const& part) {
    for (int rank = 0; rank < static_cast<int>(lane.size()); ++rank)
        if (!lane.lives(rank)) make_hole(part(rank));
}

inline bool is_rank(Lane const& lane, int rank) {
    return 0 <= rank && rank < static_cast<int>(lane.size());
}

}  // namespace regraft::shield
