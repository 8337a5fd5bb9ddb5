// What a PE has in its files of one generation: which blocks, where each lies, and how they are checked. Pure.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/ids.hpp"
#include "store/kept/coding.hpp"

namespace regraft::store {

/// One submit of one job, whether it succeeded or not. Later ones compare greater. All members of the submit have the
/// same id, and no other submit has it.
struct GenerationId {
    std::uint64_t start = 0;     // grows from job to job
    std::uint64_t instance = 0;  // a random number of the job
    std::uint64_t version = 0;   // of the store, once the submit has succeeded
    std::uint64_t epoch = 0;     // of the communicator
    std::uint64_t attempt = 0;   // counts the submits of the epoch
    std::uint64_t alike = 0;     // a hash of what the members must have in common beside the blocks
    friend auto operator<=>(GenerationId const&, GenerationId const&) = default;

    std::array<std::uint64_t, 6> words() const { return {start, instance, version, epoch, attempt, alike}; }
    static GenerationId from(std::span<std::uint64_t const> words);
    /// What the files of the generation are marked with (Segment).
    std::uint64_t mark() const;
};

/// What all members of a generation have in common.
struct Common {
    GenerationId id;
    std::uint32_t replicas = 0;
    BlockSizes sizes{};  // of what is listed: of blocks, or of pieces
    std::vector<std::byte> attributes{};
    std::optional<Coding> coding{};  // if pieces of an erasure code are listed

    /// A hash of everything.
    std::uint64_t hash() const;
};

struct Manifest {
    struct File {
        std::string name;
        std::uint64_t bytes = 0;
        friend bool operator==(File const&, File const&) = default;
    };
    /// Blocks that lie one behind the other in a file.
    struct Extent {
        BlockRange blocks;
        std::uint64_t file = 0;  // position in files; 0 if the blocks have no bytes
        std::uint64_t offset = 0;
        friend bool operator==(Extent const&, Extent const&) = default;
    };
    struct Sum {
        BlockRange blocks;
        std::uint64_t sum = 0;
        friend bool operator==(Sum const&, Sum const&) = default;
    };

    Common common{};
    std::uint64_t owner = 0;                // the random number of the PE that has these files
    std::uint64_t boot = 0;                 // of the node since which it has not been restarted
    std::vector<std::uint64_t> replaces{};  // owners whose manifests of this generation say the same as this one
    std::vector<File> files{};
    std::vector<Extent> pieces{};  // ascending, disjoint, none empty
    bool checked = false;
    std::vector<Sum> sums{};  // if checked: ascending, disjoint; each is of blocks in one piece; together of all pieces

    std::uint64_t bytes() const;
};

/// store: the names of job and store.
std::vector<std::byte> encode(Manifest const& manifest, std::string const& store);
/// Reads it back. Throws InputError if the bytes are not what encode wrote for this store and owner: for example if
/// they are cut, if any bit changed, or if it is of another version of the format. `file` is the name for the message.
/// Allocates O(bytes), and with a code O(slots (k + m)).
Manifest decode(std::span<std::byte const> bytes, std::string const& store, std::uint64_t owner,
                std::string const& file);

}  // namespace regraft::store
