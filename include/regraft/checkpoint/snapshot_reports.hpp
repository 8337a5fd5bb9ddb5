// What snapshots tell about themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::checkpoint {

/// Nobody alive can give these entities back. Thrown on all members alike.
class EntitiesLost : public std::runtime_error, public ft::Uniform {
public:
    EntitiesLost(std::string const& what, std::vector<std::string> names)
        : std::runtime_error(what), names_(std::move(names)) {}
    /// In the order of the snapshot; the same on all members.
    std::vector<std::string> const& names() const { return names_; }

private:
    std::vector<std::string> names_;
};

/// Two members, or one twice, have an entity of this name. Thrown on all members alike.
class DuplicateEntity : public std::runtime_error, public ft::Uniform {
public:
    explicit DuplicateEntity(std::string const& name)
        : std::runtime_error("two entities are called '" + name + "'"), name_(name) {}
    std::string const& name() const { return name_; }

private:
    std::string name_;
};

/// An entity of the committed state. All members know all of them.
struct CommittedEntity {
    std::string name;
    PeId home{};
    std::uint64_t bytes = 0;
    std::uint64_t stored_bytes = 0;  // fewer if it is stored compressed
    friend bool operator==(CommittedEntity const&, CommittedEntity const&) = default;
};

/// What a commit took, on this PE.
struct CommitReport {
    std::uint64_t bytes = 0;  // of its entities
    std::uint64_t stored_bytes = 0;
    double create_ms = 0;    // making them bytes
    double exchange_ms = 0;  // until all had agreed
};

/// An entity that has got a new home.
struct Adoption {
    std::string name;
    PeId from{};
    PeId to{};
    std::uint64_t bytes = 0;
    friend bool operator==(Adoption const&, Adoption const&) = default;
};

/// What a restore did. Of restores that failures interrupted it tells, too, what was over by then.
struct [[nodiscard]] RestoreReport {
    /// The commit to which all have gone back.
    std::uint64_t generation = 0;
    /// The same on all members, in the order of the snapshot.
    std::vector<Adoption> adopted;
    /// Entities that nobody could give back (RestoreOptions::Lost::left). The same on all members.
    std::vector<std::string> lost;
    /// Entities of this PE that were added since the commit, or were another PE's then: they are no longer registered.
    std::vector<std::string> removed;
    /// Of this PE's entities, as they are stored: from its own memory, and from others.
    std::uint64_t bytes_local = 0;
    std::uint64_t bytes_received = 0;
    /// That travelled between PEs to make copies or parities anew. The same on all members.
    std::uint64_t redundancy_bytes = 0;
    /// Who gets what; its way; into the program's state; copies or parities anew.
    double plan_ms = 0;
    double load_ms = 0;
    double apply_ms = 0;
    double redundancy_ms = 0;
};

/// What an open took from where. All but `removed` and what follows is the same on all members.
struct [[nodiscard]] OpenReport {
    /// Of the archive.
    std::uint64_t generation = 0;
    /// Of the snapshot that was saved, then.
    std::uint64_t saved_commit = 0;
    /// store::SaveOptions::attributes.
    std::vector<std::byte> attributes;
    /// What is wrong with those generations of the archive that are newer.
    std::vector<std::string> refused;
    /// Entities that have other homes than they had there, in the order of the snapshot that was saved.
    std::vector<Adoption> adopted;
    /// Entities of this PE that are not its own in the state that was opened: they are no longer registered.
    std::vector<std::string> removed;
    /// Of this PE's entities, as they are on disk.
    std::uint64_t bytes_read = 0;
    /// From disk, until all know that everything is right; into the program's state; the commit.
    double read_ms = 0;
    double apply_ms = 0;
    double commit_ms = 0;
};

}  // namespace regraft::checkpoint
