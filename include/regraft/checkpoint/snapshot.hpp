// Snapshots: changing state of any size, kept in the memory of the PEs, replaced on all of them or on none.
//
// Coordinated, diskless, double-buffered checkpoints after Kohl et al. 2019 ("A scalable and extensible checkpointing
// scheme for massively parallel simulations"): at a commit every PE writes its entities into the buffer that is not in
// use, partners exchange copies, all agree, and the buffers change places. So a death at any moment leaves the commit
// before. docs/snapshot.md tells the protocol step by step.
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
#include "regraft/checkpoint/snapshot_reports.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/store/disk.hpp"
#include "regraft/store/options.hpp"

namespace regraft::checkpoint {

/// The same on all members, but for node.
struct SnapshotOptions {
    Redundancy redundancy = pairwise();
    /// Compressed: each entity by zstd at level 1, on its own PE as well as in its copies, unless that makes it longer.
    enum class Form { plain, compressed } form = Form::plain;
    store::Transport transport = store::Transport::collective;
    /// With checksums a damaged copy counts as a lost one.
    store::Integrity integrity = store::Integrity::unchecked;
    /// This PE's failure domain, for erasure codes; all members give one or none does.
    std::optional<std::uint32_t> node{};
    PaceOptions pace{};
};

/// The same on all members, but for what adopt and reread do.
struct RestoreOptions {
    /// Called for an entity that by the committed state is this PE's, but is not registered: its home has died, or it
    /// was removed or went elsewhere since. It makes room for it and adds it; what it was follows. It calls no
    /// collective. May be empty if that cannot happen, a contract.
    std::function<void(std::string const& name)> adopt{};
    /// Where the entities of the dead go.
    Deal deal = to_holders;
    /// What is done about copies, or parities, that died: made anew from the others; or everything is committed once
    /// more, which spreads it evenly again and takes as long as a commit; or nothing, until the next commit.
    enum class Redundancy { repaired, committed, left } redundancy = Redundancy::repaired;
    /// A source of last resort for what nobody alive has, called on its new home for each such entity: to fill in what
    /// was stored of it (Snapshot::stored). If it throws on anybody, these entities are lost.
    std::function<void(CommittedEntity const&, std::span<std::byte>)> reread{};
    enum class Lost {
        thrown,  // EntitiesLost, on all members alike, and everything stays as it is
        left,    // all others are restored, and the report names them
    } lost = Lost::thrown;
};

/// The same on all members, but for what adopt does.
struct OpenOptions {
    /// Called for an entity that is dealt to this PE, or is common, and not registered here. As RestoreOptions::adopt.
    std::function<void(std::string const& name)> adopt{};
    /// Where entities go. All of them are orphans that nobody holds, and no survivor has any. Empty: if there are no
    /// other members than those who saved, whose PeIds these are, to who had them, and those of the others balanced;
    /// else all balanced.
    Deal deal{};
};

/// Entities belong to the PE that registers them. They have names, of which no two members have the same, and may be
/// added, removed and moved to other PEs between commits. Memory beside the state itself, S bytes on each PE, with R
/// copies of everything: 2 R S.
class Snapshot {
public:
    explicit Snapshot(ft::Communicator& comm, SnapshotOptions options = {});
    Snapshot(Snapshot&&) noexcept;
    Snapshot& operator=(Snapshot&&) = delete;
    ~Snapshot();

    /// Registers an entity of this PE. Precondition: it has none of that name. Not collective, as all up to commit.
    void add(std::string name, Entity entity);
    template <PlainValue T, std::size_t N>
    void add(std::string name, std::span<T, N> values) {
        add(std::move(name), entity_of(std::span<T>(values)));
    }
    template <PlainValue T>
    void add(std::string name, std::vector<T>& values) {
        add(std::move(name), entity_of(values));
    }
    /// Registers what all members have alike, such as the number of the step: everybody keeps its own, so it takes no
    /// exchange, and nobody inherits it. Its name is nobody's entity's.
    void add_common(std::string name, Entity entity);
    template <PlainValue T>
    void add_common(std::string name, T& value) {
        add_common(std::move(name), entity_of(std::span(&value, 1)));
    }
    /// Precondition: the name is registered here. What was committed of it stays until the next commit.
    void remove(std::string_view name);
    bool has(std::string_view name) const;

    /// Makes the present state of all entities the one to go back to. On ProcessFailure the commit before stays on all
    /// members. DuplicateEntity, or ft::Divergence if common entities are not alike, also leaves it. Copies travel in
    /// one exchange, followed by an agreement; before that comes one gather, or two, unless names and sizes stay as
    /// they were. Takes the memory of the commit before the last. Entities of the dead that were not restored are in it
    /// no more. Collective, uniform.
    CommitReport commit();

    /// After a step of the program, which all count alike: whether commit() is due (Pace). No communication.
    bool due();
    Pace const& pace() const;

    /// Goes back to the last commit: after a shrink, or of one's own accord. Who lives restores what is its own, from
    /// its own memory; entities of the dead get new homes by the rule, and are loaded; then redundancy is made anew. On
    /// ProcessFailure, shrink and call it again: it does whatever is left to do. Precondition: generation() > 0.
    /// Collective, uniform.
    RestoreReport restore(RestoreOptions const& options = {});

    /// Writes the last commit into a new generation of the archive, as store::save: every entity once, by its home, as
    /// it is stored. Nothing changes here. Entities of the dead that were not restored are written by who holds them or
    /// loads them; EntitiesLost, if nobody has them. Precondition: generation() > 0. Collective, uniform.
    store::SaveReport save(std::filesystem::path const& archive, store::SaveOptions const& options = {});
    /// Makes what was saved the state, and commits it: of the newest generation that a snapshot saved and of which
    /// everything is right, whoever wrote it and however many they were. Entities are dealt by the rule; everybody
    /// reads what is its own, and entities that are registered here and not of this state are no longer registered. On
    /// store::DiskError everything stays as it is. On ProcessFailure, shrink and call it again, or restore(), which
    /// goes back to the last commit: that before, or this one if generation() has grown. Memory beside that of a
    /// commit: what this PE reads. Collective, uniform.
    OpenReport open(std::filesystem::path const& archive, OpenOptions const& options = {});
    /// For RestoreOptions::reread: reads from where the last commit was saved or opened, the newest of these first. It
    /// throws InputError if that is nowhere: entities of an older commit would not fit the others. Then open() is the
    /// way back, of all entities. Valid as long as the snapshot.
    std::function<void(CommittedEntity const&, std::span<std::byte>)> reread() const;

    /// How many commits have succeeded.
    std::uint64_t generation() const;
    /// The committed state: entity i is block i of the store behind. The same on all members.
    std::span<CommittedEntity const> committed() const;
    /// Within adopt: of how many bytes the state is that follows.
    std::uint64_t bytes_to_adopt() const;
    /// What is stored of committed entity i, if this PE holds it and it is undamaged; else nothing. No copy: valid
    /// until the next collective.
    std::span<std::byte const> stored(std::size_t i) const;
    /// Gives back the memory of the commit before, which is kept for the next one.
    void trim();
    /// Bytes of memory for buffers and copies of others, those for the next commit included.
    std::uint64_t bytes_held() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace regraft::checkpoint
