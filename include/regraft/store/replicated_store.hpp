// Read-only data in the memory of the PEs, every block on several of them, to be read by anybody after some have died.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/placement/directory.hpp"
#include "regraft/placement/placement.hpp"
#include "regraft/store/disk.hpp"
#include "regraft/store/loading.hpp"
#include "regraft/store/options.hpp"
#include "regraft/store/reports.hpp"

namespace regraft::store {

/// Keeps one set of blocks 0 .. n-1. Blocks survive as long as one of their holders lives; repair() makes new holders.
class ReplicatedStore {
public:
    explicit ReplicatedStore(ft::Communicator& comm, Options options = {});
    ReplicatedStore(ReplicatedStore&&) noexcept;
    ReplicatedStore& operator=(ReplicatedStore&&) = delete;
    ~ReplicatedStore();

    /// Stores `blocks`, block_bytes bytes for each id in `mine`, on the holders that the placement names; slot i is the
    /// i-th member. Replaces the version before, which stays readable until all survivors have agreed on this one: on
    /// ProcessFailure it is still there on all of them. Precondition: the members' ranges are disjoint and cover the
    /// placement's blocks; same placement, size and Options everywhere; one slot per member. Memory: what this PE will
    /// hold, and about an eighth of that for a while where ranges are short. It stays for the submit after the next
    /// (trim), for memory that was used before is filled faster. Collective, uniform.
    void submit(placement::Any placement, BlockRange mine, std::span<std::byte const> blocks, std::size_t block_bytes);
    /// The same for blocks of different sizes: row i of blocks is block mine.first + i. Every PE remembers the size of
    /// every block, in about two bytes each (BlockSizes). Precondition: rows are all of blocks.values.
    void submit(placement::Any placement, BlockRange mine, CsrView<std::byte> blocks);
    /// The same where everybody knows what everybody submits: nobody has to tell. blocks are this PE's, one behind the
    /// other.
    void submit(placement::Any placement, Submissions const& all, std::span<std::byte const> blocks);
    /// The same if all members are in favour and mean the same, which they find out by votes that travel with the
    /// blocks and an agreement; if not, or if something arrives damaged, nothing changes, and all return false. So they
    /// do without trying if a member has nobody else who gets blocks of it, and by whom its vote would outlive it, and
    /// where the placement deals all blocks in more than some thousand runs.
    [[nodiscard]] bool submit_if(Vote const& vote, placement::Any placement, Submissions const& all,
                                 std::span<std::byte const> blocks);

    /// Loads the wanted blocks into out, one behind the other in the order of the request; out.size() is the sum of
    /// their sizes. Members may want different or the same blocks, or none; ranges may overlap. Senders are balanced by
    /// bytes (schedule::choose_range_senders; Options::most_planned_runs); what a PE holds itself it copies. Lost
    /// blocks that anybody wants make all members throw DataLost after everything else was delivered, unless the
    /// options say what else to do. After ProcessFailure out is unspecified. Precondition: a version was submitted;
    /// ranges within 0 .. num_blocks(); all members give options or none, but for the function itself. Collective,
    /// uniform.
    LoadReport load(std::span<BlockRange const> wanted, std::span<std::byte> out, LoadOptions const& options = {});
    /// The same where everybody knows what everybody wants, row i for PeId i (as assign::reassign says it): nobody has
    /// to tell. Rows of the dead do not count. Precondition: the same num_founders() rows on all members.
    LoadReport load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options = {});
    /// The same while the program goes on computing. Until Loading::wait, out and the store must live, and submit,
    /// repair and scrub are refused, a contract; other loads are fine. By point-to-point messages, so only where
    /// Transport::rounds is safe. Collective, not uniform (wait is).
    [[nodiscard]] Loading start_load(CsrView<BlockRange> wanted, std::span<std::byte> out,
                                     LoadOptions const& options = {});

    /// After a shrink: copies what has lost holders to new ones, until every block has as many as were submitted or as
    /// the room allows. Returns what was carried out. On ProcessFailure the steps that were agreed on are kept, by all,
    /// and damage that was agreed on stays forgotten; the next repair goes on from there. Nothing to do before the
    /// first submit. Collective, uniform.
    RepairReport repair(RepairOptions const& options = {});

    /// Verifies all replicas that this PE keeps, also those nobody reads, and writes good ones over those that are not
    /// what was submitted; one in the user's memory, or of which there is no good one, counts no more. On
    /// ProcessFailure nothing is forgotten. O(bytes held). Precondition: Integrity::checked. Collective, uniform.
    ScrubReport scrub();

    /// Writes every block once into a new generation on disk, as the free save: balanced by bytes, from memory where a
    /// holder has it, verified with Integrity::checked. Throws also DataLost. Precondition: a version was submitted.
    /// Collective, uniform.
    SaveReport save(std::filesystem::path const& archive, SaveOptions const& options = {});
    /// Submits what the newest undamaged generation has, whatever wrote it and however many: a new version. placement:
    /// called with the number of blocks. As the free open and submit. Memory: that of submit and an even share of the
    /// blocks, which stays with OwnCopy::referenced. Collective, uniform.
    OpenReport open(std::filesystem::path const& archive,
                    std::function<placement::Any(std::uint64_t num_blocks)> const& placement);
    /// For LoadOptions::reread: reads from where this version was saved or opened. Empty if it was not.
    std::function<void(BlockRange, std::span<std::byte>)> reread() const;

    /// Of the version that can be read; none before the first submit.
    std::uint64_t num_blocks() const { return sizes().num_blocks(); }
    BlockSizes const& sizes() const;
    /// How many submits have succeeded.
    std::uint64_t version() const;
    /// The bytes of the blocks, if this PE holds them all and one behind the other, and, with Integrity::checked, if
    /// they are what was submitted; else nothing. No copy: valid until the next submit, repair or scrub. O(1); checked
    /// O(bytes and up to 128 KiB around them).
    std::span<std::byte const> held(BlockRange blocks) const;
    /// Calls visit for the runs of blocks that the same members hold, as placement::Directory::visit: the same on all
    /// members if they have the same.
    void visit_holders(BlockRange blocks, std::function<void(placement::Run const&)> const& visit) const;
    /// Gives back the memory of the version before, which is kept for the next submit. Not collective.
    void trim();
    /// Bytes of blocks that this PE keeps, without what it holds by reference.
    std::uint64_t bytes_held() const;
    /// Bytes of memory of the version before, which trim() gives back.
    std::uint64_t bytes_spare() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace regraft::store
