#include "regraft/store/replicated_store.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "store/gather.hpp"
#include "store/rows.hpp"
#include "store/version.hpp"

namespace regraft::store {
namespace {

ft::FailPhase submit_phase("submit");

std::vector<BlockRange> gather_ranges(ft::Communicator& comm, BlockRange mine) {
    auto const rows = exchange::all_gather(comm, std::vector{value(mine.first), value(mine.last)});
    std::vector<BlockRange> ranges;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        ranges.push_back({BlockId{rows[rank][0]}, BlockId{rows[rank][1]}});
    }
    return ranges;
}

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

/// What I shall hold, in memory in the order of the blocks: so what one member sends lies in one piece.
void collect_incoming(Submission const& submission, std::span<BlockRange const> held_ranges, BlockSizes const& sizes,
                      Memory& spare, Traffic& traffic, HeldBlocks& held) {
    std::vector<std::size_t> by_first;
    for (std::size_t rank = 0; rank < submission.ranges.size(); ++rank) {
        if (!submission.ranges[rank].empty()) by_first.push_back(rank);
    }
    std::sort(by_first.begin(), by_first.end(),
              [&](auto a, auto b) { return submission.ranges[a].first < submission.ranges[b].first; });
    struct Part {
        BlockRange blocks;
        std::size_t rank;
    };
    std::vector<Part> parts;
    std::uint64_t total = 0;
    for (auto const& range : held_ranges) {
        auto at = std::partition_point(by_first.begin(), by_first.end(),
                                       [&](auto rank) { return submission.ranges[rank].last <= range.first; });
        for (; at != by_first.end() && submission.ranges[*at].first < range.last; ++at) {
            parts.push_back({intersect(range, submission.ranges[*at]), *at});
            if (!submission.by_reference(*at)) total += sizes.bytes(parts.back().blocks);
        }
    }
    auto memory = memory_of(total, spare);
    auto rest = memory.bytes();
    RowsBuilder<BlockRange> rows(submission.ranges.size());
    RowsBuilder<std::span<std::byte>> pieces(submission.ranges.size());
    BlockRange open;  // parts that touch, in blocks and in memory
    std::byte* open_data = nullptr;
    auto const close = [&] {
        if (!open.empty()) held.add(open, open_data, sizes);
        open = {};
    };
    for (auto const& [blocks, rank] : parts) {
        rows.add(rank, blocks);
        if (submission.by_reference(rank)) {
            close();
            auto const begin = sizes.bytes(BlockRange{submission.ranges[rank].first, blocks.first});
            held.refer_to(blocks, submission.bytes.data() + begin);
            continue;
        }
        auto const piece = rest.first(sizes.bytes(blocks));
        rest = rest.subspan(piece.size());
        pieces.add(rank, piece);
        if (open.empty() || open.last != blocks.first) {
            close();
            open = blocks;
            open_data = piece.data();
        }
        open.last = blocks.last;
    }
    close();
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
    submit(std::move(placement), mine, blocks,
           [&](std::span<BlockRange const>) { return BlockSizes(num_blocks, block_bytes); });
}

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, CsrView<std::byte> blocks) {
    REGRAFT_EXPECTS(blocks.size() == mine.size());
    REGRAFT_EXPECTS(blocks.size() == 0 ||
                    (blocks.offsets.front() == 0 && blocks.offsets.back() == blocks.values.size()));
    submit(std::move(placement), mine, blocks.values,
           [&](std::span<BlockRange const> ranges) { return gather_sizes(comm_, ranges, blocks); });
}

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, std::span<std::byte const> bytes,
                             std::function<BlockSizes(std::span<BlockRange const>)> const& sizes_of) {
    REGRAFT_EXPECTS(placement.shape().num_slots == comm_.size());
    comm_.reach(submit_phase.before);
    auto const ranges = gather_ranges(comm_, mine);
    REGRAFT_EXPECTS(num_covered(ranges) == placement.shape().num_blocks);
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
    collect_incoming(submission, next->directory.held(comm_.self()), next->sizes, *spare_, traffic, next->held);
    comm_.reach(submit_phase.inside);
    exchange::all_to_all(comm_, traffic.out, traffic.in, options_.transport);
    if (options_.integrity == Integrity::checked) {
        exchange_checksums(comm_, options_, traffic, next->sizes, next->held);
    }
    comm_.agree(true);
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
