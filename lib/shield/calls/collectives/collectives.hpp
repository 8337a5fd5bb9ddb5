// Functions that collectives share: they run a collective, and find the data of the living and the holes of the dead.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "shield/engine/collective.hpp"
#include "shield/session/buffer.hpp"
#include "shield/session/session.hpp"
#include "shield/waits/waiting.hpp"

namespace regraft::shield {

inline bool forwardable(std::size_t bytes) {
    return bytes <= session().shield->options().most_forwarded;
}

/// Runs a collective of the program, whose operation functions are, and returns what its call returns.
int run(Lane& lane, Traits traits, int root, AnyOperation& operation);
template <class Functions>
int run(Lane& lane, Traits traits, int root, Functions const& functions) {
    Called operation(functions);
    return run(lane, traits, root, static_cast<AnyOperation&>(operation));
}

/// Runs a collective whose results differ from rank to rank, or are large: it is confirmed.
template <class Attempt, class Skip>
int run_confirmed(Lane& lane, bool synchronises, int root, Attempt const& attempt, Skip const& skip) {
    return run(lane, {synchronises, false}, root, Operation{attempt, nothing, nothing, skip});
}

/// Runs a collective to a root, which gets `bytes` bytes from each member: it is collected if they are few, otherwise
/// confirmed.
template <class... Parts>
int run_to_root(Lane& lane, int root, std::size_t bytes, OperationToRoot<Parts...> const& operation) {
    if (!forwardable(bytes)) return run_confirmed(lane, false, root, operation.attempt, operation.skip);
    return run(lane, {.role = lane.self == root ? Role::takes : Role::gives, .bytes = bytes}, root, operation);
}

/// The items of the living, selected from those of all members.
template <class Item>
std::vector<Item> select(Lane const& lane, Item const all[]) {
    std::vector<Item> selected;
    for (auto const rank : lane.living) selected.push_back(all[rank]);
    return selected;
}

/// Counts and places of the living members' data.
struct Selected {
    std::vector<int> counts, places;
    Selected() = default;
    Selected(Lane const& lane, int const* all_counts, int const* all_places)
        : counts(select(lane, all_counts)), places(select(lane, all_places)) {}
    /// For blocks that are at the numbers of their ranks.
    explicit Selected(Lane const& lane) : counts(lane.living.size(), 1), places(lane.living) {}
};

/// Makes the places of the dead holes. part(rank): the place of a rank in the receive buffer.
template <class Part>
void make_holes(Lane const& lane, Part const& part) {
    for (int rank = 0; rank < static_cast<int>(lane.size()); ++rank)
        if (!lane.lives(rank)) part(rank).make_hole();
}

inline Buffer displaced(void* data, int count, MPI_Datatype type, MPI_Aint displacement) {
    MPI_Aint first = 0;
    MPI_Aint extent = 0;
    PMPI_Type_get_extent(type, &first, &extent);
    return {static_cast<std::byte*>(data) + extent * displacement, count, type};
}

/// The blocks of the living, from those of all members, which are one after the other.
Scratch living_blocks(Lane const& lane, void* blocks, int const counts[], MPI_Datatype type);

/// Whether arrays by rank are null, for which MPI has an error.
template <class... Arrays>
bool are_missing(Arrays const*... arrays) {
    return ((arrays == nullptr) || ...);
}

inline bool is_rank(Lane const& lane, int rank) {
    return 0 <= rank && rank < static_cast<int>(lane.size());
}

}  // namespace regraft::shield
