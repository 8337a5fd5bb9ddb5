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
#include "store/blocks/held_blocks.hpp"
#include "store/kept/choice.hpp"
#include "store/kept/folder.hpp"
#include "store/kept/manifest.hpp"

namespace regraft::store {

/// What jobs before have left on the nodes of all members. The same on all.
struct Survey {
    std::vector<Found> found{};
    std::vector<std::string> refused{};    // what is wrong with each manifest that cannot be used
    std::vector<std::uint32_t> site_of{};  // by member; members of a site see the same folder
};

/// What a PE has taken over from a manifest.
struct Inherited {
    HeldBlocks held;
    std::vector<BlockRange> damaged;  // blocks that are not among them, because their checksums are wrong
    std::string reason;               // why there are any
};

class Keeping {
public:
    /// Throws DiskError if job or name is empty.
    explicit Keeping(Keep keep);

    bool begun() const { return begun_; }
    /// Opens and locks the folder, and looks at what is there. May be repeated. Throws DiskError. Collective, uniform.
    Survey begin(ft::Communicator& comm, std::uint64_t alike);

    /// The id of the submit that begins now. All members call it alike.
    GenerationId next(ft::Communicator const& comm, std::uint64_t version);
    /// A new file; nothing for 0 bytes. Throws InputError.
    Memory memory(std::uint64_t bytes);
    /// Lists what is held in a new manifest, or in place of the one of the same generation. Throws InputError.
    void write(Common const& common, HeldBlocks& held, BlockSizes const& sizes, bool checked);
    /// The generation of the last write is not agreed on: removes its manifest.
    void retract() noexcept;
    /// It is agreed on. Until settle(), the manifest of the generation before stays.
    void agreed(HeldBlocks& held) const noexcept;
    /// Removes the manifest of the generation before, and what jobs before have left.
    void settle() noexcept;

    /// Takes over what the manifest lists. Everything that is checked is verified. Throws InputError.
    Inherited inherit(Found const& found, bool checked, Common& common);
    /// Gives the files names of this PE, so that they stay when those of the jobs before are removed. Throws
    /// InputError.
    void take_over(HeldBlocks& held, std::span<Found const> from);

    /// Removes all manifests. Collective, uniform.
    void discard(ft::Communicator& comm);
    /// Removes the folder with the files of all that have used it, the dead included. Collective, uniform.
    void leave(ft::Communicator& comm);

private:
    std::string name(std::uint64_t owner, std::uint64_t number, char const* suffix) const;
    Memory new_file(std::uint64_t bytes);
    void look(std::vector<std::uint64_t>& words, std::vector<std::string>& refused) const;
    Manifest read(std::uint64_t owner, std::uint64_t number) const;
    void note_sites(ft::Communicator const& comm, std::span<std::uint32_t const> site_of);
    bool reaches_all_sites(ft::Communicator const& comm) const;

    Keep keep_;
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
