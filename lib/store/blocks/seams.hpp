// Where the memory of a holder is in two pieces although the directory has one run.
#pragma once

#include <compare>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/placement/directory.hpp"

namespace regraft::store {

/// The seams are the same on all members, so that they cut messages alike: a piece that travels lies in one piece at
/// both ends.
class Seams {
public:
    /// Adds the seams of blocks whose memory on the holder is apart from that of the blocks before and behind.
    void add(BlockRange blocks, PeId holder);
    /// Removes seams at which the memory of no member is cut any more, because the holder has one side only, or died.
    /// So there are at most two seams for each run that a member got and still has. Called after add. O(seams log
    /// directory).
    void prune(placement::Directory const& directory);
    /// The blocks behind a seam: ascending, each once.
    std::span<BlockId const> blocks() const { return blocks_; }

private:
    struct Seam {
        BlockId block{};  // the seam is between this block and the one before it
        PeId holder{};
        friend auto operator<=>(Seam const&, Seam const&) = default;
    };
    std::vector<Seam> seams_;
    std::vector<BlockId> blocks_;
};

}  // namespace regraft::store
