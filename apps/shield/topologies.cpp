// Grids and graphs, made while all live. Faces are never shrunk, so they keep their topology; a lane loses it in the
// first repair, whoever has died. Ranks are never reordered.
#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "shield/collectives.hpp"
#include "shield/creation.hpp"
#include "shield/topologies.hpp"

namespace regraft::shield {
namespace {

std::vector<int> first_ranks(Lane const& lane, std::int64_t count) {
    std::vector<int> ranks(lane.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    if (count < static_cast<std::int64_t>(ranks.size())) ranks.resize(static_cast<std::size_t>(count));
    return ranks;
}

/// The positions of a grid, at most those of the lane and one more.
std::int64_t size_of_grid(Lane const& lane, int dimensions, int const extents[]) {
    std::int64_t size = 1;
    for (int i = 0; i < dimensions && size <= static_cast<std::int64_t>(lane.size()); ++i) size *= extents[i];
    return size < 0 ? 0 : size;
}

/// Whether it could not be made for somebody has died, perhaps none of its members: a grid is made of another by what
/// MPI knows of that one's lane.
bool is_for_the_dead(Lane const& lane, int code) {
    return !lane.is_whole() || (class_of(code) == MPI_ERR_TOPOLOGY && topology_of(lane.comm) != topology_of(lane.face));
}

/// members: see derive().
int make_topology(char const* call, Lane& lane, std::uint64_t colour, std::vector<int> const& members,
                  Make const& native, MPI_Comm* made) {
    auto const make = [&](MPI_Comm parent, MPI_Comm* result) {
        return lane.is_whole() ? native(parent, result) : int{MPI_ERR_TOPOLOGY};
    };
    int const code = wait_in(lane, [&] { return derive(*session().shield, lane, colour, members, make, made); });
    if (code == MPI_SUCCESS || !is_for_the_dead(lane, code)) return complain(lane, code);
    auto const why = "somebody has died, and topologies are made only while all live";
    int const refused = unsupported(call, &lane, MPI_ERR_PROC_FAILED, why);
    return refused == MPI_SUCCESS ? complain(lane, code) : refused;
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Cart_create(MPI_Comm comm, int dimensions, int const extents[], int const periods[], int reorder,
                    MPI_Comm* made) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Cart_create(comm, dimensions, extents, periods, reorder, made);
    auto const native = [&](MPI_Comm parent, MPI_Comm* result) {
        return PMPI_Cart_create(parent, dimensions, extents, periods, 0, result);
    };
    auto const members = first_ranks(*lane, size_of_grid(*lane, dimensions, extents));
    return make_topology("MPI_Cart_create", *lane, 0, members, native, made);
}

/// Those at the same place in the dimensions that are dropped.
int MPI_Cart_sub(MPI_Comm comm, int const remains[], MPI_Comm* made) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Cart_sub(comm, remains, made);
    if (topology_of(comm) != MPI_CART) return complain(*lane, MPI_ERR_TOPOLOGY);
    int count = 0;
    PMPI_Cartdim_get(comm, &count);
    auto const dimensions = static_cast<std::size_t>(count);
    std::vector<int> extents(dimensions);
    std::vector<int> periods(dimensions);
    std::vector<int> place(dimensions);
    PMPI_Cart_get(comm, count, extents.data(), periods.data(), place.data());
    auto const colour_of = [&](int rank) {
        PMPI_Cart_coords(comm, rank, count, place.data());
        std::uint64_t colour = 0;
        for (std::size_t i = 0; i < dimensions; ++i)
            if (remains[i] == 0)
                colour = colour * static_cast<std::uint64_t>(extents[i]) + static_cast<std::uint64_t>(place[i]);
        return colour;
    };
    auto const mine = colour_of(lane->self);
    std::vector<int> members;
    for (int rank = 0; rank < static_cast<int>(lane->size()); ++rank)
        if (colour_of(rank) == mine) members.push_back(rank);
    auto const native = [&](MPI_Comm parent, MPI_Comm* result) { return PMPI_Cart_sub(parent, remains, result); };
    return make_topology("MPI_Cart_sub", *lane, mine, members, native, made);
}

int MPI_Graph_create(MPI_Comm comm, int nodes, int const index[], int const edges[], int reorder, MPI_Comm* made) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Graph_create(comm, nodes, index, edges, reorder, made);
    auto const native = [&](MPI_Comm parent, MPI_Comm* result) {
        return PMPI_Graph_create(parent, nodes, index, edges, 0, result);
    };
    return make_topology("MPI_Graph_create", *lane, 0, first_ranks(*lane, nodes < 0 ? 0 : nodes), native, made);
}

int MPI_Dist_graph_create(MPI_Comm comm, int count, int const sources[], int const degrees[], int const targets[],
                          int const weights[], MPI_Info info, int reorder, MPI_Comm* made) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr)
        return PMPI_Dist_graph_create(comm, count, sources, degrees, targets, weights, info, reorder, made);
    auto const native = [&](MPI_Comm parent, MPI_Comm* result) {
        return PMPI_Dist_graph_create(parent, count, sources, degrees, targets, weights, info, 0, result);
    };
    auto const members = first_ranks(*lane, static_cast<std::int64_t>(lane->size()));
    return make_topology("MPI_Dist_graph_create", *lane, 0, members, native, made);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int from_count, int const from[], int const from_weights[],
                                   int to_count, int const to[], int const to_weights[], MPI_Info info, int reorder,
                                   MPI_Comm* made) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr)
        return PMPI_Dist_graph_create_adjacent(comm, from_count, from, from_weights, to_count, to, to_weights, info,
                                               reorder, made);
    auto const native = [&](MPI_Comm parent, MPI_Comm* result) {
        return PMPI_Dist_graph_create_adjacent(parent, from_count, from, from_weights, to_count, to, to_weights, info,
                                               0, result);
    };
    auto const members = first_ranks(*lane, static_cast<std::int64_t>(lane->size()));
    return make_topology("MPI_Dist_graph_create_adjacent", *lane, 0, members, native, made);
}

/// The places that MPI_Cart_create and MPI_Graph_create give.
int MPI_Cart_map(MPI_Comm comm, int dimensions, int const extents[], int const periods[], int* rank) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Cart_map(comm, dimensions, extents, periods, rank);
    *rank = lane->self < size_of_grid(*lane, dimensions, extents) ? lane->self : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
int MPI_Graph_map(MPI_Comm comm, int nodes, int const index[], int const edges[], int* rank) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Graph_map(comm, nodes, index, edges, rank);
    *rank = lane->self < nodes ? lane->self : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
}
