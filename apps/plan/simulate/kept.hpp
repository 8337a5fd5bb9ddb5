// Data that ranks keep for each other, so that it survives their deaths: the decisions of the stores, without messages.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/erasure/code.hpp"
#include "regraft/placement/placement.hpp"
#include "simulate/traffic.hpp"

namespace regraft::plan::simulated {

/// Messages, and how much of an erasure code the receivers compute from them.
struct Transfers {
    std::vector<Message> messages;
    std::uint64_t most_computed = 0;  // bytes, by the busiest rank
};

/// Whether lost redundancy is made anew (a repair).
enum class Mending : std::uint8_t { wanted, left };

/// A set of blocks with its redundancy. Every plan is made by the function of the library that makes it in a job.
class Kept {
public:
    Kept() = default;
    Kept(Kept const&) = delete;
    Kept& operator=(Kept const&) = delete;
    virtual ~Kept() = default;

    /// Says that from now on only these ranks hold anything. Returns whether every block is still there; if so, and if
    /// mending is wanted, plans the repair.
    virtual bool retain(std::span<PeId const> members, Mending mending) = 0;
    /// The messages of a load. wanted: row i lists what PeId i wants. Precondition: nothing is lost.
    virtual Transfers load(CsrView<BlockRange> wanted) const = 0;
    /// The steps of the planned repair; none if nothing is to be repaired.
    virtual std::vector<Transfers> repair() const = 0;
    /// Says that the planned repair has been carried out.
    virtual void repaired() = 0;
    /// Calls visit for runs of blocks with the ranks that have them whole; a rank with only a parity has none whole.
    virtual void visit_holders(BlockRange blocks,
                               std::function<void(BlockRange, std::span<PeId const>)> const& visit) const = 0;
    /// The bytes of the rank that keeps the most.
    virtual std::uint64_t most_held() const = 0;
    /// Calls visit for the messages with which some of the members submit blocks. Row i of mine lists what the i-th
    /// member submits, and `which` lists the i of these members. No two messages have the same sender and receiver.
    virtual void visit_submit(CsrView<BlockRange> mine, std::span<std::uint32_t const> which,
                              std::function<void(Message const&)> const& visit) const = 0;
    /// The most bytes of an erasure code that a member computes in a submit.
    virtual std::uint64_t most_encoded() const = 0;
};

/// Copies of each block (store::ReplicatedStore), all of one size.
std::unique_ptr<Kept> keep_copies(placement::Any const& placement, std::vector<PeId> members, BlockSizes const& sizes);

/// Pieces of an erasure code (store::ErasureStore). Row i of mine: the blocks of members[i], in its memory. domains: of
/// each PeId; outlives the result.
std::unique_ptr<Kept> keep_pieces(erasure::Code const& code, Csr<BlockRange> mine, std::vector<PeId> members,
                                  BlockSizes const& sizes, std::span<std::uint32_t const> domains);

}  // namespace regraft::plan::simulated
