// Reports and errors of snapshots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"

#pragma GCC visibility push(default)
namespace regraft::checkpoint {

/// No living PE can give these entities back. Thrown on all members alike.
class EntitiesLost : public std::runtime_error, public ft::Uniform {
public:
    /// `what` goes to what(), `names` to names().
    EntitiesLost(std::string const& what, std::vector<std::string> names)
        : std::runtime_error(what), names_(std::move(names)) {}
    /// The names in the order of the snapshot. The same on all members.
    std::vector<std::string> const& names() const { return names_; }

private:
    std::vector<std::string> names_;
};

/// Two entities have this name, on two members or on one. Thrown on all members alike.
class DuplicateEntity : public std::runtime_error, public ft::Uniform {
public:
    /// `name` is what both are called.
    explicit DuplicateEntity(std::string const& name)
        : std::runtime_error("two entities are called '" + name + "'"), name_(name) {}
    /// The name that two entities have.
    std::string const& name() const { return name_; }

private:
    std::string name_;
};

/// An entity of the committed state. All members know all of them.
struct CommittedEntity {
    std::string name;                // unique among all members
    PeId home{};                     // the PE to which it belongs, dead or alive
    std::uint64_t bytes = 0;         // length of its state
    std::uint64_t stored_bytes = 0;  // less than bytes if the entity is stored compressed
    friend bool operator==(CommittedEntity const&, CommittedEntity const&) = default;
};

/// What a commit took on this PE.
struct CommitReport {
    std::uint64_t bytes = 0;         // bytes of its entities
    std::uint64_t stored_bytes = 0;  // the same as they are stored: less if they are compressed
    /// Bytes of all members that were sent because they had changed (SnapshotOptions::differential). Nothing: all were
    /// sent. The same on all members.
    std::optional<std::uint64_t> changed_bytes{};
    double create_ms = 0;    // time to turn entities into bytes
    double exchange_ms = 0;  // time until all members had agreed
};

/// An entity that has a new home.
struct Adoption {
    std::string name;         // name of the entity
    PeId from{};              // the home at the commit
    PeId to{};                // the new home
    std::uint64_t bytes = 0;  // length of its state
    friend bool operator==(Adoption const&, Adoption const&) = default;
};

/// What a restore did. It includes what earlier restores that failures interrupted had already done.
struct [[nodiscard]] RestoreReport {
    /// The commit to which all members have gone back.
    std::uint64_t generation = 0;
    /// Entities with new homes, in the order of the snapshot. The same on all members.
    std::vector<Adoption> adopted;
    /// Entities that no PE could give back (RestoreOptions::Lost::left). The same on all members.
    std::vector<std::string> lost;
    /// Entities of this PE that were added since the commit, or belonged to another PE then. They are no longer
    /// registered.
    std::vector<std::string> removed;
    /// Bytes of this PE's entities as they are stored: from its own memory, and from others.
    std::uint64_t bytes_local = 0;
    std::uint64_t bytes_received = 0;  // from other PEs
    /// Bytes that travelled between PEs to make copies or parities anew. The same on all members.
    std::uint64_t redundancy_bytes = 0;
    /// Times of the phases: deciding which PE gets what; loading it; restoring it into the program's state; making
    /// copies or parities anew.
    double plan_ms = 0;
    double load_ms = 0;        // loading what each PE gets
    double apply_ms = 0;       // restoring into the program's state
    double redundancy_ms = 0;  // making redundancy anew
};

/// What an open did. All but `removed` and what follows is the same on all members.
struct [[nodiscard]] OpenReport {
    /// The number of the generation in the archive.
    std::uint64_t generation = 0;
    /// The generation of the snapshot when it was saved.
    std::uint64_t saved_commit = 0;
    /// The attributes that were saved (store::SaveOptions::attributes).
    std::vector<std::byte> attributes;
    /// What is wrong with each newer generation of the archive.
    std::vector<std::string> refused;
    /// Entities whose homes differ from those at the save, in the order of the snapshot that was saved.
    std::vector<Adoption> adopted;
    /// Entities of this PE that are not its own in the state that was opened. They are no longer registered.
    std::vector<std::string> removed;
    /// Bytes of this PE's entities, as they are on disk.
    std::uint64_t bytes_read = 0;
    /// Times of the phases: reading from disk, until all members know that everything is right; restoring it into the
    /// program's state; the commit.
    double read_ms = 0;
    double apply_ms = 0;   // restoring into the program's state
    double commit_ms = 0;  // committing the state
};

}  // namespace regraft::checkpoint
#pragma GCC visibility pop
