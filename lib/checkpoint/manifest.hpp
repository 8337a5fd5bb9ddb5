// What all members know of a commit: which member has which entities.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/registry.hpp"
#include "regraft/checkpoint/pace.hpp"
#include "regraft/core/block_sizes.hpp"
#include "regraft/core/ids.hpp"

namespace regraft::checkpoint {

/// A commit's members, entities and sizes; the same on all members.
struct Manifest {
    std::vector<PeId> members;          // members that committed
    std::vector<std::uint64_t> hashes;  // hashes of what each member has, by position
    std::vector<std::uint32_t> node_of;
    std::vector<BlockRange> ranges;         // entities of each member, by position
    std::vector<CommittedEntity> entities;  // member by member
    BlockSizes sizes;                       // sizes as stored

    /// Whether every member stores something: a member that stores nothing cannot signal by it that it has changed.
    bool all_have_bytes() const;
};

/// What a member tells all others at every commit, in one short gather.
struct Head {
    std::uint64_t call = 0;      // of the snapshot (store/together/identity.hpp)
    std::uint64_t options = 0;   // a digest of the options that must be the same
    std::uint64_t entities = 0;  // a hash of the names and sizes of its entities
    std::uint64_t common = 0;    // a hash of its common entities
    Cost cost;
};

std::uint64_t hash_of(std::span<Image::Stored const> entities, std::optional<std::uint32_t> node);

/// The heads of all members, by position. Throws ft::Divergence if they are of different calls. Collective, not
/// uniform.
std::vector<Head> gather_heads(ft::Communicator& comm, Head const& mine);

/// The manifest of all members' entities. Collective, not uniform.
Manifest gather_manifest(ft::Communicator& comm, std::span<Image::Stored const> entities,
                         std::optional<std::uint32_t> node);

/// Says which common entity is not the same on all members, and where. Precondition: there is one. Collective, not
/// uniform.
std::string difference(ft::Communicator& comm, Image const& common);

/// Whether the manifest still describes these members, according to their heads.
bool holds(Manifest const& manifest, std::span<PeId const> members, std::span<Head const> heads);

/// A name that two entities of the manifest or of `common` have, if any.
std::optional<std::string> duplicate(Manifest const& manifest, std::span<Image::Stored const> common);

}  // namespace regraft::checkpoint
