// What a replicated store contains, as far as this PE knows and holds it. Nothing here communicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/placement/directory.hpp"

#pragma GCC visibility push(default)
namespace regraft::store {

/// The part of ReplicatedStore that looks at the version that can be read.
class ReplicatedContents {
public:
    ReplicatedContents& operator=(ReplicatedContents&&) = delete;

    /// The blocks of the version that can be read; none before the first submit.
    std::uint64_t num_blocks() const { return sizes().num_blocks(); }
    /// The sizes of all blocks of the version.
    BlockSizes const& sizes() const;
    /// The number of submits and updates that have succeeded.
    std::uint64_t version() const;
    /// The bytes of the blocks, if this PE holds them all, one behind the other and, with Integrity::checked,
    /// undamaged; otherwise nothing. No copy: valid until the next submit, update, repair or scrub. O(1); with
    /// checksums O(bytes and up to 128 KiB around them).
    std::span<std::byte const> held(BlockRange blocks) const;
    /// Calls visit for the runs of blocks with the same holders, as placement::Directory::visit. The same on all
    /// members that pass the same blocks.
    void visit_holders(BlockRange blocks, std::function<void(placement::Run const&)> const& visit) const;
    /// Frees the memory of the version before, which is kept for the next submit. Not collective.
    void trim();
    /// Bytes of blocks that this PE keeps, without what it holds by reference; and what trim() frees.
    std::uint64_t bytes_held() const;
    std::uint64_t bytes_spare() const;

protected:
    struct [[gnu::visibility("hidden")]] Impl;
    /// For ReplicatedStore, which makes it.
    explicit ReplicatedContents(std::unique_ptr<Impl> impl);
    ReplicatedContents(ReplicatedContents&&) noexcept;
    ~ReplicatedContents();

    std::unique_ptr<Impl> impl_;  // what both are made of
};

}  // namespace regraft::store
#pragma GCC visibility pop
