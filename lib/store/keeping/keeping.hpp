// The files of one store on this PE: its part in beginning, writing, taking over and removing them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regraft/ft/communicator.hpp"
#include "regraft/store/keep.hpp"
#include "store/kept/choice.hpp"
#include "store/kept/folder.hpp"
#include "store/kept/manifest.hpp"
#include "store/kept/segment.hpp"
#include "store/together/complaint.hpp"

namespace regraft::store {

/// What jobs before have left on the nodes of all members. The same on all.
struct Survey {
    std::vector<Found> found{};
    std::vector<std::string> refused{};    // what is wrong with each manifest that cannot be used
    std::vector<std::uint32_t> site_of{};  // by member; members of a site see the same folder
    /// What is wrong with a manifest of a store of the other kind, if there is one.
    std::optional<std::string> other_kind{};
};

/// What a PE has of a version in files.
struct Listing {
    struct Piece {
        BlockRange blocks;
        std::span<std::byte const> bytes;  // in one of the files
    };
    std::vector<Segment*> files{};  // at least one: files say whether the version was agreed on
    std::vector<Piece> pieces{};    // ascending, disjoint, none empty
    bool checked = false;
    std::vector<Manifest::Sum> sums{};  // as Manifest has them
};

/// A manifest and its files, opened.
struct Kept {
    Manifest manifest{};
    std::vector<std::unique_ptr<Segment>> files{};

    /// The bytes of a piece of the manifest.
    std::span<std::byte> bytes_of(Manifest::Extent const& piece) const;
};

class Keeping {
public:
    /// Whether blocks are listed as they are, or the pieces of an erasure code.
    enum class Kind { blocks, pieces };
    /// Throws DiskError if job or name is empty.
    Keeping(Keep keep, Kind kind);

    /// A hash of the names of job and store, and of the kind.
    std::uint64_t names() const;

    /// Opens and locks the folder, and looks at what is there. May be repeated. Throws DiskError. Collective, uniform.
    Survey begin(ft::Communicator& comm, std::uint64_t alike);

    /// The id of the submit that begins now, of which one that a failure ended leaves nothing. Calls begin() if nobody
    /// has. All members call it alike. Throws DiskError. Collective, uniform.
    GenerationId next(ft::Communicator& comm, std::uint64_t alike, std::uint64_t version);
    /// A new file. Throws InputError.
    std::unique_ptr<Segment> file(std::uint64_t bytes);
    /// Lists what is held in a new manifest, or in place of the one of the same generation. Throws InputError.
    void write(Common const& common, Listing const& listing);
    /// The generation of the last write is not agreed on: removes its manifest.
    void retract() noexcept;
    /// The same. Throws DiskError if a member has complained. Collective, uniform.
    void retract(ft::Communicator& comm, Complaint const& complaint);
    /// Removes the manifest of the generation before, and what jobs before have left.
    void settle() noexcept;
    /// The generation of the last write, which is in these files, is agreed on. Then the same.
    void settle(std::span<Segment* const> files) noexcept;

    /// Opens what the manifest lists. Throws InputError.
    Kept open(Found const& found) const;
    std::string path_of(Found const& found) const;
    /// Gives the files names of this PE, so that they stay when those of the jobs before are removed. Throws
    /// InputError.
    void take_over(std::span<Segment* const> files, std::span<Found const> from);

    /// Removes all manifests. Collective, uniform.
    void discard(ft::Communicator& comm);
    /// Removes the folder with the files of all that have used it, the dead included. Collective, uniform.
    void leave(ft::Communicator& comm);

private:
    std::string name(std::uint64_t owner, std::uint64_t number, char const* suffix) const;
    struct Seen {
        std::vector<Found> found{};
        std::vector<std::string> refused{};
        std::optional<std::string> other_kind{};
        bool discarded = false;
    };
    Seen look() const;
    Manifest read(std::uint64_t owner, std::uint64_t number) const;
    void note_sites(ft::Communicator const& comm, std::span<std::uint32_t const> site_of);
    bool reaches_all_sites(ft::Communicator const& comm) const;

    Keep keep_;
    Kind kind_;
    std::shared_ptr<KeptFolder> folder_;
    bool begun_ = false;
    std::uint64_t owner_ = 0;
    std::uint64_t boot_ = 0;
    std::uint64_t start_ = 0, instance_ = 0;  // of this job
    std::uint64_t last_epoch_ = 0, attempt_ = 0;
    std::uint64_t next_number_ = 0;
    struct Written {
        GenerationId id;
        std::uint64_t number = 0;
    };
    std::optional<Written> present_, pending_;  // manifests on disk
    std::vector<std::uint64_t> replaces_;   // owners whose manifests of the present generation this PE has taken over
    std::vector<std::string> stale_;        // this PE's part of the files of jobs before
    std::vector<std::vector<PeId>> sites_;  // who has seen the same folder, at each begin; ascending
};

}  // namespace regraft::store
