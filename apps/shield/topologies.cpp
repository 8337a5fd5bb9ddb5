// Grids and graphs, made while all live, and what their neighbours exchange, whoever lives. Faces are never shrunk, so
// they keep their topology; a lane loses it when it loses a member. Ranks are never reordered.
#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "shield/collectives.hpp"
#include "shield/creation.hpp"

namespace regraft::shield {
namespace {

int topology_of(MPI_Comm comm) {
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    return kind;
}

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

/// members: see derive().
int make_topology(char const* call, Lane& lane, std::uint64_t colour, std::vector<int> const& members,
                  Make const& native, MPI_Comm* made) {
    auto const make = [&](MPI_Comm parent, MPI_Comm* result) {
        return lane.is_whole() ? native(parent, result) : int{MPI_ERR_TOPOLOGY};
    };
    int const code = wait_in(lane, [&] { return derive(*session().shield, lane, colour, members, make, made); });
    if (lane.is_whole() || code == MPI_SUCCESS) return complain(lane, code);
    auto const why = "somebody has died, and topologies are made only while all live";
    int const refused = unsupported(call, &lane, MPI_ERR_PROC_FAILED, why);
    return refused == MPI_SUCCESS ? complain(lane, code) : refused;
}

// --- neighbours

/// As on the face, which knows them still.
struct Neighbours {
    std::vector<int> from, to;
    /// Several blocks from one neighbour come in this order. The one sent downwards is received from above: where the
    /// neighbours above and below are the same, that makes a difference.
    std::vector<std::size_t> order;
};

Neighbours neighbours_in_grid(MPI_Comm face) {
    Neighbours result;
    int dimensions = 0;
    PMPI_Cartdim_get(face, &dimensions);
    for (int i = 0; i < dimensions; ++i) {
        int below = MPI_PROC_NULL;
        int above = MPI_PROC_NULL;
        PMPI_Cart_shift(face, i, 1, &below, &above);
        auto const first = result.to.size();
        result.to.insert(result.to.end(), {below, above});
        result.order.insert(result.order.end(), {first + 1, first});
    }
    result.from = result.to;
    return result;
}

Neighbours neighbours_in_graph(MPI_Comm face, int self) {
    Neighbours result;
    int count = 0;
    PMPI_Graph_neighbors_count(face, self, &count);
    result.to.resize(static_cast<std::size_t>(count));
    PMPI_Graph_neighbors(face, self, count, result.to.data());
    result.from = result.to;
    return result;
}

Neighbours neighbours_in_distributed_graph(MPI_Comm face) {
    Neighbours result;
    int from = 0;
    int to = 0;
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(face, &from, &to, &weighted);
    result.from.resize(static_cast<std::size_t>(from));
    result.to.resize(static_cast<std::size_t>(to));
    std::vector<int> from_weights(result.from.size());
    std::vector<int> to_weights(result.to.size());
    PMPI_Dist_graph_neighbors(face, from, result.from.data(), from_weights.data(), to, result.to.data(),
                              to_weights.data());
    return result;
}

Neighbours neighbours(Lane const& lane) {
    Neighbours result;
    auto const kind = topology_of(lane.face);
    if (kind == MPI_CART) result = neighbours_in_grid(lane.face);
    if (kind == MPI_GRAPH) result = neighbours_in_graph(lane.face, lane.self);
    if (kind == MPI_DIST_GRAPH) result = neighbours_in_distributed_graph(lane.face);
    if (result.order.empty()) {
        result.order.resize(result.from.size());
        std::iota(result.order.begin(), result.order.end(), std::size_t{0});
    }
    return result;
}

// --- what they exchange, among the living

struct Block {
    int rank = MPI_PROC_NULL;
    Buffer buffer;
};

/// For MPI_Alltoallw: the blocks of each member of a lane as one type, at their addresses.
class BlocksByMember {
public:
    BlocksByMember(Lane const& lane, std::vector<Block> const& blocks)
        : counts_(lane.living.size()), places_(lane.living.size()), types_(lane.living.size(), MPI_BYTE) {
        std::vector<std::vector<Buffer>> of_member(lane.living.size());
        for (auto const& block : blocks)
            if (is_rank(lane, block.rank) && lane.lives(block.rank))
                of_member[static_cast<std::size_t>(lane.position(block.rank))].push_back(block.buffer);
        for (std::size_t i = 0; i < of_member.size(); ++i)
            if (!of_member[i].empty()) join(of_member[i], i);
    }
    BlocksByMember(BlocksByMember const&) = delete;
    BlocksByMember& operator=(BlocksByMember const&) = delete;
    ~BlocksByMember() {
        for (std::size_t i = 0; i < types_.size(); ++i)
            if (counts_[i] > 0) PMPI_Type_free(&types_[i]);
    }

    int const* counts() const { return counts_.data(); }
    int const* places() const { return places_.data(); }
    MPI_Datatype const* types() const { return types_.data(); }

private:
    void join(std::vector<Buffer> const& buffers, std::size_t i) {
        std::vector<int> lengths;
        std::vector<MPI_Aint> addresses;
        std::vector<MPI_Datatype> types;
        for (auto const& buffer : buffers) {
            lengths.push_back(buffer.count);
            PMPI_Get_address(buffer.data, &addresses.emplace_back());
            types.push_back(buffer.type);
        }
        PMPI_Type_create_struct(static_cast<int>(lengths.size()), lengths.data(), addresses.data(), types.data(),
                                &types_[i]);
        PMPI_Type_commit(&types_[i]);
        counts_[i] = 1;
    }

    std::vector<int> counts_, places_;
    std::vector<MPI_Datatype> types_;
};

/// native(comm): the call of the program, while all live. sent(i), received(i): the block of neighbour i.
template <class Native, class Sent, class Received>
int exchange(Lane& lane, Native const& native, Sent const& sent, Received const& received) {
    auto const attempt = [&](MPI_Comm on) {
        if (lane.is_whole()) return native(on);
        if (topology_of(lane.face) == MPI_UNDEFINED) return int{MPI_ERR_TOPOLOGY};
        auto const all = neighbours(lane);
        std::vector<Block> out;
        std::vector<Block> in;
        for (std::size_t i = 0; i < all.to.size(); ++i) out.push_back({all.to[i], sent(i)});
        for (auto const i : all.order) in.push_back({all.from[i], received(i)});
        for (auto const& block : in)
            if (is_rank(lane, block.rank) && !lane.lives(block.rank)) block.buffer.make_hole();
        BlocksByMember const to(lane, out);
        BlocksByMember const from(lane, in);
        return PMPI_Alltoallw(MPI_BOTTOM, to.counts(), to.places(), to.types(), MPI_BOTTOM, from.counts(),
                              from.places(), from.types(), on);
    };
    return run_confirmed(lane, false, no_root, attempt, nothing);
}

Buffer at_item(void const* data, int count, MPI_Datatype type, int item) {
    return displaced(const_cast<void*>(data), count, type, item);
}
Buffer at_byte(void const* data, int count, MPI_Datatype type, MPI_Aint byte) {
    return {static_cast<std::byte*>(const_cast<void*>(data)) + byte, count, type};
}
Buffer block(void const* data, int count, MPI_Datatype type, std::size_t i) {
    return Buffer{const_cast<void*>(data), count, type}.part(static_cast<int>(i));
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

int MPI_Neighbor_allgather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                           MPI_Datatype type, MPI_Comm comm) {
    auto const native = [&](MPI_Comm on) {
        return PMPI_Neighbor_allgather(send, send_count, send_type, receive, count, type, on);
    };
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return native(comm);
    return exchange(
        *lane, native, [&](auto) { return block(send, send_count, send_type, 0); },
        [&](auto i) { return block(receive, count, type, i); });
}

int MPI_Neighbor_allgatherv(void const* send, int send_count, MPI_Datatype send_type, void* receive, int const counts[],
                            int const places[], MPI_Datatype type, MPI_Comm comm) {
    auto const native = [&](MPI_Comm on) {
        return PMPI_Neighbor_allgatherv(send, send_count, send_type, receive, counts, places, type, on);
    };
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return native(comm);
    return exchange(
        *lane, native, [&](auto) { return block(send, send_count, send_type, 0); },
        [&](auto i) { return at_item(receive, counts[i], type, places[i]); });
}

int MPI_Neighbor_alltoall(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                          MPI_Datatype type, MPI_Comm comm) {
    auto const native = [&](MPI_Comm on) {
        return PMPI_Neighbor_alltoall(send, send_count, send_type, receive, count, type, on);
    };
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return native(comm);
    return exchange(
        *lane, native, [&](auto i) { return block(send, send_count, send_type, i); },
        [&](auto i) { return block(receive, count, type, i); });
}

int MPI_Neighbor_alltoallv(void const* send, int const send_counts[], int const send_places[], MPI_Datatype send_type,
                           void* receive, int const counts[], int const places[], MPI_Datatype type, MPI_Comm comm) {
    auto const native = [&](MPI_Comm on) {
        return PMPI_Neighbor_alltoallv(send, send_counts, send_places, send_type, receive, counts, places, type, on);
    };
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return native(comm);
    return exchange(
        *lane, native, [&](auto i) { return at_item(send, send_counts[i], send_type, send_places[i]); },
        [&](auto i) { return at_item(receive, counts[i], type, places[i]); });
}

int MPI_Neighbor_alltoallw(void const* send, int const send_counts[], MPI_Aint const send_places[],
                           MPI_Datatype const send_types[], void* receive, int const counts[], MPI_Aint const places[],
                           MPI_Datatype const types[], MPI_Comm comm) {
    auto const native = [&](MPI_Comm on) {
        return PMPI_Neighbor_alltoallw(send, send_counts, send_places, send_types, receive, counts, places, types, on);
    };
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return native(comm);
    return exchange(
        *lane, native, [&](auto i) { return at_byte(send, send_counts[i], send_types[i], send_places[i]); },
        [&](auto i) { return at_byte(receive, counts[i], types[i], places[i]); });
}
}
