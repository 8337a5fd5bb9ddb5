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
#include <limits>
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
#include "regraft/store/loading.hpp"
#include "regraft/store/options.hpp"
#include "regraft/store/reports.hpp"

namespace regraft::store {

/// All members pass the same options, except for node.
struct ErasureOptions {
    Transport transport = Transport::collective;
    OwnCopy own_copy = OwnCopy::copied;
    /// With checksums (XXH3, 8 bytes per 64 KiB of each piece), a damaged piece counts as lost as a whole: what is
    /// wanted of it is rebuilt from others, and the next repair makes it anew.
    Integrity integrity = Integrity::unchecked;
    /// Bytes of memory of a PE for data under way while it encodes or rebuilds: a window of each of k + m pieces.
    std::uint64_t buffer_bytes = 16 << 20;
    /// This PE's failure domain (ft::node_ids). Either all members give one or none does.
    std::optional<std::uint32_t> node{};
};

/// What each PE may decide alone when pieces are made anew.
struct ErasureRepairOptions {
    /// Bytes that this PE may keep for the store when the repair is over (bytes_held). It keeps what it has. Pieces for
    /// which no PE has room stay missing, first those of stripes that lack the fewest. With fewer members than pieces
    /// the code gets fewer parities, or stays as it is if there is no room for all of the data.
    std::uint64_t room = std::numeric_limits<std::uint64_t>::max();
};

/// What a repair or scrub did, and the state afterwards. All but the last two are the same on all members.
struct [[nodiscard]] ErasureRepair {
    /// The blocks that cannot be rebuilt from what lives: ascending, disjoint. They stay lost until the next submit.
    std::vector<BlockRange> lost;
    /// Blocks in pieces with wrong checksums, among those that were looked at; and the number of parities with wrong
    /// checksums.
    std::vector<Damage> damaged;
    std::uint64_t damaged_parities = 0;
    /// The code in use now: a smaller one if there are fewer members than the code before had pieces.
    erasure::Code code;
    /// The largest number of members, and of nodes, that may die now without further loss, whichever they are.
    std::uint32_t deaths_survived = 0;
    std::uint32_t nodes_survived = 0;
    /// Bytes of pieces that were made anew from others, and bytes that travelled between PEs for that.
    std::uint64_t bytes_restored = 0;
    std::uint64_t bytes_moved = 0;
    std::uint64_t most_sent = 0;
    std::uint64_t most_received = 0;
    /// Number of pieces that could be rebuilt, but for which no PE has room.
    std::uint64_t unplaced = 0;
    /// Bytes that this PE received from others, and bytes that it keeps.
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_held = 0;
};

/// Keeps one set of blocks 0 .. n-1. A block survives as long as k of the k + m pieces of its stripe do; repair() makes
/// lost pieces anew.
class ErasureStore {
public:
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
    /// The same while the program goes on computing. Blocks that do not come whole are rebuilt within Loading::wait.
    /// Until then out and the store must live, and submit, repair and scrub must not be called; other loads may. Uses
    /// point-to-point messages, so it is only safe where Transport::rounds is. Collective, not uniform (wait is).
    [[nodiscard]] Loading start_load(CsrView<BlockRange> wanted, std::span<std::byte> out,
                                     LoadOptions const& options = {});

    /// Makes every lost piece anew from k others, after a shrink. The new holder is a member and, if possible, a node
    /// without a piece of the stripe. With fewer members than pieces, the living members keep what they have of the
    /// data, share the rest, and encode everything anew with code.fitted(members). So if there is room, as many deaths
    /// are survived afterwards as there are parities in the report's code. Stripes that lost too much go on without
    /// what they lost. On ProcessFailure everything is as before on all members. Does nothing before the first submit.
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

    /// The blocks of the version that can be read; none before the first submit.
    std::uint64_t num_blocks() const { return sizes().num_blocks(); }
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
    /// Bytes of pieces that this PE keeps, without what it holds by reference.
    std::uint64_t bytes_held() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace regraft::store
