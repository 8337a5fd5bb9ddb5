// Submit: each member sends its blocks to those that will hold them, and all agree on the new version.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "regraft/core/block_parts.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/load/plan.hpp"
#include "store/blocks/rows.hpp"
#include "store/replicated/replicated.hpp"
#include "store/together/delivery.hpp"
#include "store/together/digest.hpp"

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

/// The version that members are about to agree on.
class NextVersion {
public:
    /// Plans which blocks go where. `all` and bytes must outlive this object.
    NextVersion(Replicated& store, placement::Any placement, Submissions const& all, std::span<std::byte const> bytes)
        : store_(store),
          submission_{store.comm.position(store.comm.self()), all.ranges, bytes, store.options.own_copy},
          replicas_(placement.shape().replicas) {
        auto const shape = placement.shape();
        auto const& comm = store.comm;
        REGRAFT_EXPECTS(shape.num_slots == comm.size() && shape.num_blocks == all.sizes.num_blocks());
        REGRAFT_EXPECTS(store.idle() && "no load is under way");
        auto& [directory, sizes, held, seams, common] = *next_;
        sizes = all.sizes;
        directory = placement::Directory(std::move(placement), {comm.members().begin(), comm.members().end()});
        if (submission_.own_copy == OwnCopy::referenced) {
            for (std::size_t rank = 0; rank < comm.size(); ++rank) seams.add(all.ranges[rank], comm.members()[rank]);
            seams.prune(directory);
        }
        parts_ = parts_of(directory.held(comm.self()), all.ranges);
        messages_ = messages_of(comm, submission_, directory, sizes, store.options.integrity);
    }

    /// Whether members can vote on it: each is heard by another, and can send the complement of what it sent before.
    bool can_be_voted_on() const {
        auto const& before = store_.current;
        return messages_ && before && before->sizes == next_->sizes &&
               all_are_heard(submission_.ranges, next_->sizes, *messages_);
    }
    /// Sends these bytes instead.
    void replace(std::span<std::byte const> bytes) { submission_.bytes = bytes; }
    /// Assigns the memory for everything that is sent and received. alike: of the vote. Collective if there are files.
    void prepare(std::uint64_t alike = 0) {
        auto& [directory, sizes, held, seams, common] = *next_;
        if (auto& keeping = store_.keeping) {
            if (!keeping->begun()) static_cast<void>(keeping->begin(store_.comm, store_.names_of_keep()));
            keeping->retract();  // of a submit that a failure ended
            common = {keeping->next(store_.comm, store_.version + 1), replicas_, sizes, store_.attributes};
            common.id.alike = alike;
        }
        collect_outgoing(store_.comm, submission_, directory, sizes, traffic_);
        collect_incoming(
            submission_, parts_, sizes, [&](std::uint64_t size) { return take_memory(size); }, traffic_, held);
        if (store_.checked()) seals_.emplace(traffic_, sizes, std::ref(sums_));
    }
    /// Returns whether everything has arrived as it was sent. Collective, not uniform.
    bool deliver() {
        exchange::all_to_all(store_.comm, traffic_.out, traffic_.in, store_.options.transport, messages_);
        return !seals_ || seals_->hold(traffic_, next_->sizes, submission_.self);
    }
    bool anybody_is_against() const {
        return anybody_against(traffic_, submission_.self, store_.current->held, next_->sizes);
    }
    /// Takes over the checksums and lists the version in files. Returns false if it cannot.
    bool seal() {
        if (seals_) seals_->keep(traffic_, next_->sizes, next_->held);
        store_.list(*next_, complaint_);
        return !complaint_;
    }
    /// The members have not agreed. Throws DiskError if a member has no place for its files. Collective, uniform.
    void retract() {
        if (!store_.keeping) return;
        store_.keeping->retract();
        if (auto const first = first_complaint(store_.comm, complaint_)) throw DiskError(*first);
    }
    /// They never will.
    void discard() {
        if (store_.keeping) store_.keeping->retract();
        store_.spare = std::move(next_->held).largest_memory();
    }
    /// They have agreed: it becomes the present version.
    void adopt(OnDisk from) {
        if (seals_) {
            for (auto const& [blocks, rank] : parts_) {
                if (submission_.by_reference(rank)) next_->held.set_checksums(blocks, sums_(blocks), next_->sizes);
            }
        }
        if (store_.keeping) {
            store_.keeping->agreed(next_->held);
            store_.keeping->settle();
        }
        std::swap(store_.current, next_);
        if (next_) store_.spare = std::move(next_->held).largest_memory();
        ++store_.version;
        store_.identity = next_identity(store_.comm);
        store_.on_disk = std::move(from);
        if (store_.options.own_copy == OwnCopy::copied) store_.on_disk.opened = {};
        store_.comm.reach(submit_phase.after);
    }

private:
    /// The spare memory if it fits; otherwise new memory, and the spare memory is freed.
    Memory take_memory(std::uint64_t size) {
        Memory memory = std::move(store_.spare);
        bool const fits = size <= memory.bytes().size() && memory.bytes().size() <= size + size / 8;
        bool const is_right_kind = !store_.keeping || size == 0 || memory.segment();
        if (fits && is_right_kind) {
            if (memory.segment()) memory.segment()->mark(0);
            return memory;
        }
        memory = Memory();  // frees the spare memory before new memory is taken
        return store_.new_memory(size, complaint_);
    }

    Replicated& store_;
    Submission submission_;
    std::uint32_t replicas_;
    std::unique_ptr<Version> next_ = std::make_unique<Version>();
    std::vector<Arrival> parts_;
    std::optional<std::vector<exchange::Message>> messages_;  // if every member knows all of them
    SubmittedSums sums_{submission_, next_->sizes};
    Traffic traffic_;
    std::optional<Seals> seals_;
    Complaint complaint_;
};

/// Submits what every member knows already. What arrives damaged is sent again.
void submit_all(Replicated& store, placement::Any placement, Submissions const& all, std::span<std::byte const> bytes,
                OnDisk from = {}) {
    NextVersion next(store, std::move(placement), all, bytes);
    next.prepare();
    store.comm.reach(submit_phase.inside);
    for (Resends resends;; resends.add()) {
        bool const holds = next.deliver() && next.seal();
        if (agree_in_call(store.comm, call(Function::submit, store.identity), holds)) break;
        next.retract();
    }
    next.adopt(std::move(from));
}

bool submit_if(Replicated& store, Vote const& vote, placement::Any placement, Submissions const& all,
               std::span<std::byte const> bytes) {
    NextVersion next(store, std::move(placement), all, bytes);
    if (!next.can_be_voted_on()) return false;
    std::vector<std::byte> against;
    if (!vote.in_favour) {
        against = complement(bytes);
        next.replace(against);
    }
    next.prepare(vote.alike);
    store.comm.reach(submit_phase.inside);
    bool const holds = next.deliver();
    bool const agrees = vote.in_favour && holds && !next.anybody_is_against() && next.seal();
    if (agree_alike(store.comm, call(Function::submit, store.identity), agrees, vote.alike)) {
        next.adopt({});
        return true;
    }
    next.discard();
    return false;
}

}  // namespace

void submit(Replicated& store, placement::Any placement, OwnSubmission const& own, OnDisk from) {
    store.comm.reach(submit_phase.before);
    auto const& options = store.options;
    Digest alike;
    alike.add(placement).add(own.block_bytes);
    alike.add(options.transport).add(options.own_copy).add(options.integrity).add(options.most_planned_runs);
    auto const submitters = gather_submitters(store.comm, own.mine, store.identity, alike.value());
    auto const& ranges = submitters.ranges;
    submit_all(store, std::move(placement), {ranges, own.sizes_of(ranges)}, own.bytes, std::move(from));
}

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, std::span<std::byte const> blocks,
                             std::size_t block_bytes) {
    store::submit(*impl_, std::move(placement), blocks_of(mine, blocks, block_bytes));
}

void ReplicatedStore::submit(placement::Any placement, BlockRange mine, CsrView<std::byte> blocks) {
    store::submit(*impl_, std::move(placement), blocks_of(impl_->comm, mine, blocks));
}

void ReplicatedStore::submit(placement::Any placement, Submissions const& all, std::span<std::byte const> blocks) {
    expect_whole(impl_->comm, all, blocks);
    impl_->comm.reach(submit_phase.before);
    submit_all(*impl_, std::move(placement), all, blocks);
}

bool ReplicatedStore::submit_if(Vote const& vote, placement::Any placement, Submissions const& all,
                                std::span<std::byte const> blocks) {
    expect_whole(impl_->comm, all, blocks);
    impl_->comm.reach(submit_phase.before);
    return store::submit_if(*impl_, vote, std::move(placement), all, blocks);
}

}  // namespace regraft::store
