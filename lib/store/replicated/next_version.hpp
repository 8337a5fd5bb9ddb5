// The version that members are about to agree on: what each sends to which, and where what arrives will lie.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "store/replicated/patch.hpp"
#include "store/replicated/replicated.hpp"

namespace regraft::store {

/// A submit that is not yet agreed on.
struct Submission {
    std::size_t self;
    std::span<BlockRange const> ranges;  // by member
    std::span<std::byte const> bytes;    // of ranges[self]
    OwnCopy own_copy;

    std::span<std::byte const> bytes_of(BlockRange part, BlockSizes const& sizes) const {
        return bytes.subspan(sizes.bytes(BlockRange{ranges[self].first, part.first}), sizes.bytes(part));
    }
    bool by_reference(std::size_t rank) const { return rank == self && own_copy == OwnCopy::referenced; }
};

/// Blocks that this PE will hold and that one member has.
struct Arrival {
    BlockRange blocks;
    std::size_t rank;
};

class NextVersion {
public:
    /// Plans which blocks go where. `all` and bytes must outlive this object.
    NextVersion(Replicated& store, placement::Any placement, Submissions const& all, std::span<std::byte const> bytes);

    /// Whether members can vote on it: each is heard by another, and can send the complement of what it sent before.
    bool can_be_voted_on() const;
    /// Whether, beside that, every holder has the version before as it was submitted, and in the same places.
    bool can_be_patched() const;
    /// Sends these bytes instead.
    void replace(std::span<std::byte const> bytes) { submission_.bytes = bytes; }
    /// Assigns the memory for everything that is sent and received. alike: of the vote. Collective if there are files.
    void prepare(std::uint64_t alike = 0);

    /// Returns whether everything has arrived as it was sent. Collective, not uniform.
    bool deliver();
    /// The same if only what has changed is sent. Returns false, too, if a member is against it. Collective, not
    /// uniform.
    bool deliver(Changes const& changes, bool in_favour);
    /// What has travelled, after the delivery of changes; the same on all members.
    ChangesReport const& changed() const { return changed_; }

    bool anybody_is_against() const;
    /// Takes over the checksums and lists the version in files. Returns false if it cannot.
    bool seal();
    /// The members have not agreed. Throws DiskError if a member has no place for its files. Collective, uniform.
    void retract();
    /// They never will.
    void discard();
    /// They have agreed: it becomes the present version.
    void adopt(OnDisk from);

private:
    /// What members have told each other of their changes. That of this PE is among it.
    struct Patch {
        template <class Byte>
        std::vector<std::span<Byte>> runs(std::size_t rank, std::span<Byte> bytes) const;

        std::vector<Chunks> chunks;  // by member
        Told told;
    };

    Memory take_memory(std::uint64_t size);
    void fill_from_current();
    std::vector<BlockRange> changed_parts(std::size_t rank) const;
    bool move_changes();
    bool holds_as_a_whole(Csr<BlockRange> changed_parts);
    void carry_over_checksums(std::span<BlockRange const> changed_own_parts);

    Replicated& store_;
    Submission submission_;
    std::uint32_t replicas_;
    std::unique_ptr<Version> next_ = std::make_unique<Version>();
    std::vector<Arrival> parts_;
    std::optional<std::vector<exchange::Message>> messages_;  // if every member knows all of them
    KnownSums sums_{[this](BlockRange part) { return submission_.bytes_of(part, next_->sizes); }, next_->sizes};
    Traffic traffic_;
    std::optional<Seals> seals_;
    Complaint complaint_;
    std::uint64_t layout_ = 0;
    /// By member, the chunks in which the memory of next_ differs from the current version before anything arrives;
    /// empty: it may differ everywhere.
    std::vector<Words> stale_;
    std::optional<Patch> patch_;  // if changes are delivered
    ChangesReport changed_;
};

}  // namespace regraft::store
