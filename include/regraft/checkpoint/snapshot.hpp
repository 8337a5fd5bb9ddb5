// Snapshots: changing state of any size, kept in the memory of the PEs, and replaced on all of them or on none.
//
// These are coordinated, diskless, double-buffered checkpoints after Kohl et al. 2019 ("A scalable and extensible
// checkpointing scheme for massively parallel simulations"). A death at any moment leaves the commit before.
// docs/mpi/snapshot.md explains the protocol step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/checkpoint/dealing.hpp"
#include "regraft/checkpoint/entity.hpp"
#include "regraft/checkpoint/pace.hpp"
#include "regraft/checkpoint/partners.hpp"
#include "regraft/checkpoint/snapshot_options.hpp"
#include "regraft/checkpoint/snapshot_reports.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/store/disk.hpp"
#include "regraft/store/options.hpp"
#include "regraft/store/reports.hpp"
#include "regraft/store/saving.hpp"

#pragma GCC visibility push(default)
namespace regraft::checkpoint {

/// A set of entities. An entity belongs to the PE that registers it and has a name that no other member uses. Entities
/// may be added, removed and moved to other PEs between commits. Memory beside the state itself: 2 R S, with S bytes of
/// state on each PE and R copies of everything.
class Snapshot {
public:
    /// Makes an empty snapshot, which must live through recoveries: outside of the body of ft::resilient. The
    /// communicator must outlive it. Throws store::DiskError if SnapshotOptions::keep lacks a name. Members make
    /// snapshots in the same order; commits, restores and saves of different ones that meet throw ft::Divergence. Not
    /// collective.
    explicit Snapshot(ft::Communicator& comm, SnapshotOptions options = {});
    Snapshot(Snapshot&&) noexcept;
    Snapshot& operator=(Snapshot&&) = delete;
    ~Snapshot();

    /// Registers an entity of this PE. Precondition: this PE has none of that name. Not collective, as are all
    /// functions up to commit.
    void add(std::string name, Entity entity);
    /// Registers values that stay in their place, a fixed number of them.
    template <OwnValue T, std::size_t N>
    void add(std::string name, std::span<T, N> values) {
        add(std::move(name), entity_of(std::span<T>(values)));
    }
    /// Registers a vector that stays in its place and is resized when it is restored.
    template <OwnValue T>
    void add(std::string name, std::vector<T>& values) {
        add(std::move(name), entity_of(values));
    }
    /// Registers an entity that is the same on all members, such as the number of the step. Every member keeps its own,
    /// so it takes no exchange, and no PE inherits it. No other entity has its name.
    void add_common(std::string name, Entity entity);
    /// Registers state that stays in its place and is the same on all members: a value, a vector, or a span of values.
    template <InPlace State>
    void add_common(std::string name, State&& state) {
        add_common(std::move(name), entity_of(state));
    }
    /// Unregisters an entity. Its state stays until the next commit. Precondition: the name is registered here.
    void remove(std::string_view name);
    /// Whether an entity of this PE has this name, common ones included.
    bool has(std::string_view name) const;

    /// Tells that these bytes of an entity may have changed since the last commit, and others only where another call
    /// tells so. If nothing is told, all may have. A restore forgets it. Precondition: the name is registered here.
    void changed(std::string_view name, std::uint64_t first_byte, std::uint64_t bytes);

    /// Makes the present state of all entities the one that a restore goes back to. On ProcessFailure, on
    /// DuplicateEntity, and on ft::Divergence (it names a common entity that differs between members), the commit
    /// before stays on all members. Copies travel in one exchange, followed by an agreement. One or two gathers come
    /// before, unless names and sizes stay as they were. Uses the memory of the commit before the last. Entities of the
    /// dead that were not restored are dropped. Collective, uniform.
    CommitReport commit();

    /// Counts a step, which all members count alike, and returns whether commit() is due (Pace). No communication.
    bool due();
    /// Steps since the last commit, and between commits.
    Pace const& pace() const;

    /// Goes back to the last commit, or to an earlier one, after a shrink or by choice. Living PEs restore their own
    /// entities from their own memory. Entities of the dead get new homes by the rule and are loaded. Then redundancy
    /// is made anew. On ProcessFailure, shrink and call it again: it does what is left to do. Precondition:
    /// generation() > 0. Collective, uniform.
    RestoreReport restore(RestoreOptions const& options = {});

    /// Writes every entity of the last commit once into a new generation of the archive, as store::save does: each by
    /// its home, as it is stored. The snapshot does not change. Entities of the dead that were not restored are written
    /// by a PE that holds or loads them; if no PE has them, all throw EntitiesLost. Precondition: generation() > 0.
    /// Collective, uniform.
    store::SaveReport save(std::filesystem::path const& archive, store::SaveOptions const& options = {});
    /// The same while the program goes on, and commits. A commit waits for saves of the commit before the last, other
    /// calls for all. Until Saving::wait the snapshot must live. Collective, uniform.
    [[nodiscard]] store::Saving start_save(std::filesystem::path const& archive,
                                           store::SaveOptions const& options = {});
    /// Reads the newest undamaged generation that a snapshot saved, makes it the state, and commits it. Any number of
    /// PEs may have saved it. Entities are dealt by the rule, and every member reads its own. Entities that are
    /// registered here but are not part of this state are unregistered. On store::DiskError everything stays as it is.
    /// On ProcessFailure, shrink and call it again, or call restore(), which goes back to the last commit: the one
    /// before, or this one if generation() has grown. Memory beside that of a commit: what this PE reads. Collective,
    /// uniform.
    OpenReport open(std::filesystem::path const& archive, OpenOptions const& options = {});
    /// A function for RestoreOptions::reread that reads from where the last commit was saved or opened, the newest
    /// place first. It throws InputError if there is none; then open() is the way back. Valid as long as the snapshot.
    std::function<void(CommittedEntity const&, std::span<std::byte>)> reread() const;

    /// Takes over the newest whole commit that the job before has kept on the nodes (SnapshotOptions::keep), makes it
    /// the state, and commits it. Returns nothing if no job has kept any. Any number of PEs may have kept it. Without a
    /// rule, entities are dealt to members that have them on their node. OpenReport::generation is the number of the
    /// commit that was taken over. If nodes with all copies of an entity are missing, or too few pieces of a code, all
    /// members throw store::DataLost, in which block i is entity i; if the files are no snapshot, store::DiskError. On
    /// ProcessFailure, shrink and, if generation() is still 0, call it again; otherwise restore() goes back to this
    /// commit. Precondition: generation() == 0. Memory beside that of a commit: this PE's entities. Collective,
    /// uniform.
    std::optional<OpenReport> reopen(OpenOptions const& options = {});
    /// Removes the commit and its files (SnapshotOptions::keep), for a program that has ended well. Without it files
    /// stay when the snapshot is destroyed. On ProcessFailure, shrink and call it again. Afterwards only the destructor
    /// may be called. Collective, uniform.
    void discard();

    /// The number of commits that have succeeded, also of a job that was reopened.
    std::uint64_t generation() const;
    std::vector<std::uint64_t> generations() const;  // those that can be restored, ascending
    /// The entities of the committed state; entity i is block i of the store behind it. The same on all members.
    std::span<CommittedEntity const> committed() const;
    /// Within adopt: the size in bytes of the state that follows.
    std::uint64_t bytes_to_adopt() const;
    /// What is stored of committed entity i, if it is held here undamaged. No copy: valid until the next collective.
    std::span<std::byte const> stored(std::size_t i) const;
    /// Frees the memory of the commit before, which is kept for the next one.
    void trim();
    std::uint64_t bytes_held() const;  // for buffers and copies of others, those for the next commit included

private:
    struct [[gnu::visibility("hidden")]] Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace regraft::checkpoint
#pragma GCC visibility pop
