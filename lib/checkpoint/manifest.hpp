// What all members know of a commit: who has which entities.
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

/// The same on all members.
struct Manifest {
    std::vector<PeId> members;          // that committed
    std::vector<std::uint64_t> hashes;  // of what each of them has, by position
    std::vector<std::uint32_t> node_of;
    std::vector<BlockRange> ranges;         // of entities, by position
    std::vector<CommittedEntity> entities;  // member by member
    BlockSizes sizes;                       // of what is stored

    /// Whether every member stores something: who stores nothing cannot say with it that it has changed.
    bool all_have_bytes() const;
};

/// What a member tells all others at every commit, in one short gather.
struct Head {
    std::uint64_t options = 0;  // a digest of what must be alike
    std::uint64_t parts = 0;    // of the names and sizes of its entities
    std::uint64_t common = 0;   // of its common entities
    Cost cost;
};

std::uint64_t hash_of(std::span<Image::Part const> parts, std::optional<std::uint32_t> node);

/// By position. Collective, not uniform.
std::vector<Head> gather_heads(ft::Communicator& comm, Head const& mine);

/// Of all members' parts. Collective, not uniform.
Manifest gather_manifest(ft::Communicator& comm, std::span<Image::Part const> parts, std::optional<std::uint32_t> node);

/// Whether it says of these members, by their heads, what is still so.
bool holds(Manifest const& manifest, std::span<PeId const> members, std::span<Head const> heads);

/// A name that two entities of the manifest or of `common` have.
std::optional<std::string> duplicate(Manifest const& manifest, std::span<Image::Part const> common);

}  // namespace regraft::checkpoint
