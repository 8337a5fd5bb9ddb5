// Mini-checkpoints: small state that changes often. Every member keeps it, and it is replaced on all of them or on
// none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/ft/communicator.hpp"

#pragma GCC visibility push(default)
namespace regraft::checkpoint {

/// Two generations in memory: the committed one and the one under way. It survives any failures except the death of all
/// members.
class MiniCheckpoint {
public:
    /// Starts without a generation. The communicator must outlive this object. All members make the mini-checkpoints,
    /// snapshots and stores of a communicator in the same order. Not collective.
    explicit MiniCheckpoint(ft::Communicator& comm);

    /// The contributions of the members to a commit; shares[i] came from pes[i].
    struct Contents {
        std::vector<PeId> pes;  // the members at the commit, ascending; of an identical state, this PE alone
        Csr<std::byte> shares;  // row i: the bytes of one member
    };

    /// Every member contributes a share and keeps all shares. Takes one packed exchange and one agreement as long as no
    /// share is longer than the longest before it, and one more exchange otherwise. Memory: the committed shares and,
    /// while the next ones travel, members times the longest of them; the rest is then freed. On ProcessFailure the
    /// last generation stays on all members. If members commit to different mini-checkpoints with shares of similar
    /// lengths, all throw Divergence. It is not found, and may hang, if the longest shares so far differ, if some call
    /// another function, or between an object and its copy. Collective, uniform.
    void commit(std::span<std::byte const> share);

    /// The same for a state that every member has computed alike: one agreement and no exchange. The agreement also
    /// compares 15 bits of a hash of the state and of the object; if they differ, all members throw Divergence.
    /// Collective, uniform.
    void commit_identical(std::span<std::byte const> state);

    /// The committed generation; a state committed as identical is a single share. Empty before the first commit.
    Contents const& latest() const { return committed_; }
    /// The number of commits that succeeded.
    std::uint64_t generation() const { return generation_; }

private:
    void swap_in(Contents next);

    ft::Communicator& comm_;
    std::uint64_t identity_;  // before the first commit that of this object, then that of the first commit
    Contents committed_;
    std::uint64_t generation_ = 0;
    std::uint64_t slot_bytes_ = 0;  // room for one share in the packed exchange; the same on all members
};

}  // namespace regraft::checkpoint
#pragma GCC visibility pop
