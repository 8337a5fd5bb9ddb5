// What a PE knows and keeps of one submit: private to the collectives of ReplicatedStore.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/placement/directory.hpp"
#include "regraft/store/replicated_store.hpp"
#include "store/held_blocks.hpp"
#include "store/traffic.hpp"

namespace regraft::store {

struct ReplicatedStore::Version {
    placement::Directory directory;  // who holds what: the same on all members
    BlockSizes sizes;
    HeldBlocks held;  // by this PE
    /// Where somebody's memory may be in two pieces although the directory knows one run; ascending. The same on all
    /// members, so that they cut messages alike.
    std::vector<BlockId> seams;
};

/// The checksums of what goes out follow it, and are what those who got it will verify.
void exchange_checksums(ft::Communicator& comm, Options const& options, Traffic const& traffic, BlockSizes const& sizes,
                        HeldBlocks& held);

/// Replicas that this PE is about to send and that are not what was submitted: gathered from all members.
struct BadReplicas {
    std::vector<Damage> damaged;
    std::vector<char> replaceable;  // whether the holder may write to its memory
};
BadReplicas find_damage(ft::Communicator& comm, std::span<BlockRange const> to_be_sent, BlockSizes const& sizes,
                        HeldBlocks& held);

}  // namespace regraft::store
