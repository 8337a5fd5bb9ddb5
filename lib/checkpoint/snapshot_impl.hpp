// The implementation of a Snapshot: what a PE knows and keeps, and the steps of its collectives.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/differences.hpp"
#include "checkpoint/manifest.hpp"
#include "checkpoint/registry.hpp"
#include "checkpoint/saved.hpp"
#include "checkpoint/vault.hpp"
#include "regraft/checkpoint/snapshot.hpp"
#include "store/on_disk/on_disk.hpp"
#include "store/together/identity.hpp"

namespace regraft::checkpoint {

using Clock = std::chrono::steady_clock;

/// The range of one entity.
constexpr BlockRange only(std::size_t entity) {
    return {BlockId{entity}, BlockId{entity + 1}};
}

/// The bytes of a commit that belong to this PE.
struct Images {
    Image own;
    Image common;
};

/// A restore that is not yet agreed on.
struct Return {
    std::vector<PeId> homes;          // homes of all entities; the same on all members
    Csr<BlockRange> missing;          // entities that each PE has to get, by PeId; the same on all
    std::vector<std::byte> received;  // entities of this PE, one behind the other
    std::vector<BlockRange> lost;     // entities that no member can give back; the same on all
};

/// Entities that have come to new homes since the last commit. They stay here, because the store need not have a copy
/// there.
struct Arrivals {
    std::vector<char> arrived;                                 // for each entity, whether it is at its present home;
                                                               // the same on all
    std::map<std::uint64_t, std::span<std::byte const>> here;  // those of this PE
    std::vector<std::vector<std::byte>> buffers;
};

/// What all generations of a snapshot share: what the program has registered and told, and how long it takes.
struct Program {
    explicit Program(PaceOptions const& options) : pace(options) {}

    Registry own, common;
    std::uint64_t bytes_to_adopt = 0;
    Pace pace;
    ToldChanges told;
    double last_commit_ms = 0;
    Clock::time_point last_stop = Clock::now();  // the end of the last commit or restore
};

/// What a PE knows and keeps of one generation of a snapshot, and of the next one that takes its place.
struct SnapshotState {
    SnapshotState(ft::Communicator& communicator, SnapshotOptions given, Program& shared)
        : comm(communicator),
          options(std::move(given)),
          identity(store::made_identity(comm)),
          program(shared),
          vault(comm, options),
          differences(options) {}

    SnapshotState(SnapshotState const&) = delete;
    SnapshotState& operator=(SnapshotState const&) = delete;
    ~SnapshotState() { let_write_all(); }

    /// What a reopen that was interrupted has found is no commit of this job yet.
    std::uint64_t generation() const { return reopened || given_up ? 0 : vault.version() + commits_elsewhere; }
    Images const& current() const { return images[vault.version() % 2]; }
    /// What is stored of entity i here; empty if it is not here or is empty.
    std::span<std::byte const> stored(std::uint64_t i) const {
        auto const found = arrivals.here.find(i);
        return found != arrivals.here.end() ? found->second : vault.held(BlockId{i});
    }
    Images& spare() { return images[(vault.version() + 1) % 2]; }

    ft::Communicator& comm;
    SnapshotOptions options;
    std::uint64_t identity;         // before the first commit that of this object, then that of the first commit
    bool committed_before = false;  // whether identity is that of the first commit
    Program& program;
    std::array<Images, 2> images;  // declared before the vault, which refers to them
    Vault vault;
    SavedEntities saved;  // of the last commit
    Manifest manifest;    // of the last commit, with the homes that entities have now
    Arrivals arrivals;
    std::optional<store::ReopenReport> reopened;  // what the store has taken over, until it is committed
    bool steady = false;                          // the last commit had the names and sizes of the one before
    std::vector<PeId> guarded;                    // members for which the required number of copies exists
    RestoreReport unreported{};                   // reports of restores that were interrupted
    Differences differences;
    std::uint64_t commits_elsewhere = 0;  // of the commits up to this one, those that other generations have taken
    bool given_up = false;                // a restore has gone back to an earlier one
    bool digested = false;                // all members have the digests of the last commit's chunks
    /// Saves that read what was stored, by the commit that they save.
    std::multimap<std::uint64_t, std::shared_ptr<store::Writing>> writing;
    /// Returns when the commits before this one are needed by no save.
    void let_write(std::uint64_t before) {
        for (; !writing.empty() && writing.begin()->first < before; writing.erase(writing.begin()))
            writing.begin()->second->finish();
    }
    void let_write_all() { let_write(vault.version() + 1); }
};

/// Does what Snapshot::commit says. on_disk: where the state that is committed is already saved. It may have succeeded
/// even if it throws. Collective, uniform.
CommitReport commit(SnapshotState& snapshot, std::vector<disk::Saved> on_disk);

/// The homes of all entities: those of the dead get new ones by the rule.
std::vector<PeId> deal(SnapshotState const& snapshot, Deal const& rule);
/// Loads what is missing here. If all members have everything, nothing is sent. Collective, uniform.
void fetch(SnapshotState& snapshot, Return& going, RestoreOptions const& options, RestoreReport& report);

using Adopt = std::function<void(std::string const& name)>;
/// Restores an entity of this PE. The program adopts it if it is not registered. stored: what is stored of it.
void restore_own(SnapshotState& snapshot, CommittedEntity const& entity, std::span<std::byte const> stored,
                 Adopt const& adopt);
/// Restores the common entities.
void restore_common(SnapshotState& snapshot, Image const& image, Adopt const& adopt);

/// Restores the program's state. homes: of all entities; mine: what is stored of those of this PE, one behind the
/// other.
void take(SnapshotState& snapshot, SavedState const& state, std::span<PeId const> homes,
          std::span<std::byte const> mine, OpenOptions const& options, OpenReport& report, GivenUp& given_up);

}  // namespace regraft::checkpoint
