#include "regraft/checkpoint/mini_checkpoint.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"

namespace regraft::checkpoint {
namespace {

ft::FailPhase checkpoint_phase("checkpoint");

/// Every member's size and, as far as the slot holds it, share; slots one behind the other, by rank.
std::vector<std::byte> gather_slots(ft::Communicator& comm, std::span<std::byte const> share,
                                    std::uint64_t slot_bytes) {
    auto const width = sizeof(std::uint64_t) + slot_bytes;
    ByteWriter writer;
    writer.put(std::uint64_t{share.size()});
    auto slot = writer.take();
    slot.resize(width);
    if (share.size() <= slot_bytes) std::copy(share.begin(), share.end(), slot.begin() + sizeof(std::uint64_t));
    std::vector<std::byte> slots(width * comm.size());
    auto const count = checked_cast<int>(width);
    comm.check(MPI_Allgather(slot.data(), count, MPI_BYTE, slots.data(), count, MPI_BYTE, comm.native()),
               "MPI_Allgather");
    return slots;
}

}  // namespace

void MiniCheckpoint::commit(std::span<std::byte const> share) {
    comm_.reach(checkpoint_phase.before);
    Contents next{{comm_.members().begin(), comm_.members().end()}, {}};
    auto slot_bytes = slot_bytes_;
    for (;;) {
        auto const slots = gather_slots(comm_, share, slot_bytes);
        auto const width = slots.size() / comm_.size();
        std::uint64_t largest = 0;
        next.shares = {};
        for (std::size_t rank = 0; rank < comm_.size(); ++rank) {
            auto const slot = std::span(slots).subspan(rank * width, width);
            auto const size = ByteReader(slot).get<std::uint64_t>();
            largest = std::max(largest, size);
            next.shares.push_row(slot.subspan(sizeof size, std::min(size, slot_bytes)));
        }
        if (largest <= slot_bytes) break;
        slot_bytes = largest;  // everybody sees the same sizes, so everybody comes here
    }
    comm_.reach(checkpoint_phase.inside);
    comm_.agree();
    swap_in(std::move(next));
    slot_bytes_ = slot_bytes;
    comm_.reach(checkpoint_phase.after);
}

void MiniCheckpoint::commit_identical(std::span<std::byte const> state) {
    comm_.reach(checkpoint_phase.before);
    Contents next{{comm_.self()}, {}};
    next.shares.push_row(state);
    comm_.reach(checkpoint_phase.inside);
    if (!comm_.agree_equal(hash(state))) throw ft::Divergence("checkpoint: members have computed different states");
    swap_in(std::move(next));
    comm_.reach(checkpoint_phase.after);
}

void MiniCheckpoint::swap_in(Contents next) {
    std::swap(committed_, next);
    ++generation_;
}

}  // namespace regraft::checkpoint
