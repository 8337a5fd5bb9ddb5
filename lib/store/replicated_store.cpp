#include "regraft/store/replicated_store.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "store/digest.hpp"
#include "store/gather.hpp"
#include "store/rows.hpp"
#include "store/version.hpp"

namespace regraft::store {
namespace {

ft::FailPhase submit_phase("submit");

/// A submit while it is not agreed on.
struct Submission {
    std::size_t self;
    std::span<BlockRange const> ranges;  // of the members
    std::span<std::byte const> bytes;    // of ranges[self]
    OwnCopy own_copy;

    bool by_reference(std::size_t rank) const { return rank == self && own_copy == OwnCopy::referenced; }
};

/// My blocks to their holders, those that touch in one piece.
void collect_outgoing(ft::Communicator const& comm, Submission const& submission, placement::Directory const& directory,
                      BlockSizes const& sizes, Traffic& traffic) {
    auto const mine = submission.ranges[submission.self];
    std::vector<BlockRange> open(comm.size());  // of each member: the piece that may go on
    RowsBuilder<BlockRange> rows(comm.size());
    directory.visit(mine, [&](placement::Run const& run) {
        for (auto const holder : run.holders) {
            auto& piece = open[comm.position(holder)];
            if (piece.last == run.blocks.first && !piece.empty()) {
                piece.last = run.blocks.last;
                continue;
            }
            if (!piece.empty()) rows.add(comm.position(holder), piece);
            piece = run.blocks;
        }
    });
    for (std::size_t rank = 0; rank < open.size(); ++rank) {
        if (!open[rank].empty()) rows.add(rank, open[rank]);
    }
    traffic.blocks_out = rows.rows();
    for (std::size_t rank = 0; rank < comm.size(); ++rank) {
        for (auto const& blocks : traffic.blocks_out[rank]) {
            if (submission.by_reference(rank)) continue;
            auto const begin = sizes.bytes(BlockRange{mine.first, blocks.first});
            traffic.out.push_value(submission.bytes.subspan(begin, sizes.bytes(blocks)));
        }
        traffic.out.end_row();
    }
}

/// The spare memory if it fits, else new memory instead of it.
Memory memory_of(std::uint64_t size, Memory& spare) {
    Memory memory = std::move(spare);
    bool const fits = size <= memory.bytes().size() && memory.bytes().size() <= size + size / 8;
    if (!fits) {
        memory = Memory();  // gives the spare back before new memory is taken
        memory = Memory(size);
    }
    return memory;
}

/// Blocks that I shall hold and that one member has.
struct Part {
    BlockRange blocks;
    std::size_t rank;
};

/// In the order of the blocks.
std::vector<Part> parts_of(std::span<BlockRange const> held_ranges, std::span<BlockRange const> ranges) {
    std::vector<std::size_t> by_first;
    for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
        if (!ranges[rank].empty()) by_first.push_back(rank);
    }
    std::sort(by_first.begin(), by_first.end(), [&](auto a, auto b) { return ranges[a].first < ranges[b].first; });
    std::vector<Part> parts;
    for (auto const& held : held_ranges) {
        auto at = std::partition_point(by_first.begin(), by_first.end(),
                                       [&](auto rank) { return ranges[rank].last <= held.first; });
        for (; at != by_first.end() && ranges[*at].first < held.last; ++at) {
            parts.push_back({intersect(held, ranges[*at]), *at});
        }
    }
    return parts;
}

/// What I shall hold, in memory in the order of the blocks: so what one member sends lies in one piece.
void collect_incoming(Submission const& submission, std::span<Part const> parts, BlockSizes const& sizes, Memory& spare,
                      Traffic& traffic, HeldBlocks& held) {
    std::uint64_t total = 0;
    for (auto const& [blocks, rank] : parts) total += submission.by_reference(rank) ? 0 : sizes.bytes(blocks);
    auto memory = memory_of(total, spare);
    auto rest = memory.bytes();
    RowsBuilder<BlockRange> rows(submission.ranges.size());
    RowsBuilder<std::span<std::byte>> pieces(submission.ranges.size());
    for (auto const& [blocks, rank] : parts) {
        rows.add(rank, blocks);
        if (submission.by_reference(rank)) {
            auto const begin = sizes.bytes(BlockRange{submission.ranges[rank].first, blocks.first});
            held.refer_to(blocks, submission.bytes.data() + begin);
            continue;
        }
        auto const piece = rest.first(sizes.bytes(blocks));
        rest = rest.subspan(piece.size());
        pieces.add(rank, piece);
        held.add(blocks, piece.data(), sizes);
    }
    held.own(std::move(memory));
    traffic.blocks_in = rows.rows();
    traffic.in = pieces.rows();
}

}  // namespace

ReplicatedStore::ReplicatedStore(ft::Communicator& comm, Options options)
    : comm_(comm), options_(options), spare_(std::make_unique<Memory>()) {}
ReplicatedStore::ReplicatedStore(ReplicatedStore&&) noexcept = default;
ReplicatedStore::~ReplicatedStore() = default;

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, std::span<std::byte const> blocks,
                             std::size_t block_bytes) {
    REGRAFT_EXPECTS(blocks.size() == mine.size() * block_bytes);
    auto const num_blocks = placement.shape().num_blocks;
    submit(std::move(placement), mine, blocks, block_bytes,
           [&](std::span<BlockRange const>) { return BlockSizes(num_blocks, block_bytes); });
}

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, CsrView<std::byte> blocks) {
    REGRAFT_EXPECTS(blocks.size() == mine.size());
    REGRAFT_EXPECTS(blocks.size() == 0 ||
                    (blocks.offsets.front() == 0 && blocks.offsets.back() == blocks.values.size()));
    submit(std::move(placement), mine, blocks.values, various_bytes,
           [&](std::span<BlockRange const> ranges) { return gather_sizes(comm_, ranges, blocks); });
}

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, std::span<std::byte const> bytes,
                             std::uint64_t block_bytes,
                             std::function<BlockSizes(std::span<BlockRange const>)> const& sizes_of) {
    REGRAFT_EXPECTS(placement.shape().num_slots == comm_.size());
    comm_.reach(submit_phase.before);
    Digest alike;
    alike.add(placement).add(block_bytes);
    alike.add(options_.transport).add(options_.own_copy).add(options_.integrity);
    auto const submitters = gather_submitters(comm_, mine, alike.value());
    auto const& ranges = submitters.ranges;
    REGRAFT_EXPECTS(submitters.num_blocks == placement.shape().num_blocks);
    auto const members = comm_.members();
    auto next = std::make_unique<Version>();
    next->sizes = sizes_of(ranges);
    next->directory = placement::Directory(std::move(placement), {members.begin(), members.end()});
    if (options_.own_copy == OwnCopy::referenced) {
        for (auto const& range : ranges) next->seams.insert(next->seams.end(), {range.first, range.last});
        std::sort(next->seams.begin(), next->seams.end());
    }

    Submission const submission{comm_.position(comm_.self()), ranges, bytes, options_.own_copy};
    Traffic traffic;
    collect_outgoing(comm_, submission, next->directory, next->sizes, traffic);
    collect_incoming(submission, parts_of(next->directory.held(comm_.self()), ranges), next->sizes, *spare_, traffic,
                     next->held);
    comm_.reach(submit_phase.inside);
    exchange::all_to_all(comm_, traffic.out, traffic.in, options_.transport);
    if (options_.integrity == Integrity::checked) {
        exchange_checksums(comm_, options_, traffic, next->sizes, next->held);
        if (options_.own_copy == OwnCopy::referenced) next->held.set_checksums_of_users(next->sizes);
    }
    comm_.agree();
    std::swap(current_, next);
    if (next) *spare_ = std::move(next->held).largest_memory();
    ++version_;
    comm_.reach(submit_phase.after);
}

BlockSizes const& ReplicatedStore::sizes() const {
    static BlockSizes const none;
    return current_ ? current_->sizes : none;
}

std::uint64_t ReplicatedStore::version() const {
    return version_;
}

std::span<std::byte const> ReplicatedStore::held(BlockRange blocks) const {
    REGRAFT_EXPECTS(value(blocks.last) <= num_blocks());
    return current_ ? current_->held.find(blocks, current_->sizes) : std::span<std::byte const>();
}

void ReplicatedStore::trim() {
    *spare_ = Memory();
}

std::uint64_t ReplicatedStore::bytes_held() const {
    return current_ ? current_->held.own_bytes() : 0;
}

}  // namespace regraft::store
