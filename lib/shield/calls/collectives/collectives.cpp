// Collectives. If no member is dead, the program's call runs on the lane. Otherwise everything that is indexed by rank
// goes to the place of the rank that it always had, and the places of the dead are holes.
#include "shield/calls/collectives/collectives.hpp"
#include <mpi.h>

#include "shield/calls/collectives/identity.hpp"

namespace regraft::shield {
namespace {

/// An Allgatherv made from other calls: the rows come together at the lowest rank, which sends them to all.
/// (MPI_Allgatherv of some MPIs gives wrong data when a member dies in it.)
int gather_to_all(Lane const& lane, MPI_Comm comm, void const* send, int send_count, MPI_Datatype send_type,
                  void* receive, Selected const& rows, MPI_Datatype type) {
    bool const in_place = send == MPI_IN_PLACE;
    auto const mine = static_cast<std::size_t>(lane.position(lane.self));
    auto const own = displaced(receive, rows.counts[mine], type, rows.places[mine]);
    bool const is_first = mine == 0;
    int code = in_place && !is_first ? PMPI_Gatherv(own.data, own.count, type, nullptr, nullptr, nullptr, type, 0, comm)
                                     : PMPI_Gatherv(send, send_count, in_place ? type : send_type, receive,
                                                    rows.counts.data(), rows.places.data(), type, 0, comm);
    if (code != MPI_SUCCESS) return code;
    MPI_Datatype all = MPI_DATATYPE_NULL;
    PMPI_Type_indexed(static_cast<int>(rows.counts.size()), rows.counts.data(), rows.places.data(), type, &all);
    PMPI_Type_commit(&all);
    code = PMPI_Bcast(receive, 1, all, 0, comm);
    PMPI_Type_free(&all);
    return code;
}

/// Reduces the inputs of the members and that of this process in the order of ranks, because op need not commute.
void reduce_in_order(Lane const& lane, Inputs const& inputs, Buffer const& own, Buffer const& result, MPI_Op op) {
    Scratch const next(result);
    Scratch const sum(result);
    auto const load = [&](std::size_t i, Buffer const& into) {
        if (lane.living[i] == lane.self) {
            copy(own, into);
        } else {
            into.unpack(inputs[i]);
        }
    };
    auto i = inputs.size() - 1;
    load(i, sum.buffer());
    while (i-- > 0) {
        load(i, next.buffer());
        PMPI_Reduce_local(next.buffer().data, sum.buffer().data, result.count, result.type, op);
    }
    copy(sum.buffer(), result);
}

/// MPI_Gather.
struct Gathering {
    Lane const& lane;
    Buffer send, block;  // block: that of each member, at the root
    int root;
    bool in_place = send.data == MPI_IN_PLACE;
    Buffer own = in_place ? block.part(root) : send;
    Kept kept{in_place, own};

    Gathering(Lane const& on, Buffer const& from, Buffer const& to, int at)
        : lane(on), send(from), block(to), root(at) {}

    int attempt(MPI_Comm on) {
        kept.restore();
        int const to = lane.position(root);
        if (lane.is_whole())
            return PMPI_Gather(send.data, send.count, send.type, block.data, block.count, block.type, to, on);
        if (lane.self != root)
            return PMPI_Gatherv(send.data, send.count, send.type, nullptr, nullptr, nullptr, MPI_BYTE, to, on);
        make_holes(lane, [&](int rank) { return block.part(rank); });
        BlockType const row(block.count, block.type);
        Selected const rows(lane);
        return PMPI_Gatherv(send.data, send.count, send.type, block.data, rows.counts.data(), rows.places.data(),
                            row.get(), to, on);
    }
    void combine(Inputs const& inputs) {
        kept.restore();
        make_holes(lane, [&](int rank) { return block.part(rank); });
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (lane.living[i] != root) block.part(lane.living[i]).unpack(inputs[i]);
        if (!in_place) copy(own, block.part(root));
    }
};

/// The blocks of MPI_Gatherv at its root; elsewhere they are empty.
struct Blocks {
    void* data;
    int const* counts;
    int const* places;
    MPI_Datatype type;

    Buffer part(int rank) const { return displaced(data, counts[rank], type, places[rank]); }
};

/// MPI_Gatherv.
struct UnlikeGathering {
    Lane const& lane;
    Buffer send;
    Blocks blocks;
    int root;
    bool is_root = lane.self == root;
    bool in_place = is_root && send.data == MPI_IN_PLACE;
    Buffer own = in_place ? blocks.part(root) : send;
    Kept kept{in_place, own};

    UnlikeGathering(Lane const& on, Buffer const& from, Blocks const& to, int at)
        : lane(on), send(from), blocks(to), root(at) {}

    /// The number of bytes that a member gives; its types may differ between both ends.
    std::size_t bytes(int rank) const {
        Buffer const block{nullptr, is_root ? blocks.counts[rank] : send.count, is_root ? blocks.type : send.type};
        if (block.is_plain()) return block.bytes();
        MPI_Count size = 0;
        PMPI_Type_size_x(block.type, &size);
        return static_cast<std::size_t>(block.count) * static_cast<std::size_t>(size);
    }
    int attempt(MPI_Comm on) {
        kept.restore();
        int const to = lane.position(root);
        if (!is_root || lane.is_whole())
            return PMPI_Gatherv(send.data, send.count, send.type, blocks.data, blocks.counts, blocks.places,
                                blocks.type, to, on);
        make_holes(lane, [&](int rank) { return blocks.part(rank); });
        Selected const rows(lane, blocks.counts, blocks.places);
        return PMPI_Gatherv(send.data, send.count, send.type, blocks.data, rows.counts.data(), rows.places.data(),
                            blocks.type, to, on);
    }
    void combine(Inputs const& inputs) {
        kept.restore();
        make_holes(lane, [&](int rank) { return blocks.part(rank); });
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (lane.living[i] != root) blocks.part(lane.living[i]).unpack(inputs[i]);
        if (!in_place) copy(own, blocks.part(root));
    }
};

}  // namespace

int run(Lane& lane, Traits traits, int root, AnyOperation& operation) {
    int const code = wait_in(lane, [&] { return collective(*session().shield, lane, traits, root, operation); });
    without_the_dead(lane, root);
    if (root == no_root || lane.lives(root)) end_holes();
    return code == MPI_SUCCESS ? code : complain(lane, code);
}

}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Barrier(comm);
    return run(*lane, {.synchronises = true, .forwardable = true}, no_root,
               Operation{[](MPI_Comm on) { return PMPI_Barrier(on); }, nothing, nothing, nothing});
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Bcast(data, count, type, root, comm);
    if (!is_rank(*lane, root)) return complain(*lane, PMPI_Bcast(data, count, type, root, comm));
    Buffer const buffer{data, count, type};
    bool const is_root = lane->self == root;
    auto const size = buffer.bytes();
    return run(*lane, {.forwardable = forwardable(size), .bytes = size}, root,
               Operation{[&](MPI_Comm on) { return PMPI_Bcast(data, count, type, lane->position(root), on); },
                         [&](auto& bytes) { buffer.pack(bytes); },
                         [&](auto bytes) {
                             if (!is_root) buffer.unpack(bytes);
                         },
                         [&] {
                             without_root(*lane, "MPI_Bcast", root, true);
                             buffer.make_hole();
                         }});
}

int MPI_Allreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Allreduce(send, receive, count, type, op, comm);
    Buffer const result{receive, count, type};
    Kept kept(send == MPI_IN_PLACE, result);
    Unshown const unshown(!is_built_in(op));
    // Without items no member waits for another.
    return run(*lane, {.synchronises = count > 0, .forwardable = forwardable(result.bytes())}, no_root,
               Operation{[&](MPI_Comm on) {
                             kept.restore();
                             return PMPI_Allreduce(send, receive, count, type, op, on);
                         },
                         [&](auto& bytes) { result.pack(bytes); }, [&](auto bytes) { result.unpack(bytes); }, nothing});
}

int MPI_Reduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Reduce(send, receive, count, type, op, root, comm);
    if (!is_rank(*lane, root)) return complain(*lane, PMPI_Reduce(send, receive, count, type, op, root, comm));
    bool const in_place = send == MPI_IN_PLACE;
    Buffer const own{in_place ? receive : const_cast<void*>(send), count, type};
    Kept kept(in_place, own);
    Unshown const unshown(!is_built_in(op));
    return run_to_root(*lane, root, own.bytes(),
                       OperationToRoot{[&](MPI_Comm on) {
                                           kept.restore();
                                           return PMPI_Reduce(send, receive, count, type, op, lane->position(root), on);
                                       },
                                       [&](int) { return own.bytes(); }, [&](auto& bytes) { own.pack(bytes); },
                                       [&](Inputs const& inputs) {
                                           kept.restore();
                                           reduce_in_order(*lane, inputs, own, {receive, count, type}, op);
                                       },
                                       [&] { without_root(*lane, "MPI_Reduce", root, false); }});
}

int MPI_Gather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type,
               int root, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr || !is_rank(*lane, root)) {
        int const code = PMPI_Gather(send, send_count, send_type, receive, count, type, root, comm);
        return lane == nullptr ? code : complain(*lane, code);
    }
    Gathering it(*lane, {const_cast<void*>(send), send_count, send_type}, {receive, count, type}, root);
    return run_to_root(
        *lane, root, lane->self == root ? it.block.bytes() : it.own.bytes(),
        OperationToRoot{[&it](MPI_Comm on) { return it.attempt(on); }, [&it](int) { return it.own.bytes(); },
                        [&it](auto& bytes) { it.own.pack(bytes); }, [&it](Inputs const& inputs) { it.combine(inputs); },
                        [&it] { without_root(it.lane, "MPI_Gather", it.root, false); }});
}

int MPI_Gatherv(void const* send, int send_count, MPI_Datatype send_type, void* receive, int const counts[],
                int const places[], MPI_Datatype type, int root, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr || !is_rank(*lane, root)) {
        int const code = PMPI_Gatherv(send, send_count, send_type, receive, counts, places, type, root, comm);
        return lane == nullptr ? code : complain(*lane, code);
    }
    bool const is_root = lane->self == root;
    if (is_root && are_missing(counts, places))
        return complain(*lane, PMPI_Gatherv(send, send_count, send_type, receive, counts, places, type, root, comm));
    UnlikeGathering it(*lane, {const_cast<void*>(send), send_count, send_type}, {receive, counts, places, type}, root);
    // Members keep different amounts, but all must count alike, so that the last of a number of calls is confirmed on
    // all.
    constexpr std::size_t bytes_of_each = 512;
    bool const is_large = is_root || !forwardable(it.bytes(lane->self));
    return run(*lane, {.role = is_root ? Role::takes : Role::gives, .acknowledged = is_large, .bytes = bytes_of_each},
               root,
               OperationToRoot{[&it](MPI_Comm on) { return it.attempt(on); },
                               [&it](int rank) { return it.bytes(rank); }, [&it](auto& bytes) { it.send.pack(bytes); },
                               [&it](Inputs const& inputs) { it.combine(inputs); },
                               [&it] { without_root(it.lane, "MPI_Gatherv", it.root, false); }});
}

int MPI_Scatter(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type,
                int root, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr || !is_rank(*lane, root)) {
        int const code = PMPI_Scatter(send, send_count, send_type, receive, count, type, root, comm);
        return lane == nullptr ? code : complain(*lane, code);
    }
    auto const attempt = [&](MPI_Comm on) {
        int const from = lane->position(root);
        if (lane->is_whole()) return PMPI_Scatter(send, send_count, send_type, receive, count, type, from, on);
        if (lane->self != root)
            return PMPI_Scatterv(nullptr, nullptr, nullptr, MPI_BYTE, receive, count, type, from, on);
        BlockType const block(send_count, send_type);
        Selected const rows(*lane);
        return PMPI_Scatterv(send, rows.counts.data(), rows.places.data(), block.get(), receive, count, type, from, on);
    };
    return run_confirmed(*lane, false, root, attempt, [&] {
        without_root(*lane, "MPI_Scatter", root, true);
        Buffer{receive, count, type}.make_hole();
    });
}

int MPI_Scatterv(void const* send, int const counts[], int const places[], MPI_Datatype send_type, void* receive,
                 int count, MPI_Datatype type, int root, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr || !is_rank(*lane, root)) {
        int const code = PMPI_Scatterv(send, counts, places, send_type, receive, count, type, root, comm);
        return lane == nullptr ? code : complain(*lane, code);
    }
    auto const attempt = [&](MPI_Comm on) {
        int const from = lane->position(root);
        if (lane->self != root || lane->is_whole())
            return PMPI_Scatterv(send, counts, places, send_type, receive, count, type, from, on);
        Selected const rows(*lane, counts, places);
        return PMPI_Scatterv(send, rows.counts.data(), rows.places.data(), send_type, receive, count, type, from, on);
    };
    return run_confirmed(*lane, false, root, attempt, [&] {
        without_root(*lane, "MPI_Scatterv", root, true);
        Buffer{receive, count, type}.make_hole();
    });
}

int MPI_Allgather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type,
                  MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Allgather(send, send_count, send_type, receive, count, type, comm);
    Kept kept(send == MPI_IN_PLACE, Buffer{receive, count, type}.part(lane->self));
    auto const attempt = [&](MPI_Comm on) {
        kept.restore();
        if (lane->is_whole()) return PMPI_Allgather(send, send_count, send_type, receive, count, type, on);
        make_holes(*lane, [&](int rank) { return Buffer{receive, count, type}.part(rank); });
        BlockType const block(count, type);
        return gather_to_all(*lane, on, send, send_count, send_type, receive, Selected(*lane), block.get());
    };
    return run_confirmed(*lane, true, no_root, attempt, nothing);
}

int MPI_Allgatherv(void const* send, int send_count, MPI_Datatype send_type, void* receive, int const counts[],
                   int const places[], MPI_Datatype type, MPI_Comm comm) {
    auto* const lane = are_missing(counts, places) ? nullptr : lane_of(comm);
    if (lane == nullptr) return PMPI_Allgatherv(send, send_count, send_type, receive, counts, places, type, comm);
    Kept kept(send == MPI_IN_PLACE, displaced(receive, counts[lane->self], type, places[lane->self]));
    auto const attempt = [&](MPI_Comm on) {
        kept.restore();
        make_holes(*lane, [&](int rank) { return displaced(receive, counts[rank], type, places[rank]); });
        return gather_to_all(*lane, on, send, send_count, send_type, receive, Selected(*lane, counts, places), type);
    };
    return run_confirmed(*lane, true, no_root, attempt, nothing);
}

int MPI_Alltoall(void const* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type,
                 MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return PMPI_Alltoall(send, send_count, send_type, receive, count, type, comm);
    bool const in_place = send == MPI_IN_PLACE;
    std::vector<Kept> kept;
    for (int rank = 0; in_place && rank < static_cast<int>(lane->size()); ++rank)
        kept.emplace_back(true, Buffer{receive, count, type}.part(rank));
    auto const attempt = [&](MPI_Comm on) {
        for (auto& row : kept) row.restore();
        if (lane->is_whole()) return PMPI_Alltoall(send, send_count, send_type, receive, count, type, on);
        make_holes(*lane, [&](int rank) { return Buffer{receive, count, type}.part(rank); });
        BlockType const out(in_place ? count : send_count, in_place ? type : send_type);
        BlockType const in(count, type);
        Selected const rows(*lane);
        return PMPI_Alltoallv(send, rows.counts.data(), rows.places.data(), out.get(), receive, rows.counts.data(),
                              rows.places.data(), in.get(), on);
    };
    return run_confirmed(*lane, true, no_root, attempt, nothing);
}

int MPI_Alltoallv(void const* send, int const send_counts[], int const send_places[], MPI_Datatype send_type,
                  void* receive, int const counts[], int const places[], MPI_Datatype type, MPI_Comm comm) {
    auto* const lane = are_missing(counts, places) ? nullptr : lane_of(comm);
    if (lane == nullptr)
        return PMPI_Alltoallv(send, send_counts, send_places, send_type, receive, counts, places, type, comm);
    bool const in_place = send == MPI_IN_PLACE;
    std::vector<Kept> kept;
    for (int rank = 0; in_place && rank < static_cast<int>(lane->size()); ++rank)
        kept.emplace_back(true, displaced(receive, counts[rank], type, places[rank]));
    auto const attempt = [&](MPI_Comm on) {
        for (auto& row : kept) row.restore();
        if (lane->is_whole())
            return PMPI_Alltoallv(send, send_counts, send_places, send_type, receive, counts, places, type, on);
        make_holes(*lane, [&](int rank) { return displaced(receive, counts[rank], type, places[rank]); });
        Selected const in(*lane, counts, places);
        Selected const out = in_place ? in : Selected(*lane, send_counts, send_places);
        return PMPI_Alltoallv(send, out.counts.data(), out.places.data(), in_place ? type : send_type, receive,
                              in.counts.data(), in.places.data(), type, on);
    };
    return run_confirmed(*lane, true, no_root, attempt, nothing);
}

int MPI_Alltoallw(void const* send, int const send_counts[], int const send_places[], MPI_Datatype const send_types[],
                  void* receive, int const counts[], int const places[], MPI_Datatype const types[], MPI_Comm comm) {
    auto* const lane = are_missing(counts, places, types) ? nullptr : lane_of(comm);
    if (lane == nullptr)
        return PMPI_Alltoallw(send, send_counts, send_places, send_types, receive, counts, places, types, comm);
    bool const in_place = send == MPI_IN_PLACE;
    auto const part = [&](int rank) {
        return Buffer{static_cast<std::byte*>(receive) + places[rank], counts[rank], types[rank]};
    };
    std::vector<Kept> kept;
    for (int rank = 0; in_place && rank < static_cast<int>(lane->size()); ++rank) kept.emplace_back(true, part(rank));
    auto const attempt = [&](MPI_Comm on) {
        for (auto& row : kept) row.restore();
        if (lane->is_whole())
            return PMPI_Alltoallw(send, send_counts, send_places, send_types, receive, counts, places, types, on);
        make_holes(*lane, part);
        Selected const in(*lane, counts, places);
        Selected const out = in_place ? in : Selected(*lane, send_counts, send_places);
        auto const in_types = select(*lane, types);
        auto const out_types = in_place ? in_types : select(*lane, send_types);
        return PMPI_Alltoallw(send, out.counts.data(), out.places.data(), out_types.data(), receive, in.counts.data(),
                              in.places.data(), in_types.data(), on);
    };
    return run_confirmed(*lane, true, no_root, attempt, nothing);
}
}
