// The last level: blocks that the members hold together, on disk, for the death of all of them or of all who hold one
// (docs/disk.md). What stores save and open, and what anybody else may who has blocks in memory.
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

namespace regraft::store {

/// The disk could not be written, or has nothing that can be read: what() says what the first member met. Thrown on all
/// members alike.
class DiskError : public InputError, public ft::Uniform {
public:
    using InputError::InputError;
};

/// The same on all members.
struct SaveOptions {
    /// Data files of the generation, at most one for each member; members that follow each other share one. 0: one for
    /// each node (ft::node_ids).
    std::uint32_t files = 0;
    /// Complete generations that stay, the new one included.
    std::uint32_t kept = 2;
    /// Stays beside the blocks, for who opens them.
    std::vector<std::byte> attributes{};
};

/// All but the last is the same on all members.
struct [[nodiscard]] SaveReport {
    std::uint64_t generation = 0;
    std::uint32_t files = 0;
    /// Of blocks, all members together, and this PE.
    std::uint64_t bytes = 0;
    std::uint64_t bytes_written = 0;
};

/// Blocks as they lie in memory.
struct OwnBlocks {
    BlockRange blocks;
    std::span<std::byte const> bytes;
};

/// Writes a generation to the folder `archive`, which all members see, and makes it if need be: everybody his own
/// blocks, at the same time. Returns when all of it is on the disk. If any member cannot write, all throw DiskError. On
/// that, and on ProcessFailure, the generations before stay as they are; after ProcessFailure the new one is complete,
/// or will be removed by the next save. Precondition: `mine` of all members have every block once; the same archive,
/// sizes and options everywhere. O(bytes of mine + ranges of all); one message of 24 bytes for each range. Collective,
/// uniform.
SaveReport save(ft::Communicator& comm, std::filesystem::path const& archive, BlockSizes const& sizes,
                std::span<OwnBlocks const> mine, SaveOptions const& options = {});

/// What a member read from disk.
struct Opened {
    /// Of the generation that all have read.
    disk::Index index;
    /// What is wrong with those that are newer: the same on all members.
    std::vector<std::string> refused;
    /// What this PE read, and the bytes one behind the other, as long as somebody keeps the memory.
    std::vector<BlockRange> blocks;
    std::span<std::byte const> bytes;
    std::shared_ptr<void const> memory;
};

/// What this PE shall read. Precondition: all members together read every block.
using Share = std::function<std::vector<BlockRange>(disk::Index const&)>;

/// Looks at what this PE has read. Throws std::exception if it is of no use: then all go on to the generation before.
using Accept = std::function<void(Opened const&)>;

/// Reads the newest generation of which everything is right on all members, who need not be as many as wrote it. Each
/// reads its share once, verifies it, and may refuse it; if anybody finds damage, all go on to the generation before.
/// Throws DiskError, with what is wrong with each, if there is none. No share: as many bytes of blocks that follow each
/// other as the others, in the order of the members. Memory: the share. Collective, uniform.
Opened open(ft::Communicator& comm, std::filesystem::path const& archive, Share const& share = {},
            Accept const& accept = {});

/// What a store's open took from where; the same on all members.
struct [[nodiscard]] OpenReport {
    std::uint64_t generation = 0;
    std::vector<std::byte> attributes;
    std::vector<std::string> refused;
};

}  // namespace regraft::store
