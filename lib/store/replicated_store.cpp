#include "regraft/store/replicated_store.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "regraft/core/block_parts.hpp"
#include "regraft/core/bytes.hpp"
#include "store/digest.hpp"
#include "store/gather.hpp"
#include "store/replicated.hpp"
#include "store/rows.hpp"

namespace regraft::store {
namespace {

ft::FailPhase submit_phase("submit");

/// A submit while it is not agreed on.
struct Submission {
    std::size_t self;
    std::span<BlockRange const> ranges;  // of the members
    std::span<std::byte const> bytes;    // of ranges[self]
    OwnCopy own_copy;

    std::span<std::byte const> bytes_of(BlockRange part, BlockSizes const& sizes) const {
        return bytes.subspan(sizes.bytes(BlockRange{ranges[self].first, part.first}), sizes.bytes(part));
    }
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
            if (submission.by_reference(comm.position(holder))) continue;
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
            traffic.out.push_value(submission.bytes_of(blocks, sizes));
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

/// The checksums of what is submitted here. What several holders get is read once.
class SubmittedSums {
public:
    SubmittedSums(Submission const& submission, BlockSizes const& sizes) : submission_(submission), sizes_(sizes) {}
    std::vector<std::uint64_t> operator()(BlockRange blocks) {
        std::vector<std::uint64_t> sums;
        visit_parts(blocks, sizes_, [&](BlockRange part) {
            auto const [known, is_new] = known_.try_emplace(part);
            if (is_new) known->second = hash(submission_.bytes_of(part, sizes_));
            sums.push_back(known->second);
        });
        return sums;
    }

private:
    Submission const& submission_;
    BlockSizes const& sizes_;
    std::map<BlockRange, std::uint64_t> known_;
};

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
        if (submission.by_reference(rank)) {
            held.refer_to(blocks, submission.bytes_of(blocks, sizes).data());
            continue;
        }
        rows.add(rank, blocks);
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
    : impl_(std::make_unique<Impl>(comm, options)) {}
ReplicatedStore::ReplicatedStore(ReplicatedStore&&) noexcept = default;
ReplicatedStore::~ReplicatedStore() = default;

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, std::span<std::byte const> blocks,
                             std::size_t block_bytes) {
    REGRAFT_EXPECTS(blocks.size() == mine.size() * block_bytes);
    auto const num_blocks = placement.shape().num_blocks;
    impl_->submit(std::move(placement), mine, blocks, block_bytes,
                  [&](std::span<BlockRange const>) { return BlockSizes(num_blocks, block_bytes); });
}

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, CsrView<std::byte> blocks) {
    REGRAFT_EXPECTS(blocks.size() == mine.size());
    REGRAFT_EXPECTS(blocks.size() == 0 ||
                    (blocks.offsets.front() == 0 && blocks.offsets.back() == blocks.values.size()));
    impl_->submit(std::move(placement), mine, blocks.values, various_bytes,
                  [&](std::span<BlockRange const> ranges) { return gather_sizes(impl_->comm, ranges, blocks); });
}

void ReplicatedStore::Impl::submit(placement::Any placement, BlockRange mine, std::span<std::byte const> bytes,
                                   std::uint64_t block_bytes, SizesOf const& sizes_of, OnDisk from) {
    REGRAFT_EXPECTS(placement.shape().num_slots == comm.size());
    REGRAFT_EXPECTS(idle() && "no load is under way");
    comm.reach(submit_phase.before);
    Digest alike;
    alike.add(placement).add(block_bytes);
    alike.add(options.transport).add(options.own_copy).add(options.integrity).add(options.most_planned_runs);
    auto const submitters = gather_submitters(comm, mine, alike.value());
    auto const& ranges = submitters.ranges;
    REGRAFT_EXPECTS(submitters.num_blocks == placement.shape().num_blocks);
    auto next = std::make_unique<Version>();
    auto& [directory, sizes, held, seams] = *next;
    sizes = sizes_of(ranges);
    directory = placement::Directory(std::move(placement), {comm.members().begin(), comm.members().end()});
    if (options.own_copy == OwnCopy::referenced) {
        for (std::size_t rank = 0; rank < ranges.size(); ++rank) seams.add(ranges[rank], comm.members()[rank]);
        seams.prune(directory);
    }

    Submission const submission{comm.position(comm.self()), ranges, bytes, options.own_copy};
    auto const parts = parts_of(directory.held(comm.self()), ranges);
    Traffic traffic;
    collect_outgoing(comm, submission, directory, sizes, traffic);
    collect_incoming(submission, parts, sizes, spare, traffic, held);
    std::optional<Seals> seals;
    SubmittedSums sums(submission, sizes);
    if (checked()) seals.emplace(traffic, sizes, std::ref(sums));
    comm.reach(submit_phase.inside);
    for (Resends resends;; resends.add()) {
        exchange::all_to_all(comm, traffic.out, traffic.in, options.transport);
        if (comm.agree(!seals || seals->hold(traffic, sizes, submission.self))) break;
    }
    if (seals) {
        seals->keep(traffic, sizes, held);
        for (auto const& [blocks, rank] : parts) {
            if (submission.by_reference(rank)) held.set_checksums(blocks, sums(blocks), sizes);
        }
    }
    std::swap(current, next);
    if (next) spare = std::move(next->held).largest_memory();
    ++version;
    on_disk = std::move(from);
    if (options.own_copy == OwnCopy::copied) on_disk.opened = {};
    comm.reach(submit_phase.after);
}

RepairReport ReplicatedStore::repair(RepairOptions const& options) {
    return impl_->repair(options);
}

BlockSizes const& ReplicatedStore::sizes() const {
    static BlockSizes const none;
    return impl_->current ? impl_->current->sizes : none;
}

std::uint64_t ReplicatedStore::version() const {
    return impl_->version;
}

std::span<std::byte const> ReplicatedStore::held(BlockRange blocks) const {
    REGRAFT_EXPECTS(value(blocks.last) <= num_blocks());
    if (!impl_->current) return {};
    auto const& [directory, sizes, held, seams] = *impl_->current;
    auto const bytes = held.find(blocks, sizes);
    std::vector<BlockRange> bad;
    if (impl_->checked() && !bytes.empty()) held.verify(blocks, sizes, bad);
    return bad.empty() ? bytes : std::span<std::byte const>();
}

void ReplicatedStore::trim() {
    impl_->spare = Memory();
}

std::uint64_t ReplicatedStore::bytes_held() const {
    return impl_->current ? impl_->current->held.own_bytes() : 0;
}

}  // namespace regraft::store
