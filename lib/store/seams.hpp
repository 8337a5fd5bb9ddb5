// Where the memory of a holder is in two pieces although the directory knows one run.
#pragma once

#include <compare>
#include <span>
#include <vector>

#include "regraft/core/ids.hpp"
#include "regraft/placement/directory.hpp"

namespace regraft::store {

/// The same on all members, so that they cut messages alike: a piece that travels lies in one piece at both ends.
class Seams {
public:
    /// The holder's memory of the blocks is apart from its memory of the blocks before and behind.
    void add(BlockRange blocks, PeId holder);
    /// Forgets where nobody's memory is cut any more, because the holder has one side only, or died: so there are at
    /// most two for each run that somebody got and has. To be called after add. O(seams log directory).
    void prune(placement::Directory const& directory);
    /// Ascending, each once.
    std::span<BlockId const> blocks() const { return blocks_; }

private:
    struct Seam {
        BlockId block{};  // and the one before it
        PeId holder{};
        friend auto operator<=>(Seam const&, Seam const&) = default;
    };
    std::vector<Seam> seams_;
    std::vector<BlockId> blocks_;
};

}  // namespace regraft::store
