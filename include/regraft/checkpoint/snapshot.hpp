// Snapshots: changing state of any size, kept in the memory of the PEs, replaced on all of them or on none.
//
// Coordinated, diskless, double-buffered checkpoints after Kohl et al. 2019 ("A scalable and extensible checkpointing
// scheme for massively parallel simulations"): at a commit every PE writes its entities into the buffer that is not in
// use, partners exchange copies, all agree, and the buffers change places. So a death at any moment leaves the commit
// before. docs/snapshot.md tells the protocol step by step.
#pragma once

#include <cstddef>
#include <cstdint>
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
    /// members. DuplicateEntity, or ft::Divergence if common entities are not alike, also leaves it. One short gather,
    /// one more if names or sizes have changed, the copies in one exchange, an agreement. Takes the memory of the
    /// commit before the last. Entities of the dead that were not restored are in it no more. Collective, uniform.
    CommitReport commit();

    /// After a step of the program, which all count alike: whether commit() is due (Pace). No communication.
    bool due();
    Pace const& pace() const;

    /// Goes back to the last commit: after a shrink, or of one's own accord. Who lives restores what is its own, from
    /// its own memory; entities of the dead get new homes by the rule, and are loaded; then redundancy is made anew. On
    /// ProcessFailure, shrink and call it again: it does whatever is left to do. Precondition: generation() > 0.
    /// Collective, uniform.
    RestoreReport restore(RestoreOptions const& options = {});

    /// How many commits have succeeded.
    std::uint64_t generation() const;
    /// The committed state: entity i is block i of the store behind. The same on all members.
    std::span<CommittedEntity const> committed() const;
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
