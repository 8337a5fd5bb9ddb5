// Read-only data in the memory of the PEs, erasure-coded: to survive m deaths takes m / k of the data instead of m
// copies of it.
//
// Every PE keeps the blocks that it submits and, for others, m parities of about 1 / k of its own size (erasure::Layout
// says which). Blocks of living PEs are read as they are; those of dead PEs are rebuilt from k pieces of their stripes.
// So memory is (1 + m / k) times the data, where replication needs 1 + m times. Submitting moves about 1 + (m - 1) / k
// times the data, where replication moves m times. Reading blocks of the dead moves k times as much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/erasure/code.hpp"
#include "regraft/ft/communicator.hpp"
#include "regraft/placement/directory.hpp"
#include "regraft/store/disk.hpp"
#include "regraft/store/erasure_options.hpp"
#include "regraft/store/loading.hpp"
#include "regraft/store/options.hpp"
#include "regraft/store/reports.hpp"

#pragma GCC visibility push(default)
namespace regraft::store {

/// Keeps one set of blocks 0 .. n-1. A block survives as long as k of the k + m pieces of its stripe do; repair() makes
/// lost pieces anew.
class ErasureStore {
public:
    /// Makes an empty store. The communicator must outlive it. Throws DiskError if ErasureOptions::keep lacks a name.
    /// Members make and call stores in the same order, as ReplicatedStore says. Not collective.
    explicit ErasureStore(ft::Communicator& comm, ErasureOptions options = {});
    ErasureStore(ErasureStore&&) noexcept;
    ErasureStore& operator=(ErasureStore&&) = delete;
    ~ErasureStore();

    /// Stores `blocks`, block_bytes bytes for each id in `mine`. With fewer members than the code has pieces,
    /// code.fitted(members) is used: one parity less than members, or fewer pieces of data. The new version replaces
    /// the one before, which stays readable until all survivors have agreed on the new one; on ProcessFailure it is
    /// still there on all of them. Precondition: the members' ranges are disjoint and cover the blocks 0 .. n-1; all
    /// members pass the same code, size and options; no load is under way. Memory: own blocks (unless by reference), m
    /// parities as long as the longest of k other members' pieces, and windows. Collective, uniform.
    void submit(erasure::Code code, BlockRange mine, std::span<std::byte const> blocks, std::size_t block_bytes);
    /// The same for blocks of different sizes: row i of blocks is block mine.first + i. Every PE keeps the size of
    /// every block (BlockSizes). Precondition: the rows make up all of blocks.values.
    void submit(erasure::Code code, BlockRange mine, CsrView<std::byte> blocks);
    /// The same where every member knows what all members submit, nodes included (ErasureOptions::node is ignored).
    /// blocks are this PE's, one behind the other.
    void submit(erasure::Code code, Submissions const& all, std::span<std::byte const> blocks);

    /// Loads the wanted blocks into out, one behind the other in the order of the request; out.size() is the sum of
    /// their sizes. Members may want different or the same blocks, or none; ranges may overlap. If lost blocks are
    /// wanted, everything else is delivered first and then all members throw DataLost, unless the options say
    /// otherwise. In the report b, rounds and blocks_moved count blocks that came whole from their holders;
    /// most_sent_bound is what holders of whole blocks have to send, or an equal share of everything. After
    /// ProcessFailure out is unspecified. Precondition: a version was submitted; ranges are within 0 .. num_blocks();
    /// either all members give options or none does, and the options are the same except for the function itself.
    /// Collective, uniform.
    LoadReport load(std::span<BlockRange const> wanted, std::span<std::byte> out, LoadOptions const& options = {});
    /// The same where every member knows what all members want, so that they need not exchange it: row i for PeId i (as
    /// assign::reassign returns it). Rows of the dead are ignored. Precondition: the same num_founders() rows on all
    /// members.
    LoadReport load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options = {});
    /// Both while the program goes on computing. Blocks that do not come whole are rebuilt within Loading::wait. Until
    /// then out and the store must live, and submit, repair and scrub must not be called; other loads may. Uses
    /// point-to-point messages, so it is only safe where Transport::rounds is. Collective, not uniform (wait is).
    [[nodiscard]] Loading start_load(std::span<BlockRange const> wanted, std::span<std::byte> out,
                                     LoadOptions const& options = {});
    [[nodiscard]] Loading start_load(CsrView<BlockRange> wanted, std::span<std::byte> out,
                                     LoadOptions const& options = {});

    /// Makes every lost piece anew from k others, after a shrink. The new holder is a member and, if possible, a node
    /// without a piece of the stripe. With fewer members than pieces, the living members keep what they have of the
    /// data, share the rest, and encode everything anew with code.fitted(members). So if there is room, as many deaths
    /// are survived afterwards as there are parities in the report's code. Stripes that lost too much go on without
    /// what they lost. On ProcessFailure everything is as before on all members. Does nothing before the first submit.
    /// With ErasureOptions::keep it may throw DiskError on all members, as a submit may: then everything is as before.
    /// Precondition: no load is under way. Collective, uniform.
    ErasureRepair repair(ErasureRepairOptions const& options = {});
    /// Verifies all pieces that this PE keeps, also those that are never read, and then repairs. O(bytes held).
    /// Precondition: Integrity::checked; no load is under way. Collective, uniform.
    ErasureRepair scrub(ErasureRepairOptions const& options = {});

    /// Writes every block once into a new generation on disk, as store::save does. A PE writes its blocks from memory,
    /// verified with Integrity::checked. All members rebuild the blocks of the dead for that, and do not keep them. May
    /// also throw DataLost. Precondition: a version was submitted. Collective, uniform.
    SaveReport save(std::filesystem::path const& archive, SaveOptions const& options = {});
    /// Submits the blocks of the newest undamaged generation as a new version; any store on any number of PEs may have
    /// written it. Behaves as store::open followed by submit. Memory: that of submit and an even share of the blocks,
    /// which stays with OwnCopy::referenced. Collective, uniform.
    OpenReport open(std::filesystem::path const& archive, erasure::Code code);
    /// A function for LoadOptions::reread that reads from where this version was saved or opened. Empty if it was
    /// neither.
    std::function<void(BlockRange, std::span<std::byte>)> reread() const;

    /// Opens the newest version that the job before has kept (ErasureOptions::keep) and of which k pieces of every
    /// stripe are on the nodes of the members, undamaged as far as they are checked; returns nothing if no submit had
    /// succeeded. Any number of PEs may have kept it, with any code. It is encoded anew with this one, as repair() does
    /// with fewer members, unless there is no room for that: then it is only read. If blocks of the newest version
    /// cannot be rebuilt, all members throw DataLost; DiskError if files cannot be used. On ProcessFailure, shrink and
    /// call it again. Precondition: nothing was submitted yet. Collective, uniform.
    std::optional<ErasureReopen> reopen(erasure::Code code, ErasureReopenOptions const& options = {});
    /// Bytes that the next submits keep beside their pieces, as ReplicatedStore::set_attributes. Not collective.
    void set_attributes(std::vector<std::byte> attributes);
    /// Removes the pieces and all files, as ReplicatedStore::discard. Collective, uniform.
    void discard();

    /// The blocks of the version that can be read; none before the first submit.
    std::uint64_t num_blocks() const { return sizes().num_blocks(); }
    /// The sizes of all blocks of the version.
    BlockSizes const& sizes() const;
    /// The code in use; its parity() is the number of deaths that a complete store survives.
    erasure::Code code() const;
    /// The number of submits that have succeeded.
    std::uint64_t version() const;
    /// The bytes of the blocks, if this PE holds them all and one behind the other and, with Integrity::checked,
    /// undamaged; otherwise nothing. No copy: valid until the next submit, repair or scrub. O(k); with checksums
    /// O(bytes and up to 128 KiB around them).
    std::span<std::byte const> held(BlockRange blocks) const;
    /// Calls visit for ascending runs of blocks, with the member that has them as they are, or without a holder if they
    /// have to be rebuilt or are lost. The same on all members that pass the same blocks.
    void visit_holders(BlockRange blocks, std::function<void(placement::Run const&)> const& visit) const;
    /// Frees what the second submit and later ones keep for the next: the memory of the version before and of windows
    /// (ErasureOptions::buffer_bytes). Not collective.
    void trim();
    /// Bytes of pieces that this PE keeps, without what it holds by reference; and what trim() frees.
    std::uint64_t bytes_held() const;
    std::uint64_t bytes_spare() const;

private:
    struct [[gnu::visibility("hidden")]] Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace regraft::store
#pragma GCC visibility pop
