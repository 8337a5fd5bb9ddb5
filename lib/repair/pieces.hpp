// The data of a plan: pieces of the blocks, the members that hold them and that shall hold them, and groups of pieces
// that are alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/ids.hpp"

namespace regraft::repair {

/// The position of a member among the members.
using Member = std::uint32_t;
/// Moving it takes no memory and throws nothing, which clang-tidy does not see.
using MemberSet = boost::container::small_vector<Member, 4>;  // ascending; stored in place as long as they are few

/// Blocks with the same holders, now and as planned so far.
struct PlannedBlocks {  // NOLINT(bugprone-exception-escape): see MemberSet
    BlockRange blocks;
    MemberSet before;
    MemberSet after;
};

bool contains(MemberSet const& set, Member member);
void insert(MemberSet& set, Member member);
void erase(MemberSet& set, Member member);

/// The unit of amounts: blocks if all have one size, so that nothing needs to be rounded; otherwise bytes.
class Units {
public:
    explicit Units(BlockSizes const& sizes) : sizes_(&sizes) {}
    std::uint64_t of(BlockRange blocks) const { return sizes_->equal() ? blocks.size() : sizes_->bytes(blocks); }
    /// The number of units that fit into `bytes` bytes.
    std::uint64_t fitting(std::uint64_t bytes) const;
    /// The boundary nearest to `units` units behind the begin.
    BlockId cut(BlockRange blocks, std::uint64_t units) const;
    /// The last boundary that is at most `bytes` bytes behind the begin.
    BlockId cut_below(BlockRange blocks, std::uint64_t bytes) const;
    BlockSizes const& sizes() const { return *sizes_; }

private:
    BlockSizes const* sizes_;
};

struct Share {
    Member member = 0;
    std::uint64_t units = 0;
};
using Shares = boost::container::small_vector<Share, 2>;  // ascending by member
/// The position where the member's share is or would be inserted.
Shares::iterator place_of(Shares& shares, Member member);

/// Pieces whose blocks have the same holders, so that they are interchangeable.
// NOLINTNEXTLINE(bugprone-exception-escape): see MemberSet
struct Group {
    boost::container::small_vector<std::uint32_t, 2> pieces;  // in the order of their blocks
    MemberSet holders;
    /// The units of all pieces together: no member can have more of them.
    std::uint64_t units = 0;
    /// The amount to be dealt, and the amount dealt so far.
    std::uint64_t wanted = 0;
    std::uint64_t dealt = 0;
    /// New copies go only to nodes without a holder, and no node gets more than `units`.
    enum class Spread { anywhere, new_nodes } spread = Spread::anywhere;
    /// The shares of the members; ascending by member, none above `units`, none empty.
    Shares shares;
};

/// What members of a group get in addition, and what they give up.
struct Change {
    Shares added;
    Shares removed;
};

/// The groups of these pieces by `set` (&PlannedBlocks::before or &PlannedBlocks::after), in the order of their first
/// pieces.
std::vector<Group> groups_of(std::span<PlannedBlocks const> pieces, std::span<std::uint32_t const> which,
                             MemberSet PlannedBlocks::*set, Units const& units);

/// Applies a change to PlannedBlocks::after of a group's pieces, and cuts these where needed; additional pieces go to
/// the end. The shares are laid around the group's blocks as around a circle, one behind the other (McNaughton 1959).
/// So no member gets a block twice, numbers of copies differ by at most one more than before, and a share is one
/// stretch.
void apply(Group const& group, Change const& change, Units const& units, std::vector<PlannedBlocks>& pieces);

}  // namespace regraft::repair
