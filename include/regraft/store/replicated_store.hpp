// Data in the memory of the PEs, every block on several of them, so that deaths leave it readable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/placement/placement.hpp"
#include "regraft/store/disk.hpp"
#include "regraft/store/loading.hpp"
#include "regraft/store/options.hpp"
#include "regraft/store/replicated_contents.hpp"
#include "regraft/store/reports.hpp"

#pragma GCC visibility push(default)
namespace regraft::store {

/// Keeps one set of blocks 0 .. n-1. A block survives as long as one of its holders lives; repair() makes new holders.
class ReplicatedStore : public ReplicatedContents {
public:
    /// Makes an empty store. The communicator must outlive it. Throws DiskError if Options::keep lacks a name. All
    /// members make the stores of a communicator in the same order. Their collectives throw ft::Divergence if members
    /// are in calls on different stores, as far as these have the same shape, or in functions of which each begins with
    /// a gather; other mistakes are not found, and may hang (docs/mpi/failure-model.md). Not collective.
    explicit ReplicatedStore(ft::Communicator& comm, Options options = {});

    /// Stores `blocks`, block_bytes bytes for each id in `mine`, on the holders that the placement names; slot i is the
    /// i-th member. The new version replaces the one before, which stays readable until all survivors have agreed on
    /// the new one; on ProcessFailure it is still there on all of them. Precondition: the members' ranges are disjoint
    /// and cover the placement's blocks; all members pass the same placement, size and Options; the placement has one
    /// slot per member. Memory: what this PE will hold and, where ranges are short, about an eighth of that for a
    /// while. The memory of a version is kept for the submit after the next (see trim), because memory that was used
    /// before is filled faster. Collective, uniform.
    void submit(placement::Any placement, BlockRange mine, std::span<std::byte const> blocks, std::size_t block_bytes);
    /// The same for blocks of different sizes: row i of blocks is block mine.first + i. Every PE keeps the size of
    /// every block, in about two bytes each (BlockSizes). Precondition: the rows make up all of blocks.values.
    void submit(placement::Any placement, BlockRange mine, CsrView<std::byte> blocks);
    /// The same where every member knows what all members submit, so that they need not exchange it. blocks are this
    /// PE's, one behind the other.
    void submit(placement::Any placement, Submissions const& all, std::span<std::byte const> blocks);
    /// The same if all members vote in favour and for the same contents, which they find out in the agreement at the
    /// end. If they do not, or if something arrives damaged, nothing changes and all return false. They return false at
    /// once if the sizes are not those of the version before, if a member submits nothing or nothing that another
    /// member gets, and if the placement deals the blocks in more than some thousand runs. Precondition: a member that
    /// votes against passes its blocks of the version before.
    [[nodiscard]] bool submit_if(Vote const& vote, placement::Any placement, Submissions const& all,
                                 std::span<std::byte const> blocks);
    /// The same where only changes are sent, and holders take the rest from the version before. Returns nothing where
    /// submit_if returns false, and if holders have changed since, or have parts of a member's blocks. Precondition: a
    /// chunk whose bit is not set is as it was.
    [[nodiscard]] std::optional<ChangesReport> submit_changes(Vote const& vote, placement::Any placement,
                                                              Submissions const& all, std::span<std::byte const> blocks,
                                                              Changes const& changes);

    /// Makes a new version in which the blocks `changed` have other bytes, one behind the other in `bytes`; their sizes
    /// stay. Other blocks are neither sent nor copied, except within files (Options::keep). A PE may give any blocks,
    /// whether it holds them or not, or none. On ProcessFailure the version before is still there on all survivors, as
    /// version() says. Blocks that were lost are there again, on the member that gives them. Memory: what others give
    /// to this PE, until the update is over; a submit keeps a second version. Precondition: something was submitted;
    /// ranges ascend, and no two members give the same block. O(ranges of all members + bytes). Collective, uniform.
    UpdateReport update(std::span<BlockRange const> changed, std::span<std::byte const> bytes);

    /// Loads the wanted blocks into out, one behind the other in the order of the request; out.size() is the sum of
    /// their sizes. Members may want different or the same blocks, or none; ranges may overlap. Senders are balanced by
    /// bytes (schedule::choose_range_senders; Options::most_planned_runs); a PE copies what it holds itself. If lost
    /// blocks are wanted, everything else is delivered first and then all members throw DataLost, unless the options
    /// say otherwise. After ProcessFailure out is unspecified. Precondition: a version was submitted; ranges are within
    /// 0 .. num_blocks(); either all members give options or none does, and the options are the same except for the
    /// function itself. Collective, uniform.
    LoadReport load(std::span<BlockRange const> wanted, std::span<std::byte> out, LoadOptions const& options = {});
    /// The same where every member knows what all members want, so that they need not exchange it: row i for PeId i (as
    /// assign::reassign returns it). Rows of the dead are ignored. Precondition: the same num_founders() rows on all
    /// members.
    LoadReport load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options = {});
    /// Both while the program goes on. Until Loading::wait, out and the store live, and no submit, update, repair or
    /// scrub is called; other loads may be. Only safe where Transport::rounds is. Collective, not uniform (wait is).
    [[nodiscard]] Loading start_load(std::span<BlockRange const> wanted, std::span<std::byte> out,
                                     LoadOptions const& options = {});
    [[nodiscard]] Loading start_load(CsrView<BlockRange> wanted, std::span<std::byte> out,
                                     LoadOptions const& options = {});

    /// Copies blocks that lost holders to new ones, after a shrink, until every block has as many copies as were
    /// submitted or as the room allows. Returns what was carried out. On ProcessFailure all members keep the steps that
    /// were agreed on, and damage that was agreed on stays forgotten; the next repair goes on from there. Does nothing
    /// before the first submit. Collective, uniform.
    RepairReport repair(RepairOptions const& options = {});

    /// Verifies all replicas that this PE keeps, also those that are never read, and writes good ones over damaged
    /// ones. A damaged replica counts no more if it is in the user's memory or if there is no good one. On
    /// ProcessFailure nothing is forgotten. O(bytes held). Precondition: Integrity::checked. Collective, uniform.
    ScrubReport scrub();

    /// Writes every block once into a new generation on disk, as store::save does. The work is balanced by bytes; a
    /// holder writes from memory, verified with Integrity::checked. May also throw DataLost. Precondition: a version
    /// was submitted. Collective, uniform.
    SaveReport save(std::filesystem::path const& archive, SaveOptions const& options = {});
    /// Submits the blocks of the newest undamaged generation as a new version; any store on any number of PEs may have
    /// written it. placement is called with the number of blocks. Behaves as store::open followed by submit. Memory:
    /// that of submit and an even share of the blocks, which stays with OwnCopy::referenced. Collective, uniform.
    OpenReport open(std::filesystem::path const& archive,
                    std::function<placement::Any(std::uint64_t num_blocks)> const& placement);
    /// A function for LoadOptions::reread that reads from where this version was saved or opened, or none.
    std::function<void(BlockRange, std::span<std::byte>)> reread() const;

    /// Opens the newest version that the job before has kept (Options::keep) and of which all blocks are on the nodes
    /// of the members, whatever their number and places now. If there is none, and nodes with the last copies of blocks
    /// of the newest version are missing, all members throw DataLost. Returns nothing if no submit had succeeded.
    /// Blocks stay where they are; copies that are missing are made anew. Throws DiskError if the files cannot be used.
    /// Files stay as they were until all members have what they need. On ProcessFailure, shrink and call it again.
    /// Precondition: nothing was submitted yet. O(manifests + ranges in them), with checksums O(bytes). Collective,
    /// uniform.
    std::optional<ReopenReport> reopen(ReopenOptions const& options = {});
    /// Bytes that the next submits and updates keep beside their blocks in files; all members pass the same. Not
    /// collective.
    void set_attributes(std::vector<std::byte> attributes);
    /// Removes the blocks and all files (Options::keep), those of dead members included, for a program that has ended
    /// well. Without it files stay when the store is destroyed. If all members of a node have died, its files stay, and
    /// an empty file on the other nodes tells the next job that they do not count. On ProcessFailure, shrink and call
    /// it again. Collective, uniform.
    void discard();
};

}  // namespace regraft::store
#pragma GCC visibility pop
