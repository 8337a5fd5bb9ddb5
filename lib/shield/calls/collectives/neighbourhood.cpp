#include "shield/calls/collectives/neighbourhood.hpp"

#include <numeric>

#include "shield/calls/collectives/topologies.hpp"

namespace regraft::shield {
namespace {

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

Neighbours neighbours_in_graph(MPI_Comm face) {
    Neighbours result;
    int self = 0;
    int count = 0;
    PMPI_Comm_rank(face, &self);
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

}  // namespace

Neighbours neighbours(MPI_Comm face) {
    Neighbours result;
    auto const kind = topology_of(face);
    if (kind == MPI_CART) result = neighbours_in_grid(face);
    if (kind == MPI_GRAPH) result = neighbours_in_graph(face);
    if (kind == MPI_DIST_GRAPH) result = neighbours_in_distributed_graph(face);
    if (result.order.empty()) {
        result.order.resize(result.from.size());
        std::iota(result.order.begin(), result.order.end(), std::size_t{0});
    }
    return result;
}

}  // namespace regraft::shield
