// Read-only data in the memory of the PEs, erasure-coded: m deaths cost m / k of the data instead of m copies of it.
//
// Everybody keeps the blocks that he submits and, for others, m parities of about 1 / k of his own size
// (erasure::Layout says which). Blocks of living PEs are read as they are; those of dead ones follow from k pieces of
// their stripes. So memory is (1 + m / k) times the data where replication needs 1 + m times, submitting moves about 1
// + (m - 1) / k times the data where replication moves m times, and reading blocks of the dead moves k times as much.
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

/// The same on all members, but for node.
struct ErasureOptions {
    Transport transport = Transport::collective;
    OwnCopy own_copy = OwnCopy::copied;
    /// With checksums (XXH3, 8 bytes per 64 KiB of each piece) a damaged piece counts as a lost one, all of it: what is
    /// wanted of it follows from others, and the next repair makes it anew.
    Integrity integrity = Integrity::unchecked;
    /// Memory of a PE for what is on its way while it encodes or rebuilds: a window of each of k + m pieces.
    std::uint64_t buffer_bytes = 16 << 20;
    /// This PE's failure domain (ft::node_ids); all members give one or none does.
    std::optional<std::uint32_t> node{};
};

/// What a PE says for itself when pieces are made anew.
struct ErasureRepairOptions {
    /// Bytes that this PE may keep for the store when the repair is over (bytes_held). It keeps what it has. Pieces for
    /// which nobody has room stay missing, first those of stripes that lack the fewest; with fewer members than pieces
    /// the code gets fewer parities, or stays as it is if there is no room for all of the data.
    std::uint64_t room = std::numeric_limits<std::uint64_t>::max();
};

/// What a repair or scrub did and what now holds. All but the last two are the same on all members.
struct [[nodiscard]] ErasureRepair {
    /// The blocks that do not follow from what lives: ascending, disjoint. They stay lost until the next submit.
    std::vector<BlockRange> lost;
    /// Blocks in pieces that had wrong checksums, of those that were looked at, and how many such parities there were.
    std::vector<Damage> damaged;
    std::uint64_t damaged_parities = 0;
    /// The code as it is now: a smaller one if there are fewer members than it had pieces.
    erasure::Code code;
    /// The most members, and nodes, that may die now, whichever they are, without further loss.
    std::uint32_t deaths_survived = 0;
    std::uint32_t nodes_survived = 0;
    /// Bytes of pieces that were made anew from others, and that travelled between PEs for that.
    std::uint64_t bytes_restored = 0;
    std::uint64_t bytes_moved = 0;
    std::uint64_t most_sent = 0;
    std::uint64_t most_received = 0;
    /// Pieces that would follow from others, but nobody has room for them.
    std::uint64_t unplaced = 0;
    /// By this PE from others, and what it keeps.
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_held = 0;
};

/// Keeps one set of blocks 0 .. n-1. Blocks survive as long as k of the k + m pieces of their stripe do; repair() makes
/// lost pieces anew.
class ErasureStore {
public:
    explicit ErasureStore(ft::Communicator& comm, ErasureOptions options = {});
    ErasureStore(ErasureStore&&) noexcept;
    ErasureStore& operator=(ErasureStore&&) = delete;
    ~ErasureStore();

    /// Stores `blocks`, block_bytes bytes for each id in `mine`. With fewer members than the code has pieces,
    /// code.fitted(members) is used: one parity less than members, or data of as many pieces as are left. Replaces the
    /// version before, which stays readable until all survivors have agreed on this one: on ProcessFailure it is still
    /// there on all of them. Precondition: the members' ranges are disjoint and cover the blocks 0 .. n-1; same code,
    /// size and options everywhere; no load is under way. Memory: own blocks (unless by reference), m parities as long
    /// as the longest of k other members' pieces, windows. Collective, uniform.
    void submit(erasure::Code code, BlockRange mine, std::span<std::byte const> blocks, std::size_t block_bytes);
    /// The same for blocks of different sizes: row i of blocks is block mine.first + i. Every PE remembers the size of
    /// every block (BlockSizes). Precondition: rows are all of blocks.values.
    void submit(erasure::Code code, BlockRange mine, CsrView<std::byte> blocks);
    /// The same where everybody knows what everybody submits, nodes included (ErasureOptions::node does not count).
    /// blocks are this PE's, one behind the other.
    void submit(erasure::Code code, Submissions const& all, std::span<std::byte const> blocks);

    /// Loads the wanted blocks into out, one behind the other in the order of the request; out.size() is the sum of
    /// their sizes. Members may want different or the same blocks, or none; ranges may overlap. Lost blocks that
    /// anybody wants make all members throw DataLost after everything else was delivered, unless the options say what
    /// else to do. In the report b, rounds and blocks_moved count blocks that came whole, from their holders;
    /// most_sent_bound is what holders of whole blocks have to send, or an equal share of everything. After
    /// ProcessFailure out is unspecified. Precondition: a version was submitted; ranges within 0 .. num_blocks(); all
    /// members give options or none, but for the function itself. Collective, uniform.
    LoadReport load(std::span<BlockRange const> wanted, std::span<std::byte> out, LoadOptions const& options = {});
    /// The same where everybody knows what everybody wants, row i for PeId i (as assign::reassign says it): nobody has
    /// to tell. Rows of the dead do not count. Precondition: the same num_founders() rows on all members.
    LoadReport load(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options = {});
    /// The same while the program goes on computing; blocks that do not come whole are rebuilt within Loading::wait.
    /// Until then out and the store must live, and submit, repair and scrub are refused, a contract; other loads are
    /// fine. By point-to-point messages, so only where Transport::rounds is safe. Collective, not uniform (wait is).
    [[nodiscard]] Loading start_load(CsrView<BlockRange> wanted, std::span<std::byte> out,
                                     LoadOptions const& options = {});

    /// After a shrink: makes every lost piece anew from k others, on a member and, if possible, on a node without a
    /// piece of its stripe. With fewer members than pieces, the living keep what they have of the data, share the rest,
    /// and encode everything anew with code.fitted(members). So afterwards, if there is room, as many deaths are
    /// survived as there are parities in the report's code. Stripes that lost too much go on without what they lost. On
    /// ProcessFailure everything is as before on all members. Nothing to do before the first submit. Precondition: no
    /// load is under way. Collective, uniform.
    ErasureRepair repair(ErasureRepairOptions const& options = {});
    /// Verifies all pieces that this PE keeps, also those nobody reads, and then repairs. O(bytes held). Precondition:
    /// Integrity::checked; no load is under way. Collective, uniform.
    ErasureRepair scrub(ErasureRepairOptions const& options = {});

    /// Writes every block once into a new generation on disk, as the free save: who has it, from memory, verified with
    /// Integrity::checked; blocks of the dead are rebuilt for that, by all, and not kept. Throws also DataLost.
    /// Precondition: a version was submitted. Collective, uniform.
    SaveReport save(std::filesystem::path const& archive, SaveOptions const& options = {});
    /// Submits what the newest undamaged generation has, whatever wrote it and however many: a new version. As the free
    /// open and submit. Memory: that of submit and an even share of the blocks, which stays with OwnCopy::referenced.
    /// Collective, uniform.
    OpenReport open(std::filesystem::path const& archive, erasure::Code code);
    /// For LoadOptions::reread: reads from where this version was saved or opened. Empty if it was not.
    std::function<void(BlockRange, std::span<std::byte>)> reread() const;

    /// Of the version that can be read; none before the first submit.
    std::uint64_t num_blocks() const { return sizes().num_blocks(); }
    BlockSizes const& sizes() const;
    /// The code in use; its parity() is the number of deaths that a complete store survives.
    erasure::Code code() const;
    /// How many submits have succeeded.
    std::uint64_t version() const;
    /// The bytes of the blocks, if this PE holds them all and one behind the other, and, with Integrity::checked, if
    /// they are what was submitted; else nothing. No copy: valid until the next submit, repair or scrub. O(k); checked
    /// O(bytes and up to 128 KiB around them).
    std::span<std::byte const> held(BlockRange blocks) const;
    /// Calls visit for runs of blocks with the member that has them as they are, or with nobody if they follow from
    /// others or are lost: ascending, the same on all members if they have the same.
    void visit_holders(BlockRange blocks, std::function<void(placement::Run const&)> const& visit) const;
    /// Bytes of pieces that this PE keeps, without what it holds by reference.
    std::uint64_t bytes_held() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace regraft::store
