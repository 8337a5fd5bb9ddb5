// Exchanges between neighbours in a grid or graph, whichever members live: MPI's own call before the first repair, and
// MPI_Alltoallw among the living afterwards.
#include <mpi.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "shield/calls/collectives/collectives.hpp"
#include "shield/calls/collectives/copied.hpp"
#include "shield/calls/collectives/neighbourhood.hpp"
#include "shield/calls/collectives/nonblocking.hpp"
#include "shield/calls/collectives/topologies.hpp"
#include "shield/session/handles.hpp"

namespace regraft::shield {
namespace {

struct Block {
    int rank = MPI_PROC_NULL;
    Buffer buffer;
};

/// Arguments of MPI_Alltoallw: the blocks of each member of a lane as one type, at their addresses.
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

/// Sends to the living neighbours and receives from them; the places of the dead are made holes. sent(i), received(i):
/// the block of neighbour i.
class Exchange {
public:
    template <class Sent, class Received>
    Exchange(Lane const& lane, Sent const& sent, Received const& received) {
        auto const all = neighbours(lane.face);
        std::vector<Block> out;
        std::vector<Block> in;
        for (std::size_t i = 0; i < all.to.size(); ++i) out.push_back({all.to[i], sent(i)});
        for (auto const i : all.order) in.push_back({all.from[i], received(i)});
        for (auto const& block : in)
            if (is_rank(lane, block.rank) && !lane.lives(block.rank)) block.buffer.make_hole();
        to_.emplace(lane, out);
        from_.emplace(lane, in);
    }
    int run(MPI_Comm on) const {
        return PMPI_Alltoallw(MPI_BOTTOM, to_->counts(), to_->places(), to_->types(), MPI_BOTTOM, from_->counts(),
                              from_->places(), from_->types(), on);
    }
    /// Starts the exchange. The object must live until the request is over.
    int start(MPI_Comm on, MPI_Request* request) const {
        return PMPI_Ialltoallw(MPI_BOTTOM, to_->counts(), to_->places(), to_->types(), MPI_BOTTOM, from_->counts(),
                               from_->places(), from_->types(), on, request);
    }

private:
    std::optional<BlocksByMember> to_, from_;
};

/// Whether MPI's own call can be made on the communicator. Each repair shrinks all lanes, and they lose their
/// topologies, whichever process died.
bool keeps_topology(MPI_Comm on) {
    return topology_of(on) != MPI_UNDEFINED;
}

/// Runs an exchange. native(comm): the call of the program.
template <class Native, class Sent, class Received>
int exchange(MPI_Comm comm, Native const& native, Sent const& sent, Received const& received) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return native(comm);
    auto const attempt = [&](MPI_Comm on) {
        if (topology_of(comm) == MPI_UNDEFINED) return int{MPI_ERR_TOPOLOGY};
        if (keeps_topology(on)) return native(on);
        return Exchange(*lane, sent, received).run(on);
    };
    return run_confirmed(*lane, false, no_root, attempt, nothing);
}

/// Whether the neighbours below and above are the same in a dimension of a grid. Nonblocking calls of MPI confuse their
/// blocks (Open MPI 5.0.9); blocking calls do not.
bool has_twins(MPI_Comm face) {
    if (topology_of(face) != MPI_CART) return false;
    auto const from = neighbours(face).from;
    for (std::size_t i = 0; i + 1 < from.size(); i += 2)
        if (from[i] == from[i + 1] && from[i] != MPI_PROC_NULL) return true;
    return false;
}

/// Starts an exchange. native(comm, request): the nonblocking call of the program. types: those of the data.
template <class Native, class Sent, class Received>
int start_exchange(Lane& lane, MPI_Request* request, std::vector<MPI_Datatype> types, Native native, Sent sent,
                   Received received) {
    struct UnderWay {
        Uses uses;
        std::optional<Exchange> exchange;
        explicit UnderWay(std::vector<MPI_Datatype> used) : uses(std::move(used)) {}
    };
    auto const held = std::make_shared<UnderWay>(std::move(types));
    bool const trusts_native = !has_twins(lane.face);
    return start(lane, request, [=, &lane](MPI_Comm on, MPI_Request* started) {
        if (topology_of(lane.face) == MPI_UNDEFINED) return int{MPI_ERR_TOPOLOGY};
        if (trusts_native && keeps_topology(on)) return native(on, started);
        held->exchange.emplace(lane, sent, received);
        return held->exchange->start(on, started);
    });
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

// Blocking calls.

int MPI_Neighbor_allgather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                           MPI_Datatype type, MPI_Comm comm) {
    auto const native = [&](MPI_Comm on) {
        return PMPI_Neighbor_allgather(send, send_count, send_type, receive, count, type, on);
    };
    return exchange(
        comm, native, [&](auto) { return block(send, send_count, send_type, 0); },
        [&](auto i) { return block(receive, count, type, i); });
}

int MPI_Neighbor_allgatherv(void const* send, int send_count, MPI_Datatype send_type, void* receive, int const counts[],
                            int const places[], MPI_Datatype type, MPI_Comm comm) {
    auto const native = [&](MPI_Comm on) {
        return PMPI_Neighbor_allgatherv(send, send_count, send_type, receive, counts, places, type, on);
    };
    return exchange(
        comm, native, [&](auto) { return block(send, send_count, send_type, 0); },
        [&](auto i) { return at_item(receive, counts[i], type, places[i]); });
}

int MPI_Neighbor_alltoall(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                          MPI_Datatype type, MPI_Comm comm) {
    auto const native = [&](MPI_Comm on) {
        return PMPI_Neighbor_alltoall(send, send_count, send_type, receive, count, type, on);
    };
    return exchange(
        comm, native, [&](auto i) { return block(send, send_count, send_type, i); },
        [&](auto i) { return block(receive, count, type, i); });
}

int MPI_Neighbor_alltoallv(void const* send, int const send_counts[], int const send_places[], MPI_Datatype send_type,
                           void* receive, int const counts[], int const places[], MPI_Datatype type, MPI_Comm comm) {
    auto const native = [&](MPI_Comm on) {
        return PMPI_Neighbor_alltoallv(send, send_counts, send_places, send_type, receive, counts, places, type, on);
    };
    return exchange(
        comm, native, [&](auto i) { return at_item(send, send_counts[i], send_type, send_places[i]); },
        [&](auto i) { return at_item(receive, counts[i], type, places[i]); });
}

int MPI_Neighbor_alltoallw(void const* send, int const send_counts[], MPI_Aint const send_places[],
                           MPI_Datatype const send_types[], void* receive, int const counts[], MPI_Aint const places[],
                           MPI_Datatype const types[], MPI_Comm comm) {
    auto const native = [&](MPI_Comm on) {
        return PMPI_Neighbor_alltoallw(send, send_counts, send_places, send_types, receive, counts, places, types, on);
    };
    return exchange(
        comm, native, [&](auto i) { return at_byte(send, send_counts[i], send_types[i], send_places[i]); },
        [&](auto i) { return at_byte(receive, counts[i], types[i], places[i]); });
}

// Nonblocking calls.

int MPI_Ineighbor_allgather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                            MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
    auto const native = [=](MPI_Comm on, MPI_Request* started) {
        return PMPI_Ineighbor_allgather(send, send_count, send_type, receive, count, type, on, started);
    };
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return native(comm, request);
    return start_exchange(
        *lane, request, {send_type, type}, native, [=](auto) { return block(send, send_count, send_type, 0); },
        [=](auto i) { return block(receive, count, type, i); });
}

int MPI_Ineighbor_allgatherv(void const* send, int send_count, MPI_Datatype send_type, void* receive,
                             int const counts[], int const places[], MPI_Datatype type, MPI_Comm comm,
                             MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr)
        return PMPI_Ineighbor_allgatherv(send, send_count, send_type, receive, counts, places, type, comm, request);
    auto const around = neighbours(comm).from.size();
    Copied const in_counts(counts, around);
    Copied const in_places(places, around);
    auto const native = [=](MPI_Comm on, MPI_Request* started) {
        return PMPI_Ineighbor_allgatherv(send, send_count, send_type, receive, in_counts, in_places, type, on, started);
    };
    return start_exchange(
        *lane, request, {send_type, type}, native, [=](auto) { return block(send, send_count, send_type, 0); },
        [=](auto i) { return at_item(receive, in_counts[i], type, in_places[i]); });
}

int MPI_Ineighbor_alltoall(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                           MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
    auto const native = [=](MPI_Comm on, MPI_Request* started) {
        return PMPI_Ineighbor_alltoall(send, send_count, send_type, receive, count, type, on, started);
    };
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return native(comm, request);
    return start_exchange(
        *lane, request, {send_type, type}, native, [=](auto i) { return block(send, send_count, send_type, i); },
        [=](auto i) { return block(receive, count, type, i); });
}

int MPI_Ineighbor_alltoallv(void const* send, int const send_counts[], int const send_places[], MPI_Datatype send_type,
                            void* receive, int const counts[], int const places[], MPI_Datatype type, MPI_Comm comm,
                            MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr)
        return PMPI_Ineighbor_alltoallv(send, send_counts, send_places, send_type, receive, counts, places, type, comm,
                                        request);
    auto const around = neighbours(comm);
    Copied const out_counts(send_counts, around.to.size());
    Copied const out_places(send_places, around.to.size());
    Copied const in_counts(counts, around.from.size());
    Copied const in_places(places, around.from.size());
    auto const native = [=](MPI_Comm on, MPI_Request* started) {
        return PMPI_Ineighbor_alltoallv(send, out_counts, out_places, send_type, receive, in_counts, in_places, type,
                                        on, started);
    };
    return start_exchange(
        *lane, request, {send_type, type}, native,
        [=](auto i) { return at_item(send, out_counts[i], send_type, out_places[i]); },
        [=](auto i) { return at_item(receive, in_counts[i], type, in_places[i]); });
}

int MPI_Ineighbor_alltoallw(void const* send, int const send_counts[], MPI_Aint const send_places[],
                            MPI_Datatype const send_types[], void* receive, int const counts[], MPI_Aint const places[],
                            MPI_Datatype const types[], MPI_Comm comm, MPI_Request* request) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr)
        return PMPI_Ineighbor_alltoallw(send, send_counts, send_places, send_types, receive, counts, places, types,
                                        comm, request);
    auto const around = neighbours(comm);
    Copied const out_counts(send_counts, around.to.size());
    Copied const out_places(send_places, around.to.size());
    Copied const out_types(send_types, around.to.size());
    Copied const in_counts(counts, around.from.size());
    Copied const in_places(places, around.from.size());
    Copied const in_types(types, around.from.size());
    auto const native = [=](MPI_Comm on, MPI_Request* started) {
        return PMPI_Ineighbor_alltoallw(send, out_counts, out_places, out_types, receive, in_counts, in_places,
                                        in_types, on, started);
    };
    return start_exchange(
        *lane, request, joined(out_types, in_types), native,
        [=](auto i) { return at_byte(send, out_counts[i], out_types[i], out_places[i]); },
        [=](auto i) { return at_byte(receive, in_counts[i], in_types[i], in_places[i]); });
}
}
