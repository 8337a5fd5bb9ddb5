// Options of snapshots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "regraft/checkpoint/dealing.hpp"
#include "regraft/checkpoint/entity.hpp"
#include "regraft/checkpoint/pace.hpp"
#include "regraft/checkpoint/partners.hpp"
#include "regraft/checkpoint/snapshot_reports.hpp"
#include "regraft/store/keep.hpp"
#include "regraft/store/options.hpp"

#pragma GCC visibility push(default)
namespace regraft::checkpoint {

/// All members pass the same options, except for node, and for the folder and room of keep.
struct SnapshotOptions {
    Redundancy redundancy = pairwise();  // where copies are, or by which code state survives
    /// compressed: each entity is compressed by zstd at level 1, on its own PE as well as in its copies, unless that
    /// makes it longer.
    enum class Form { plain, compressed } form = Form::plain;  // how entities are stored
    /// Whether a commit sends only what has changed since the commit before, chunk by chunk. That needs one look at all
    /// of the state, two more small exchanges, and commits in which names and sizes stay as they were; others send all.
    /// Chunks with equal digests of 128 bits count as equal. Compressed state and erasure codes are always sent whole.
    enum class Differential {
        never,
        automatic,  // as long as at most half of the state has changed; otherwise it is tried again later
        always,
    } differential = Differential::never;  // what is sent
    std::uint64_t chunk_bytes = 16 << 10;  // the unit of changes
    /// What is done with Snapshot::changed. verified: all chunks are looked at, and one that differs without having
    /// been told breaks the contract. trusted: only those that were told are looked at.
    enum class Told { verified, trusted } told = Told::verified;  // what the program tells of its changes
    store::Transport transport = store::Transport::collective;    // how copies and restored entities travel
    /// With checksums, a damaged copy counts as a lost one.
    store::Integrity integrity = store::Integrity::unchecked;
    /// Commits that can be gone back to, the last one included, so that a state that turns out to be bad does not have
    /// to be the end: RestoreOptions::generation. Each takes the memory of a Snapshot with one. Not 0; with several
    /// there is no keep, and what Snapshot::changed tells is not used.
    std::uint32_t generations = 1;
    /// This PE's failure domain, for erasure codes. Either all members give one or none does.
    std::optional<std::uint32_t> node{};
    PaceOptions pace{};  // when due() says that a commit is due
    /// Commits live in files of the node's memory, so that the next job can reopen them (docs/mpi/restart.md). They
    /// hold this PE's own entities, too: with copies R S bytes more, with a code of k + m pieces S (1 + m / k).
    std::optional<store::Keep> keep{};
};

/// All members pass the same options, except for what adopt and reread do.
struct RestoreOptions {
    /// The commit that is gone back to, one of Snapshot::generations; 0: the last. Those after it are given up.
    std::uint64_t generation = 0;
    /// Makes room for an entity and adds it; its state follows. It is called for an entity that belongs to this PE by
    /// the committed state but is not registered here: its home has died, or it was removed or went elsewhere since. It
    /// calls no collective. It may be empty if that cannot happen; otherwise an empty one breaks the contract.
    std::function<void(std::string const& name)> adopt{};
    /// Chooses new homes for the entities of the dead.
    Deal deal = to_holders;
    /// What is done about copies, or parities, that died. repaired: they are made anew from the others. committed:
    /// everything is committed once more, which spreads it evenly again and takes as long as a commit. left: nothing,
    /// until the next commit.
    enum class Redundancy { repaired, committed, left } redundancy = Redundancy::repaired;  // what follows the restore
    /// A source of last resort for entities that no living PE has. It is called on the new home of each such entity and
    /// fills in what was stored of it (Snapshot::stored). If it throws on any PE, these entities are lost.
    std::function<void(CommittedEntity const&, std::span<std::byte>)> reread{};
    /// What is done about entities that no PE can give back.
    enum class Lost {
        thrown,             // all members throw EntitiesLost, and everything stays as it is
        left,               // all others are restored, and the report names the lost ones
    } lost = Lost::thrown;  // for entities that no PE can give back
};

/// All members pass the same options, except for what adopt does.
struct OpenOptions {
    /// Is called for an entity that is dealt to this PE, or is common, and is not registered here. As
    /// RestoreOptions::adopt.
    std::function<void(std::string const& name)> adopt{};
    /// Chooses homes for the entities: all of them are orphans without holders, and no survivor has any. Empty: if all
    /// members are among those that saved, with the same PeIds, each gets its own entities, and those of other PEs are
    /// balanced; otherwise all are balanced.
    Deal deal{};
};

}  // namespace regraft::checkpoint
#pragma GCC visibility pop
