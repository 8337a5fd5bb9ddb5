#include "regraft/store/replicated_store.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "regraft/core/block_parts.hpp"
#include "regraft/core/bytes.hpp"
#include "store/blocks/rows.hpp"
#include "store/replicated/replicated.hpp"
#include "store/together/digest.hpp"
#include "store/together/gather.hpp"
#include "store/together/identity.hpp"

namespace regraft::store {
namespace {

ft::FailPhase submit_phase("submit");

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

/// Calls visit for the blocks that the sender sends to each holder; touching blocks are joined. Includes what it keeps
/// itself, unless that is kept by reference.
template <class Visit>
void visit_outgoing(ft::Communicator const& comm, Submission const& submission, std::size_t sender,
                    placement::Directory const& directory, Visit visit) {
    std::vector<BlockRange> open(comm.size());  // for each member: the piece that may still grow
    auto const keeps_own = submission.own_copy == OwnCopy::referenced;
    directory.visit(submission.ranges[sender], [&](placement::Run const& run) {
        for (auto const holder : run.holders) {
            auto const rank = comm.position(holder);
            if (keeps_own && rank == sender) continue;
            auto& piece = open[rank];
            if (piece.last == run.blocks.first && !piece.empty()) {
                piece.last = run.blocks.last;
                continue;
            }
            if (!piece.empty()) visit(rank, piece);
            piece = run.blocks;
        }
    });
    for (std::size_t rank = 0; rank < open.size(); ++rank) {
        if (!open[rank].empty()) visit(rank, open[rank]);
    }
}

void collect_outgoing(ft::Communicator const& comm, Submission const& submission, placement::Directory const& directory,
                      BlockSizes const& sizes, Traffic& traffic) {
    RowsBuilder<BlockRange> rows(comm.size());
    visit_outgoing(comm, submission, submission.self, directory,
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
        visit_outgoing(comm, submission, sender, directory, [&](std::size_t rank, BlockRange piece) {
            if (rank != sender) transfers.push_back({piece, comm.members()[sender], comm.members()[rank], 0});
        });
    }
    return messages_of(comm, transfers, sizes, integrity);
}

/// The checksums of what is submitted here. Blocks for several holders are read once.
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

/// Blocks that this PE will hold and that one member has.
struct Arrival {
    BlockRange blocks;
    std::size_t rank;
};

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

// In an agreement the silence of the dead counts as consent, and a member that votes against a submit may die before
// it. So it also says so by its blocks: it sends the complement of those of the version before. Every PE that holds
// these sees that, and votes against in its place. If blocks in favour look the same by chance, no harm is done: then
// they are submitted in another way.

/// Whether every member has bytes that another member gets.
bool all_are_heard(Submissions const& all, std::span<exchange::Message const> messages) {
    if (all.ranges.size() == 1) return true;
    std::vector<char> sends(all.ranges.size());
    for (auto const& message : messages) sends[message.sender] = 1;
    for (std::size_t rank = 0; rank < sends.size(); ++rank) {
        if (sends[rank] == 0 || all.sizes.bytes(all.ranges[rank]) == 0) return false;
    }
    return true;
}

std::vector<std::byte> complement(std::span<std::byte const> bytes) {
    std::vector<std::byte> result(bytes.size());
    std::ranges::transform(bytes, result.begin(), [](std::byte byte) { return ~byte; });
    return result;
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

void expect_whole(ft::Communicator const& comm, Submissions const& all, std::span<std::byte const> blocks) {
    REGRAFT_EXPECTS(all.ranges.size() == comm.size());
    REGRAFT_EXPECTS(num_covered(all.ranges) == all.sizes.num_blocks());
    REGRAFT_EXPECTS(blocks.size() == all.sizes.bytes(all.ranges[comm.position(comm.self())]));
}

}  // namespace

ReplicatedStore::ReplicatedStore(ft::Communicator& comm, Options options)
    : impl_(std::make_unique<Impl>(comm, options)) {}
ReplicatedStore::ReplicatedStore(ReplicatedStore&&) noexcept = default;
ReplicatedStore::~ReplicatedStore() = default;

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, std::span<std::byte const> blocks,
                             std::size_t block_bytes) {
    REGRAFT_EXPECTS(blocks.size() == mine.size() * block_bytes);
    impl_->submit(std::move(placement), mine, blocks, block_bytes,
                  [&](std::span<BlockRange const> ranges) { return BlockSizes(num_covered(ranges), block_bytes); });
}

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, CsrView<std::byte> blocks) {
    REGRAFT_EXPECTS(blocks.size() == mine.size());
    REGRAFT_EXPECTS(blocks.size() == 0 ||
                    (blocks.offsets.front() == 0 && blocks.offsets.back() == blocks.values.size()));
    impl_->submit(std::move(placement), mine, blocks.values, various_bytes,
                  [&](std::span<BlockRange const> ranges) { return gather_sizes(impl_->comm, ranges, blocks); });
}

void ReplicatedStore::submit(placement::Any placement, Submissions const& all, std::span<std::byte const> blocks) {
    expect_whole(impl_->comm, all, blocks);
    impl_->comm.reach(submit_phase.before);
    impl_->submit(std::move(placement), all, blocks);
}

bool ReplicatedStore::submit_if(Vote const& vote, placement::Any placement, Submissions const& all,
                                std::span<std::byte const> blocks) {
    expect_whole(impl_->comm, all, blocks);
    impl_->comm.reach(submit_phase.before);
    return impl_->submit(std::move(placement), all, blocks, {}, vote);
}

void ReplicatedStore::Impl::submit(placement::Any placement, BlockRange mine, std::span<std::byte const> bytes,
                                   std::uint64_t block_bytes, SizesOf const& sizes_of, OnDisk from) {
    comm.reach(submit_phase.before);
    Digest alike;
    alike.add(placement).add(block_bytes);
    alike.add(options.transport).add(options.own_copy).add(options.integrity).add(options.most_planned_runs);
    auto const submitters = gather_submitters(comm, mine, identity, alike.value());
    submit(std::move(placement), {submitters.ranges, sizes_of(submitters.ranges)}, bytes, std::move(from));
}

bool ReplicatedStore::Impl::submit(placement::Any placement, Submissions const& all, std::span<std::byte const> bytes,
                                   OnDisk from, std::optional<Vote> const& vote) {
    auto const shape = placement.shape();
    REGRAFT_EXPECTS(shape.num_slots == comm.size() && shape.num_blocks == all.sizes.num_blocks());
    REGRAFT_EXPECTS(idle() && "no load is under way");
    auto next = std::make_unique<Version>();
    auto& [directory, sizes, held, seams, common] = *next;
    sizes = all.sizes;
    Complaint complaint;
    directory = placement::Directory(std::move(placement), {comm.members().begin(), comm.members().end()});
    if (options.own_copy == OwnCopy::referenced) {
        for (std::size_t rank = 0; rank < comm.size(); ++rank) seams.add(all.ranges[rank], comm.members()[rank]);
        seams.prune(directory);
    }

    Submission submission{comm.position(comm.self()), all.ranges, bytes, options.own_copy};
    std::vector<std::byte> against;
    auto const parts = parts_of(directory.held(comm.self()), all.ranges);
    auto const messages = messages_of(comm, submission, directory, sizes, options.integrity);
    if (vote) {
        bool const can_vote = messages && current && current->sizes == sizes && all_are_heard(all, *messages);
        if (!can_vote) return false;
        if (!vote->in_favour) {
            against = complement(bytes);
            submission.bytes = against;
        }
    }
    if (keeping) {
        if (!keeping->begun()) static_cast<void>(keeping->begin(comm, names_of_keep()));
        keeping->retract();  // of a submit that a failure ended
        common = {keeping->next(comm, version + 1), shape.replicas, sizes, attributes};
        if (vote) common.id.alike = vote->alike;
    }
    Traffic traffic;
    collect_outgoing(comm, submission, directory, sizes, traffic);
    collect_incoming(
        submission, parts, sizes, [&](std::uint64_t size) { return take_memory(size, complaint); }, traffic, held);
    std::optional<Seals> seals;
    SubmittedSums sums(submission, sizes);
    if (checked()) seals.emplace(traffic, sizes, std::ref(sums));
    comm.reach(submit_phase.inside);
    for (Resends resends;; resends.add()) {
        exchange::all_to_all(comm, traffic.out, traffic.in, options.transport, messages);
        bool const holds = !seals || seals->hold(traffic, sizes, submission.self);
        if (!vote) {
            if (seals && holds) seals->keep(traffic, sizes, held);
            if (holds) list(*next, complaint);
            if (agree_in_call(comm, call(Function::submit, identity), holds && !complaint)) break;
            if (!keeping) continue;
            keeping->retract();
            if (auto const first = first_complaint(comm, complaint)) throw DiskError(*first);
            continue;
        }
        // As in a load: a member that votes against passes a different number; if all do, each of them knows that
        // itself.
        bool agrees = vote->in_favour && holds && !anybody_against(traffic, submission.self, current->held, sizes);
        if (seals && agrees) seals->keep(traffic, sizes, held);
        if (agrees) list(*next, complaint);
        agrees = agrees && !complaint;
        auto const same = vote->alike + digest_of(call(Function::submit, identity));
        if (comm.agree_equal(agrees ? same : ~same) && agrees) break;
        if (keeping) keeping->retract();
        spare = std::move(held).largest_memory();
        return false;
    }
    if (seals) {
        for (auto const& [blocks, rank] : parts) {
            if (submission.by_reference(rank)) held.set_checksums(blocks, sums(blocks), sizes);
        }
    }
    if (keeping) {
        keeping->agreed(held);
        keeping->settle();
    }
    std::swap(current, next);
    if (next) spare = std::move(next->held).largest_memory();
    ++version;
    identity = next_identity(comm);
    on_disk = std::move(from);
    if (options.own_copy == OwnCopy::copied) on_disk.opened = {};
    comm.reach(submit_phase.after);
    return true;
}

Memory ReplicatedStore::Impl::take_memory(std::uint64_t size, Complaint& complaint) {
    Memory memory = std::move(spare);
    bool const fits = size <= memory.bytes().size() && memory.bytes().size() <= size + size / 8;
    bool const is_right_kind = !keeping || size == 0 || memory.segment();
    if (fits && is_right_kind) {
        if (memory.segment()) memory.segment()->mark(0);
        return memory;
    }
    memory = Memory();  // frees the spare memory before new memory is taken
    if (!keeping) return Memory(size);
    complaint = attempt([&] { memory = keeping->memory(size); });
    return complaint ? Memory(size) : std::move(memory);
}

void ReplicatedStore::Impl::list(Version& listed, Complaint& complaint) {
    if (!keeping || complaint) return;
    complaint = attempt([&] { keeping->write(listed.common, listed.held, listed.sizes, checked()); });
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
    auto const& [directory, sizes, held, seams, common] = *impl_->current;
    auto const bytes = held.find(blocks, sizes);
    std::vector<BlockRange> bad;
    if (impl_->checked() && !bytes.empty()) held.verify(blocks, sizes, bad);
    return bad.empty() ? bytes : std::span<std::byte const>();
}

void ReplicatedStore::visit_holders(BlockRange blocks, std::function<void(placement::Run const&)> const& visit) const {
    REGRAFT_EXPECTS(value(blocks.last) <= num_blocks());
    if (!impl_->current) return;
    impl_->current->directory.retain(impl_->comm.members());
    impl_->current->directory.visit(blocks, visit);
}

void ReplicatedStore::trim() {
    impl_->spare = Memory();
}

std::uint64_t ReplicatedStore::bytes_spare() const {
    return impl_->spare.bytes().size();
}

std::uint64_t ReplicatedStore::bytes_held() const {
    return impl_->current ? impl_->current->held.own_bytes() : 0;
}

}  // namespace regraft::store
