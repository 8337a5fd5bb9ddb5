// The implementation of a Snapshot: what a PE knows and keeps, and the steps of its collectives.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/manifest.hpp"
#include "checkpoint/registry.hpp"
#include "checkpoint/saved.hpp"
#include "checkpoint/vault.hpp"
#include "regraft/checkpoint/snapshot.hpp"
#include "store/on_disk/on_disk.hpp"
#include "store/together/identity.hpp"

namespace regraft::checkpoint {

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

struct Snapshot::Impl {
    using Clock = std::chrono::steady_clock;

    Impl(ft::Communicator& communicator, SnapshotOptions given)
        : comm(communicator),
          options(std::move(given)),
          identity(store::made_identity(comm)),
          vault(comm, options),
          pace(options.pace) {}

    CommitReport commit();
    /// on_disk: where the state that is committed is already saved.
    CommitReport commit(std::vector<disk::Saved> on_disk);
    RestoreReport restore(RestoreOptions const& restore_options);
    store::SaveReport save(std::filesystem::path const& archive, store::SaveOptions save_options);
    OpenReport open(std::filesystem::path const& archive, OpenOptions const& open_options);

    std::optional<OpenReport> reopen(OpenOptions const& open_options);

    /// What a reopen that was interrupted has found is no commit of this job yet.
    std::uint64_t generation() const { return reopened ? 0 : vault.version(); }
    Images const& current() const { return images[vault.version() % 2]; }
    /// What is stored of entity i here; empty if it is not here or is empty.
    std::span<std::byte const> stored(std::uint64_t i) const;
    Images& spare() { return images[(vault.version() + 1) % 2]; }

    ft::Communicator& comm;
    SnapshotOptions options;
    std::uint64_t identity;         // before the first commit that of this object, then that of the first commit
    bool committed_before = false;  // whether identity is that of the first commit
    Registry own, common;
    std::array<Images, 2> images;  // declared before the vault, which refers to them
    Vault vault;
    SavedEntities saved;  // of the last commit
    Manifest manifest;    // of the last commit, with the homes that entities have now
    Arrivals arrivals;
    std::optional<store::ReopenReport> reopened;  // what the store has taken over, until it is committed
    bool steady = false;                          // the last commit had the names and sizes of the one before
    std::vector<PeId> guarded;                    // members for which the required number of copies exists
    RestoreReport unreported{};                   // reports of restores that were interrupted
    std::uint64_t bytes_to_adopt = 0;
    Pace pace;
    double last_commit_ms = 0;
    Clock::time_point last_stop = Clock::now();  // the end of the last commit or restore

private:
    std::optional<Manifest> manifest_for(std::span<Head const> heads, Images const& next);
    bool commit_as_before(Images const& next, Head const& head);
    void commit_as_told(Images const& next, Head const& head);
    bool has_common_names_of(Images const& next) const;
    void describe(Manifest const& of, Images const& next);
    bool put(std::function<bool()> const& submit, std::function<void()> const& keep);
    Cost cost_until(Clock::time_point begin) const;

    std::vector<PeId> deal(Deal const& rule) const;
    Csr<BlockRange> missing(std::span<PeId const> homes) const;
    void fetch(Return& going, RestoreOptions const& restore_options, RestoreReport& report);
    store::LoadOptions options_of_load(RestoreOptions const& restore_options) const;
    void commit_homes(Return& going, RestoreReport& report);
    void note_arrivals(Return& going);
    void apply(Return const& going, RestoreOptions const& restore_options, RestoreReport& report, GivenUp& given_up);
    void apply_own(std::span<BlockRange const> came, RestoreOptions const& restore_options, RestoreReport& report);
    void apply_common(RestoreOptions const& restore_options);
    using Adopt = std::function<void(std::string const& name)>;
    Entity const& registered(Registry const& registry, std::string const& name, std::uint64_t bytes,
                             Adopt const& adopt);
    void make_redundant(RestoreOptions const& restore_options, RestoreReport& report);
    bool kept_only_at_home(std::span<BlockRange const> lost) const;

    std::vector<PeId> load_kept(Deal const& rule, SavedState& state, Csr<BlockRange>& wanted,
                                std::vector<std::byte>& mine);
    std::vector<store::OwnBlocks> to_write(Return const& going) const;
    void take(SavedState const& state, std::span<PeId const> homes, std::span<std::byte const> mine,
              OpenOptions const& open_options, OpenReport& report, GivenUp& given_up);
};

}  // namespace regraft::checkpoint
