// Grids and graphs, made while all members live. Faces are never shrunk, so they keep their topology; a lane loses it
// in the first repair, whichever process died. Ranks are never reordered.
#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "shield/calls/collectives/collectives.hpp"
#include "shield/calls/collectives/topologies.hpp"
#include "shield/engine/creation.hpp"

namespace regraft::shield {
namespace {

std::vector<int> first_ranks(Lane const& lane, std::int64_t count) {
    std::vector<int> ranks(lane.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    if (count < static_cast<std::int64_t>(ranks.size())) ranks.resize(static_cast<std::size_t>(count));
    return ranks;
}

/// The number of positions of a grid, at most that of the lane's members plus one.
std::int64_t size_of_grid(Lane const& lane, int dimensions, int const extents[]) {
    std::int64_t size = 1;
    for (int i = 0; i < dimensions && size <= static_cast<std::int64_t>(lane.size()); ++i) size *= extents[i];
    return size < 0 ? 0 : size;
}

int refuse_topology(char const* call, Lane& lane) {
    return unsupported(call, &lane, MPI_ERR_PROC_FAILED,
                       "a rank has died, and topologies are made only while all ranks live");
}

/// Makes a communicator with a topology. members: see derive().
int make_topology(char const* call, Lane& lane, std::vector<int> const& members, Make const& native, MPI_Comm* made) {
    auto const make = [&](MPI_Comm parent, MPI_Comm* result) {
        return lane.is_whole() ? native(parent, result) : int{MPI_ERR_TOPOLOGY};
    };
    int const code = wait_in(lane, [&] { return derive(*session().shield, lane, 0, members, make, made); });
    if (lane.is_whole() || code == MPI_SUCCESS) return complain(lane, code);
    int const refused = refuse_topology(call, lane);
    return refused == MPI_SUCCESS ? complain(lane, code) : refused;
}

struct Grid {
    std::vector<int> extents, periods, place;

    Grid() = default;
    explicit Grid(MPI_Comm of) {
        int dimensions = 0;
        PMPI_Cartdim_get(of, &dimensions);
        for (auto* const values : {&extents, &periods, &place}) values->resize(static_cast<std::size_t>(dimensions));
        PMPI_Cart_get(of, dimensions, extents.data(), periods.data(), place.data());
    }
    int dimensions() const { return static_cast<int>(extents.size()); }
    int make(MPI_Comm parent, MPI_Comm* made) const {
        return PMPI_Cart_create(parent, dimensions(), extents.data(), periods.data(), 0, made);
    }
};

int duplicate_graph(MPI_Comm of, MPI_Comm parent, MPI_Comm* made) {
    int nodes = 0;
    int count = 0;
    PMPI_Graphdims_get(of, &nodes, &count);
    std::vector<int> index(static_cast<std::size_t>(nodes));
    std::vector<int> edges(static_cast<std::size_t>(count));
    PMPI_Graph_get(of, nodes, count, index.data(), edges.data());
    return PMPI_Graph_create(parent, nodes, index.data(), edges.data(), 0, made);
}

int duplicate_distributed_graph(MPI_Comm of, MPI_Comm parent, MPI_Comm* made) {
    int from_count = 0;
    int to_count = 0;
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(of, &from_count, &to_count, &weighted);
    std::vector<int> from(static_cast<std::size_t>(from_count));
    std::vector<int> to(static_cast<std::size_t>(to_count));
    std::vector<int> from_weights(from.size());
    std::vector<int> to_weights(to.size());
    PMPI_Dist_graph_neighbors(of, from_count, from.data(), from_weights.data(), to_count, to.data(), to_weights.data());
    return PMPI_Dist_graph_create_adjacent(parent, from_count, from.data(),
                                           weighted != 0 ? from_weights.data() : MPI_UNWEIGHTED, to_count, to.data(),
                                           weighted != 0 ? to_weights.data() : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, made);
}

}  // namespace

int duplicate_with_topology(MPI_Comm of, MPI_Comm parent, MPI_Comm* made) {
    switch (topology_of(of)) {
        case MPI_CART:
            return Grid(of).make(parent, made);
        case MPI_GRAPH:
            return duplicate_graph(of, parent, made);
        case MPI_DIST_GRAPH:
            return duplicate_distributed_graph(of, parent, made);
        default:
            return PMPI_Comm_dup(parent, made);
    }
}

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
    return make_topology("MPI_Cart_create", *lane, members, native, made);
}

/// Makes communicators of the members at the same place in the dropped dimensions. MPI's own call needs the topology of
/// the lane, which may have lost it.
int MPI_Cart_sub(MPI_Comm comm, int const remains[], MPI_Comm* made) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Cart_sub(comm, remains, made);
    if (topology_of(comm) != MPI_CART) return complain(*lane, MPI_ERR_TOPOLOGY);
    Grid const whole(comm);
    Grid rest;
    int colour = 0;
    for (std::size_t i = 0; i < whole.extents.size(); ++i) {
        if (remains[i] == 0) {
            colour = colour * whole.extents[i] + whole.place[i];
        } else {
            rest.extents.push_back(whole.extents[i]);
            rest.periods.push_back(whole.periods[i]);
        }
    }
    MPI_Comm part = MPI_COMM_NULL;
    *made = MPI_COMM_NULL;
    int code = MPI_Comm_split(comm, colour, lane->self, &part);
    if (code != MPI_SUCCESS) return code;
    auto& members = *lane_of(part);
    auto const size = size_of_grid(members, rest.dimensions(), rest.extents.data());
    bool const is_smaller = static_cast<std::int64_t>(members.size()) < size;  // dead members were left out
    if (is_smaller) code = refuse_topology("MPI_Cart_sub", members);
    auto const make = [&](MPI_Comm parent, MPI_Comm* result) { return rest.make(parent, result); };
    if (code == MPI_SUCCESS) code = make_topology("MPI_Cart_sub", members, first_ranks(members, size), make, made);
    MPI_Comm_free(&part);
    return code;
}

int MPI_Graph_create(MPI_Comm comm, int nodes, int const index[], int const edges[], int reorder, MPI_Comm* made) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Graph_create(comm, nodes, index, edges, reorder, made);
    auto const native = [&](MPI_Comm parent, MPI_Comm* result) {
        return PMPI_Graph_create(parent, nodes, index, edges, 0, result);
    };
    return make_topology("MPI_Graph_create", *lane, first_ranks(*lane, nodes < 0 ? 0 : nodes), native, made);
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
    return make_topology("MPI_Dist_graph_create", *lane, members, native, made);
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
    return make_topology("MPI_Dist_graph_create_adjacent", *lane, members, native, made);
}

/// Gives the places that MPI_Cart_create and MPI_Graph_create give.
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
