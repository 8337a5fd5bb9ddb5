#include "regraft/checkpoint/mini_checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "store/together/identity.hpp"

namespace regraft::checkpoint {
namespace {

ft::FailPhase checkpoint_phase("checkpoint");

constexpr std::uint64_t head_bytes = sizeof(std::uint64_t);  // before each share: the identity, and the size below it
constexpr std::uint64_t size_mask = 0xffffffff;              // larger slots do not fit into a count of MPI

/// Gathers every member's head and, as far as the slot holds it, its share; slots are one behind the other, by rank.
std::vector<std::byte> gather_slots(ft::Communicator& comm, std::uint64_t identity, std::span<std::byte const> share,
                                    std::uint64_t slot_bytes) {
    REGRAFT_EXPECTS(share.size() <= size_mask && "a share is shorter than 4 GiB");
    auto const width = head_bytes + slot_bytes;
    std::vector<std::byte> slots(width * comm.size());
    auto const mine = std::span(slots).subspan(comm.position(comm.self()) * width, width);
    auto const head = identity | share.size();
    std::memcpy(mine.data(), &head, head_bytes);
    if (share.size() <= slot_bytes) std::copy(share.begin(), share.end(), mine.subspan(head_bytes).begin());
    comm.check(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, slots.data(), checked_cast<int>(width), MPI_BYTE,
                             comm.native()),
               "MPI_Allgather");
    return slots;
}

std::vector<std::uint64_t> heads_of(std::span<std::byte const> slots, std::size_t num_slots) {
    std::vector<std::uint64_t> heads;
    auto const width = slots.size() / num_slots;
    for (std::size_t i = 0; i < num_slots; ++i) {
        heads.push_back(ByteReader(slots.subspan(i * width, width)).get<std::uint64_t>());
    }
    return heads;
}

/// Moves the shares in the slots together in place, so that there is no second copy of them.
Csr<std::byte> shares_of(std::vector<std::byte> slots, std::span<std::uint64_t const> sizes) {
    Csr<std::byte> shares;
    auto const width = slots.size() / sizes.size();
    auto end = slots.begin();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        auto const share = slots.begin() + static_cast<std::ptrdiff_t>(i * width + head_bytes);
        end = std::copy_n(share, sizes[i], end);  // never behind its old place
        shares.offsets.push_back(shares.offsets.back() + sizes[i]);
    }
    slots.erase(end, slots.end());
    if (slots.capacity() > 2 * slots.size()) slots.shrink_to_fit();
    shares.values = std::move(slots);
    return shares;
}

}  // namespace

MiniCheckpoint::MiniCheckpoint(ft::Communicator& comm) : comm_(comm), identity_(store::made_identity(comm)) {}

void MiniCheckpoint::commit(std::span<std::byte const> share) {
    comm_.reach(checkpoint_phase.before);
    Contents next{{comm_.members().begin(), comm_.members().end()}, {}};
    auto slots = gather_slots(comm_, identity_, share, slot_bytes_);
    auto sizes = heads_of(slots, comm_.size());
    store::expect_same_object(comm_, sizes);
    for (auto& size : sizes) size &= size_mask;
    auto const largest = *std::max_element(sizes.begin(), sizes.end());
    if (largest > slot_bytes_) {  // all members see the same sizes, so all come here
        slots = {};
        slots = gather_slots(comm_, identity_, share, largest);
    }
    next.shares = shares_of(std::move(slots), sizes);
    comm_.reach(checkpoint_phase.inside);
    comm_.agree();
    swap_in(std::move(next));
    // Slots grow with the largest share at once, and shrink when it has become much shorter.
    if (largest > slot_bytes_ || largest < slot_bytes_ / 2) slot_bytes_ = largest;
    comm_.reach(checkpoint_phase.after);
}

void MiniCheckpoint::commit_identical(std::span<std::byte const> state) {
    comm_.reach(checkpoint_phase.before);
    Contents next{{comm_.self()}, {}};
    next.shares.push_row(state);
    comm_.reach(checkpoint_phase.inside);
    auto const call = store::call(store::Function::commit_identical, identity_);
    if (!store::agree_in_call(comm_, call, true, hash(state)))
        throw ft::Divergence("checkpoint: members have computed different states");
    swap_in(std::move(next));
    comm_.reach(checkpoint_phase.after);
}

void MiniCheckpoint::swap_in(Contents next) {
    std::swap(committed_, next);
    if (generation_++ == 0) identity_ = store::next_identity(comm_);
}

}  // namespace regraft::checkpoint
