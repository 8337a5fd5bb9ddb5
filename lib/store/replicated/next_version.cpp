#include "store/replicated/next_version.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "regraft/core/block_parts.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/load/plan.hpp"
#include "store/blocks/rows.hpp"
#include "store/replicated/outgoing.hpp"
#include "store/together/digest.hpp"

namespace regraft::store {
namespace {

/// Calls visit for the blocks that the sender sends to each holder. Includes what it keeps itself, unless that is kept
/// by reference.
template <class Visit>
void visit_submitted(ft::Communicator const& comm, Submission const& submission, std::size_t sender,
                     placement::Directory const& directory, Visit visit) {
    auto const keeps_own = submission.own_copy == OwnCopy::referenced;
    visit_outgoing(comm, directory, sender, submission.ranges.subspan(sender, 1),
                   [&](std::size_t rank, BlockRange piece) {
                       if (!keeps_own || rank != sender) visit(rank, piece);
                   });
}

void collect_outgoing(ft::Communicator const& comm, Submission const& submission, placement::Directory const& directory,
                      BlockSizes const& sizes, Traffic& traffic) {
    RowsBuilder<BlockRange> rows(comm.size());
    visit_submitted(comm, submission, submission.self, directory,
                    [&](std::size_t rank, BlockRange piece) { rows.add(rank, piece); });
    traffic.blocks_out = rows.rows();
    for (std::size_t rank = 0; rank < comm.size(); ++rank) {
        for (auto const& blocks : traffic.blocks_out[rank]) {
            traffic.out.push_value(submission.bytes_of(blocks, sizes));
        }
        traffic.out.end_row();
    }
}

/// The messages of all members, if looking at all runs finds them faster than asking would.
std::optional<std::vector<exchange::Message>> messages_of(ft::Communicator const& comm, Submission const& submission,
                                                          placement::Directory const& directory,
                                                          BlockSizes const& sizes, Integrity integrity) {
    constexpr std::uint64_t most_runs = 4096;  // looking at one run takes 0.1 us, asking all members 0.1 ms and more
    Csr<BlockRange> by_pe;
    for (std::size_t rank = 0; rank < comm.size(); ++rank) {
        while (by_pe.size() < value(comm.members()[rank])) by_pe.end_row();
        by_pe.push_row(submission.ranges.subspan(rank, 1));
    }
    if (load::wants_more_runs(directory, comm.members(), by_pe, most_runs)) return {};
    std::vector<schedule::RangeTransfer> transfers;
    for (std::size_t sender = 0; sender < comm.size(); ++sender) {
        visit_submitted(comm, submission, sender, directory, [&](std::size_t rank, BlockRange piece) {
            if (rank != sender) transfers.push_back({piece, comm.members()[sender], comm.members()[rank], 0});
        });
    }
    return messages_of(comm, transfers, sizes, integrity);
}

/// The parts in the order of the blocks.
std::vector<Arrival> parts_of(std::span<BlockRange const> held_ranges, std::span<BlockRange const> ranges) {
    std::vector<std::size_t> by_first;
    for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
        if (!ranges[rank].empty()) by_first.push_back(rank);
    }
    std::sort(by_first.begin(), by_first.end(), [&](auto a, auto b) { return ranges[a].first < ranges[b].first; });
    std::vector<Arrival> parts;
    for (auto const& held : held_ranges) {
        auto at = std::partition_point(by_first.begin(), by_first.end(),
                                       [&](auto rank) { return ranges[rank].last <= held.first; });
        for (; at != by_first.end() && ranges[*at].first < held.last; ++at) {
            parts.push_back({intersect(held, ranges[*at]), *at});
        }
    }
    return parts;
}

/// Lays out the blocks that this PE will hold in memory in their order, so that what one member sends lies in one
/// piece.
void collect_incoming(Submission const& submission, std::span<Arrival const> parts, BlockSizes const& sizes,
                      std::function<Memory(std::uint64_t)> const& memory_of, Traffic& traffic, HeldBlocks& held) {
    std::uint64_t total = 0;
    for (auto const& [blocks, rank] : parts) total += submission.by_reference(rank) ? 0 : sizes.bytes(blocks);
    auto memory = memory_of(total);
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

/// Whether every member has bytes that another member gets.
bool all_are_heard(std::span<BlockRange const> ranges, BlockSizes const& sizes,
                   std::span<exchange::Message const> messages) {
    if (ranges.size() == 1) return true;
    std::vector<char> sends(ranges.size());
    for (auto const& message : messages) sends[message.sender] = 1;
    for (std::size_t rank = 0; rank < sends.size(); ++rank) {
        if (sends[rank] == 0 || sizes.bytes(ranges[rank]) == 0) return false;
    }
    return true;
}

/// Mostly O(members), because the first bytes decide.
bool anybody_against(Traffic const& traffic, std::size_t self, HeldBlocks const& before, BlockSizes const& sizes) {
    for (std::size_t rank = 0; rank < traffic.in.size(); ++rank) {
        if (rank == self) continue;
        bool against = !traffic.blocks_in[rank].empty();
        for (std::size_t i = 0; i < traffic.blocks_in[rank].size() && against; ++i) {
            auto const old = before.find(traffic.blocks_in[rank][i], sizes);
            auto const now = traffic.in[rank][i];
            against = old.size() != now.size() || std::ranges::equal(old, now, [](auto a, auto b) { return a == ~b; });
        }
        if (against) return true;
    }
    return false;
}

/// The same for submits that put the same blocks of the same members in the same places.
std::uint64_t layout_of(ft::Communicator const& comm, std::uint64_t placement, std::span<BlockRange const> ranges) {
    Digest digest;
    digest.add(placement).add(hash(std::as_bytes(comm.members()))).add(hash(std::as_bytes(ranges)));
    return digest.value() | 1;  // 0: holders have changed
}

}  // namespace

NextVersion::NextVersion(Replicated& store, placement::Any placement, Submissions const& all,
                         std::span<std::byte const> bytes)
    : store_(store),
      submission_{store.comm.position(store.comm.self()), all.ranges, bytes, store.options.own_copy},
      replicas_(placement.shape().replicas) {
    auto const shape = placement.shape();
    auto const& comm = store.comm;
    REGRAFT_EXPECTS(shape.num_slots == comm.size() && shape.num_blocks == all.sizes.num_blocks());
    REGRAFT_EXPECTS(store.idle() && "no load is under way");
    auto& [directory, sizes, held, seams, common] = *next_;
    sizes = all.sizes;
    auto const placement_digest = Digest().add(placement).value();
    directory = placement::Directory(std::move(placement), {comm.members().begin(), comm.members().end()});
    if (submission_.own_copy == OwnCopy::referenced) {
        for (std::size_t rank = 0; rank < comm.size(); ++rank) seams.add(all.ranges[rank], comm.members()[rank]);
        seams.prune(directory);
    }
    parts_ = parts_of(directory.held(comm.self()), all.ranges);
    messages_ = messages_of(comm, submission_, directory, sizes, store.options.integrity);
    layout_ = layout_of(comm, placement_digest, all.ranges);
}

bool NextVersion::can_be_voted_on() const {
    auto const& before = store_.current;
    return messages_ && before && before->sizes == next_->sizes &&
           all_are_heard(submission_.ranges, next_->sizes, *messages_);
}

bool NextVersion::can_be_patched() const {
    if (!can_be_voted_on() || store_.layout != layout_) return false;
    // Every holder of a member's blocks has all of them, so that it understands what the member tells.
    return std::ranges::all_of(submission_.ranges, [&](BlockRange blocks) {
        std::size_t runs = 0;
        next_->directory.visit(blocks, [&](placement::Run const&) { ++runs; });
        return runs <= 1;
    });
}

void NextVersion::prepare(std::uint64_t alike) {
    auto& [directory, sizes, held, seams, common] = *next_;
    common = store_.next_common(replicas_, sizes, alike);
    collect_outgoing(store_.comm, submission_, directory, sizes, traffic_);
    collect_incoming(
        submission_, parts_, sizes, [&](std::uint64_t size) { return take_memory(size); }, traffic_, held);
}

bool NextVersion::deliver() {
    if (store_.checked() && !seals_) seals_.emplace(traffic_, next_->sizes, std::ref(sums_));
    exchange::all_to_all(store_.comm, traffic_.out, traffic_.in, store_.options.transport, messages_);
    return !seals_ || seals_->hold(traffic_, next_->sizes, submission_.self);
}

bool NextVersion::deliver(Changes const& changes, bool in_favour) {
    auto& comm = store_.comm;
    auto const& sizes = next_->sizes;
    Tellers tellers;
    for (auto const& range : submission_.ranges) tellers.chunks.push_back({sizes.bytes(range), changes.chunk_bytes});
    for (std::size_t rank = 0; rank < comm.size(); ++rank) {
        if (!traffic_.out[rank].empty()) tellers.to.push_back(rank);
        if (!traffic_.in[rank].empty()) tellers.from.push_back(rank);
    }
    tellers.messages = *messages_;
    auto const& mine = tellers.chunks[submission_.self];
    Words changed(changes.chunks.begin(), changes.chunks.end());
    REGRAFT_EXPECTS(changed.size() == mine.num_words() && "a bit for each chunk");
    mine.trim(changed);
    if (!in_favour) std::ranges::fill(changed, 0);

    if (store_.stale_chunk_bytes != changes.chunk_bytes) stale_.clear();
    store_.stale_chunk_bytes = changes.chunk_bytes;
    patch_.emplace(Patch{tellers.chunks, tell(comm, store_.options.transport, tellers, changed, in_favour)});
    changed_ = total_of(comm, mine, changed);
    fill_from_current();
    patch_->told.changed[submission_.self] = std::move(changed);
    return move_changes() && !patch_->told.anybody_is_against;
}

/// What has not changed comes from the current version. Where the memory has it already, nothing is copied.
void NextVersion::fill_from_current() {
    for (std::size_t rank = 0; rank < traffic_.in.size(); ++rank) {
        if (traffic_.in[rank].empty()) continue;
        auto const now = traffic_.in[rank].front();
        auto const before = store_.current->held.at(submission_.ranges[rank], next_->sizes);
        auto missing = patch_->told.changed[rank];
        for (std::size_t i = 0; i < missing.size(); ++i) {
            missing[i] = ~missing[i] & (stale_.empty() ? ~std::uint64_t{0} : stale_[rank][i]);
        }
        patch_->chunks[rank].visit(missing, [&](std::uint64_t begin, std::uint64_t size) {
            std::memcpy(now.data() + begin, before.data() + begin, size);
        });
    }
}

/// The parts (visit_parts) of a member's blocks in which something has changed.
std::vector<BlockRange> NextVersion::changed_parts(std::size_t rank) const {
    std::vector<BlockRange> parts;
    auto const& sizes = next_->sizes;
    auto const range = submission_.ranges[rank];
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;  // begin and end
    patch_->chunks[rank].visit(patch_->told.changed[rank], [&](std::uint64_t begin, std::uint64_t size) {
        runs.emplace_back(begin, begin + size);
    });
    auto run = runs.begin();
    visit_parts(range, sizes, [&](BlockRange part) {
        auto const begin = sizes.bytes(BlockRange{range.first, part.first}), end = begin + sizes.bytes(part);
        while (run != runs.end() && run->second <= begin) ++run;
        if (run != runs.end() && run->first < end) parts.push_back(part);
    });
    return parts;
}

/// The places of what has changed in a member's bytes.
template <class Byte>
std::vector<std::span<Byte>> NextVersion::Patch::runs(std::size_t rank, std::span<Byte> bytes) const {
    std::vector<std::span<Byte>> result;
    chunks[rank].visit(told.changed[rank],
                       [&](std::uint64_t begin, std::uint64_t size) { result.push_back(bytes.subspan(begin, size)); });
    return result;
}

/// Sends and receives what has changed, with the checksums of all parts in which something has.
bool NextVersion::move_changes() {
    auto const self = submission_.self;
    auto const out = patch_->runs(self, submission_.bytes);
    auto const own_parts = store_.checked() ? changed_parts(self) : std::vector<BlockRange>{};
    if (store_.checked()) carry_over_checksums(own_parts);
    Traffic moved;
    for (std::size_t rank = 0; rank < traffic_.in.size(); ++rank) {
        if (!traffic_.out[rank].empty()) {
            for (auto const& run : out) moved.out.push_value(run);
            for (auto const& part : own_parts) moved.blocks_out.push_value(part);
        }
        if (!traffic_.in[rank].empty()) {
            for (auto const& run : patch_->runs(rank, traffic_.in[rank].front())) moved.in.push_value(run);
            if (store_.checked()) {
                for (auto const& part : changed_parts(rank)) moved.blocks_in.push_value(part);
            }
        }
        moved.out.end_row();
        moved.in.end_row();
        moved.blocks_out.end_row();
        moved.blocks_in.end_row();
    }
    if (store_.checked()) seals_.emplace(moved, next_->sizes, std::ref(sums_));
    exchange::all_to_all(store_.comm, moved.out, moved.in, store_.options.transport);
    return holds_as_a_whole(std::move(moved.blocks_in));
}

/// The checksums are those of whole parts, so what did not travel is looked at, too.
bool NextVersion::holds_as_a_whole(Csr<BlockRange> changed_parts) {
    if (!seals_) return true;
    Csr<std::span<std::byte>> whole;
    for (std::size_t rank = 0; rank < traffic_.in.size(); ++rank) {
        for (auto const& part : CsrView<BlockRange>(changed_parts)[rank]) {
            whole.push_value(next_->held.find_own(part, next_->sizes));
        }
        whole.end_row();
    }
    traffic_.blocks_in = std::move(changed_parts);
    traffic_.in = std::move(whole);
    return seals_->hold(traffic_, next_->sizes, submission_.self);
}

/// Parts that have not changed keep their checksums.
void NextVersion::carry_over_checksums(std::span<BlockRange const> changed_own_parts) {
    auto const own = submission_.ranges[submission_.self];
    store_.current->held.visit_checksums([&](BlockRange blocks, std::uint64_t sum) {
        next_->held.set_checksum(blocks, sum);
        bool const is_own = own.first <= blocks.first && blocks.last <= own.last;
        if (is_own && !std::ranges::binary_search(changed_own_parts, blocks)) sums_.know(blocks, sum);
    });
}

bool NextVersion::anybody_is_against() const {
    return anybody_against(traffic_, submission_.self, store_.current->held, next_->sizes);
}

bool NextVersion::seal() {
    if (seals_) seals_->keep(traffic_, next_->sizes, next_->held);
    store_.list(next_->common, next_->held, complaint_);
    return !complaint_;
}

void NextVersion::retract() {
    store_.retract(complaint_);
}

void NextVersion::discard() {
    if (store_.keeping) store_.keeping->retract();
    store_.spare = std::move(next_->held).largest_memory();
    store_.stale.clear();
}

void NextVersion::adopt(OnDisk from) {
    if (seals_) {
        for (auto const& [blocks, rank] : parts_) {
            if (submission_.by_reference(rank)) next_->held.set_checksums(blocks, sums_(blocks), next_->sizes);
        }
    }
    store_.settle(next_->held);
    std::swap(store_.current, next_);
    if (next_) store_.spare = std::move(next_->held).largest_memory();
    store_.layout = layout_;
    store_.stale = patch_ ? std::move(patch_->told.changed) : std::vector<Words>{};
    ++store_.version;
    store_.identity = next_identity(store_.comm);
    store_.on_disk = std::move(from);
    if (store_.options.own_copy == OwnCopy::copied) store_.on_disk.opened = {};
}

Memory NextVersion::take_memory(std::uint64_t size) {
    stale_ = std::exchange(store_.stale, {});
    auto [memory, is_spare] = store_.take_memory(size, complaint_);
    if (!is_spare) stale_.clear();
    return std::move(memory);
}

}  // namespace regraft::store
