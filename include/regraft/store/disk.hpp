// The last level: blocks that the members hold together are saved on disk, in case all PEs die or all holders of a
// block (docs/mpi/disk.md). Stores use it to save and open; so may any other code that has blocks in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/disk/generation.hpp"
#include "regraft/disk/index.hpp"
#include "regraft/ft/communicator.hpp"

#pragma GCC visibility push(default)
namespace regraft::store {

/// The disk could not be written, or nothing on it can be read. what() gives the reason of the first member. Thrown on
/// all members alike.
class DiskError : public InputError, public ft::Uniform {
public:
    using InputError::InputError;
};

/// All members pass the same options.
struct SaveOptions {
    /// Number of data files of the generation, at most one for each member; consecutive members share a file. 0: one
    /// for each node (ft::node_ids).
    std::uint32_t files = 0;
    /// Number of complete generations that stay, the new one included.
    std::uint32_t kept = 2;
    /// Bytes that are saved beside the blocks, for the program that opens them.
    std::vector<std::byte> attributes{};
};

/// What a save did. All but the last is the same on all members.
struct [[nodiscard]] SaveReport {
    std::uint64_t generation = 0;  // its number in the archive
    std::uint32_t files = 0;       // number of its data files
    /// Bytes of blocks: of all members together, and of this PE.
    std::uint64_t bytes = 0;
    std::uint64_t bytes_written = 0;  // by this PE
};

/// Blocks, and their bytes in memory.
struct OwnBlocks {
    BlockRange blocks;                 // consecutive
    std::span<std::byte const> bytes;  // one behind the other
};

/// Writes a generation to the folder `archive`, which all members see, and makes the folder if needed. All members
/// write their own blocks at the same time. Returns when everything is on the disk. If any member cannot write, all
/// throw DiskError. On DiskError and on ProcessFailure the generations before stay as they are; after ProcessFailure
/// the new one is complete, or the next save removes it. Precondition: the blocks in `mine` of all members together are
/// all blocks, each once; all members pass the same archive, sizes and options. O(bytes of mine + ranges of all); one
/// message of 24 bytes for each range. Collective, uniform.
SaveReport save(ft::Communicator& comm, std::filesystem::path const& archive, BlockSizes const& sizes,
                std::span<OwnBlocks const> mine, SaveOptions const& options = {});

/// What a member read from disk.
struct Opened {
    /// The index of the generation that all members have read.
    disk::Index index;
    /// What is wrong with each newer generation. The same on all members.
    std::vector<std::string> refused;
    /// The blocks that this PE read, and their bytes one behind the other. The bytes are valid as long as a copy of
    /// `memory` exists.
    std::vector<BlockRange> blocks;
    std::span<std::byte const> bytes;    // one behind the other
    std::shared_ptr<void const> memory;  // owner of bytes
};

/// The blocks that this PE shall read. Precondition: all members together read every block.
using Share = std::function<std::vector<BlockRange>(disk::Index const&)>;

/// Checks what this PE has read. Throws std::exception to refuse it: then all members go on to the generation before.
using Accept = std::function<void(Opened const&)>;

/// Reads the newest generation that is undamaged on all members; the number of members may differ from that of the
/// save. Each member reads its share once, verifies it, and may refuse it. If any member finds damage, all go on to the
/// generation before. Throws DiskError, with what is wrong with each generation, if there is none. Without a share each
/// member reads about as many bytes of consecutive blocks as any other, in the order of the members. Memory: the share.
/// Collective, uniform.
Opened open(ft::Communicator& comm, std::filesystem::path const& archive, Share const& share = {},
            Accept const& accept = {});

/// What a store's open read. The same on all members.
struct [[nodiscard]] OpenReport {
    std::uint64_t generation = 0;       // the number of the generation that was read
    std::vector<std::byte> attributes;  // SaveOptions::attributes of the save
    std::vector<std::string> refused;   // what is wrong with each newer generation
};

}  // namespace regraft::store
#pragma GCC visibility pop
