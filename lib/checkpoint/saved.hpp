// The metadata that a snapshot saves on disk with its entities, and the reading of single entities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/registry.hpp"
#include "regraft/checkpoint/snapshot_reports.hpp"
#include "regraft/core/block_sizes.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/disk/generation.hpp"

namespace regraft::checkpoint {

/// The metadata of a commit that was saved; entity i is block i.
struct SavedState {
    std::uint64_t commit = 0;               // generation of the snapshot
    std::vector<PeId> members;              // members that saved it
    std::vector<CommittedEntity> entities;  // with their homes at the save
    Image common;                           // never compressed
    std::vector<std::byte> attributes;      // attributes that the caller of save passed
};

/// The attributes of the archive (docs/mpi/disk.md).
std::vector<std::byte> encode(SavedState const& state);
/// Reads them back. Throws InputError if they are not what encode writes for blocks of these sizes. file: the name of
/// their file, for the message. Allocates O(bytes). O(bytes + entities log entities).
SavedState decode(std::span<std::byte const> bytes, BlockSizes const& sizes, std::string const& file);

/// Entities of one state, which may be on disk in several places.
class SavedEntities {
public:
    SavedEntities() = default;
    /// where: the newest last.
    explicit SavedEntities(std::vector<disk::Saved> where) : where_(std::move(where)) {}

    std::vector<disk::Saved> const& where() const { return where_; }
    /// Reads what is stored of the entity into out, from the newest place where it is undamaged. A place is opened when
    /// it is first needed. Throws InputError, with what is wrong with the oldest, if there is none. Precondition: out
    /// has stored_bytes bytes.
    void read(CommittedEntity const& entity, std::span<std::byte> out);

private:
    class OpenSave;
    std::vector<disk::Saved> where_;
    std::vector<std::shared_ptr<OpenSave>> open_;  // the newest first, as far as they were needed
};

}  // namespace regraft::checkpoint
