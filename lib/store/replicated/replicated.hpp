// The implementation of a ReplicatedStore: what a PE knows and keeps, and the steps of its collectives.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "regraft/placement/directory.hpp"
#include "regraft/store/replicated_store.hpp"
#include "store/blocks/held_blocks.hpp"
#include "store/blocks/seals.hpp"
#include "store/blocks/seams.hpp"
#include "store/blocks/traffic.hpp"
#include "store/keeping/keeping.hpp"
#include "store/on_disk/on_disk.hpp"
#include "store/replicated/patch.hpp"
#include "store/together/complaint.hpp"
#include "store/together/gather.hpp"
#include "store/together/identity.hpp"
#include "store/together/loading.hpp"

namespace regraft::store {

/// One submitted version and its present state.
struct Version {
    placement::Directory directory;  // the holders of all blocks; the same on all members
    BlockSizes sizes;
    HeldBlocks held;  // the blocks of this PE
    Seams seams;
    Common common{};  // with Options::keep
};

/// The files in which blocks are.
std::vector<Segment*> files_of(HeldBlocks& held);

struct [[gnu::visibility("hidden")]] Replicated;  // as its loads are

/// What a PE knows and keeps of a store.
struct Replicated {
    Replicated(ft::Communicator& communicator, Options given)
        : comm(communicator), options(std::move(given)), identity(made_identity(comm)) {
        if (!options.keep) return;
        keeping.emplace(*options.keep, Keeping::Kind::blocks);
        options.own_copy = OwnCopy::copied;
    }
    Replicated(Replicated const&) = delete;
    Replicated& operator=(Replicated const&) = delete;
    ~Replicated() {
        if (current) leave_files(current->held);
    }

    bool checked() const { return options.integrity == Integrity::checked; }
    bool idle() const { return !loads.any(comm.epoch()); }

    static void leave_files(HeldBlocks& held) {
        for (auto* const file : files_of(held)) file->stay();
    }
    /// A hash of what members that keep files have in common.
    std::uint64_t alike_to_keep() const;
    /// Memory for blocks. If there is no place for a file, the complaint says why, and the memory is private: the
    /// exchange takes place all the same, and is not agreed on.
    Memory new_memory(std::uint64_t size, Complaint& complaint);
    struct Taken {
        Memory memory;
        bool is_spare = false;
    };
    /// The spare memory if it fits; otherwise new memory, and the spare memory is freed.
    Taken take_memory(std::uint64_t size, Complaint& complaint);
    /// Frees the memory of the version before.
    void free_spare() {
        spare = Memory();
        stale.clear();
    }
    /// What the files of the next version have in common, if there are any. alike: of a vote. Collective if there are.
    Common next_common(std::uint32_t replicas, BlockSizes const& sizes, std::uint64_t alike);
    /// Lists in files what is held of a version. Not collective.
    void list(Common const& common, HeldBlocks& held, Complaint& complaint);
    /// All have agreed on what was listed last.
    void settle(HeldBlocks& held);
    /// The files of a version of which no member can be sure are gone. Throws DiskError if a member has complained.
    /// Collective, uniform.
    void retract(Complaint const& complaint);

    ft::Communicator& comm;
    Options options;
    std::unique_ptr<Version> current;
    /// The same for submits that put the same blocks of the same members in the same places; 0 if holders have changed
    /// since the submit.
    std::uint64_t layout = 0;
    Memory spare;  // memory of the version before
    /// By member, the chunks of its blocks in which the spare memory differs from the current version; empty: it may
    /// differ everywhere.
    std::vector<Words> stale;
    std::uint64_t stale_chunk_bytes = 0;  // the size of these chunks
    std::uint64_t version = 0;
    std::uint64_t identity;  // of the current version, and before the first one of this object (identity.hpp)
    OnDisk on_disk;
    LoadsUnderWay loads;  // destroyed before the memory above, which the loads use
    std::optional<Keeping> keeping;
    std::vector<std::byte> attributes;  // of the next version
    struct Reopened {
        ReopenReport report;
        std::vector<std::uint32_t> site_of;  // by PeId
    };
    std::optional<Reopened> reopened;  // not yet reported
};

struct ReplicatedContents::Impl : Replicated {
    using Replicated::Replicated;
};

/// Gathers what members submit, and submits it as ReplicatedStore::submit does. from: where the blocks were read, if
/// they were read from disk; their bytes may be its memory. Collective, uniform.
void submit(Replicated& store, placement::Any placement, OwnSubmission const& own, OnDisk from = {});
/// Does what ReplicatedStore::repair says.
RepairReport repair(Replicated& store, RepairOptions const& options);

}  // namespace regraft::store
