// Update: members give blocks that have changed to those that hold them, and all agree on the new version. Private
// memory is overwritten when they have agreed; in files the new version is a copy beside the one before.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "exchange/exchange.hpp"
#include "regraft/core/united.hpp"
#include "store/blocks/rows.hpp"
#include "store/replicated/outgoing.hpp"
#include "store/replicated/replicated.hpp"
#include "store/together/delivery.hpp"

namespace regraft::store {
namespace {

ft::FailPhase update_phase("update");
ft::FailPoint delivered_point("update:delivered");  // everything has arrived, and nothing is agreed on

/// What one member gives: bytes of ranges that do not touch, one behind the other.
class Given {
public:
    Given(std::span<BlockRange const> ranges, std::span<std::byte const> bytes, BlockSizes const& sizes)
        : sizes_(sizes), ranges_(united_in_order<BlockId>({ranges.begin(), ranges.end()})), bytes_(bytes) {
        std::uint64_t begin = 0;
        for (auto const& range : ranges_) {
            begins_.push_back(begin);
            begin += sizes.bytes(range);
        }
        REGRAFT_EXPECTS(begin == bytes.size() && "as many bytes as the changed blocks have");
    }
    std::span<BlockRange const> ranges() const { return ranges_; }
    /// Precondition: the blocks are in one range.
    std::span<std::byte const> bytes_of(BlockRange blocks) const {
        auto const behind = std::ranges::upper_bound(ranges_, blocks.first, {}, &BlockRange::first);
        auto const i = static_cast<std::size_t>(behind - ranges_.begin()) - 1;
        return bytes_.subspan(begins_[i] + sizes_.bytes(BlockRange{ranges_[i].first, blocks.first}),
                              sizes_.bytes(blocks));
    }

private:
    BlockSizes const& sizes_;
    std::vector<BlockRange> ranges_;
    std::vector<std::uint64_t> begins_;  // by range
    std::span<std::byte const> bytes_;
};

/// The ranges that each member gives. Collective, not uniform.
Csr<BlockRange> gather_given(ft::Communicator& comm, std::uint64_t identity, std::span<BlockRange const> mine) {
    std::vector words{call(Function::update, identity)};
    for (auto const& range : mine) words.insert(words.end(), {value(range.first), value(range.last)});
    auto const rows = exchange::all_gather(comm, words);
    expect_same_call(comm, rows);
    Csr<BlockRange> given;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        auto const row = rows[rank];
        for (std::size_t i = 1; i + 1 < row.size(); i += 2) given.push_value({BlockId{row[i]}, BlockId{row[i + 1]}});
        given.end_row();
    }
    auto sorted = given.values;
    std::ranges::sort(sorted);
    auto const overlap = [](BlockRange const& before, BlockRange const& after) { return after.first < before.last; };
    REGRAFT_EXPECTS(std::ranges::adjacent_find(sorted, overlap) == sorted.end() &&
                    "no two members give the same block");
    return given;
}

/// An update that is not yet agreed on.
class Update {
public:
    Update(Replicated& store, Given const& mine, Csr<BlockRange> given);

    /// Returns whether everything has arrived as it was sent, and is in files if there are any. Collective, not
    /// uniform.
    bool deliver();
    /// The members have not agreed. Throws DiskError if a member has no place for its files. Collective, uniform.
    void retract();
    /// They have agreed: it becomes the present version.
    UpdateReport adopt();

private:
    void plan();
    void find_lost();
    void fill(HeldBlocks& held, std::span<std::byte> room) const;
    std::uint64_t bytes_regained() const;

    Replicated& store_;
    Version& current_ = *store_.current;
    std::size_t self_ = store_.comm.position(store_.comm.self());
    Given const& mine_;
    Csr<BlockRange> given_;  // by member
    Common common_;
    KnownSums sums_{[this](BlockRange part) { return mine_.bytes_of(part); }, current_.sizes};

    Traffic traffic_;
    Memory arrived_;                                        // what others give
    std::vector<NewBytes> changes_;                         // of blocks that this PE holds: ascending
    std::vector<std::pair<std::size_t, BlockRange>> lost_;  // blocks that nobody holds, and the members that give them
    std::optional<std::vector<exchange::Message>> messages_;  // if every member knows all of them
    std::optional<Seals> seals_;
    Memory regained_;      // for lost blocks, unless they are in files; taken before the members agree
    HeldBlocks in_files_;  // the new version, if it is in files
    Complaint complaint_;
    UpdateReport report_;
};

Update::Update(Replicated& store, Given const& mine, Csr<BlockRange> given)
    : store_(store), mine_(mine), given_(std::move(given)) {
    auto& [directory, sizes, held, seams, common] = current_;
    directory.retain(store.comm.members());
    held.copy_references(sizes);
    common_ = store.next_common(common.replicas, sizes, 0);
    find_lost();
    if (!store.keeping) regained_ = Memory(bytes_regained());
    plan();
    if (store.checked()) seals_.emplace(traffic_, sizes, std::ref(sums_));
}

void Update::find_lost() {
    auto const lost = current_.directory.short_of(1);
    if (lost.empty()) return;
    for (std::size_t rank = 0; rank < given_.size(); ++rank) {
        for (auto const& range : CsrView<BlockRange>(given_)[rank]) {
            auto at = std::ranges::partition_point(lost, [&](auto const& each) { return each.last <= range.first; });
            for (; at != lost.end() && at->first < range.last; ++at) lost_.emplace_back(rank, intersect(*at, range));
        }
    }
    for (auto const& [rank, blocks] : lost_) report_.regained.push_back(blocks);
    report_.regained = united(std::move(report_.regained));
}

/// Decides what goes where. Each PE looks at what all give, so that it knows what it gets.
void Update::plan() {
    constexpr std::size_t most_known = 4096;  // the members ask each other sooner than they list more pieces
    auto const& comm = store_.comm;
    auto const& sizes = current_.sizes;
    RowsBuilder<BlockRange> blocks_out(comm.size()), blocks_in(comm.size());
    RowsBuilder<std::span<std::byte const>> out(comm.size());
    std::vector<schedule::RangeTransfer> transfers;
    std::uint64_t arriving = 0;
    for (std::size_t sender = 0; sender < comm.size(); ++sender) {
        auto const given = CsrView<BlockRange>(given_)[sender];
        for (auto const& range : given) {
            report_.blocks_changed += range.size();
            report_.bytes_changed += sizes.bytes(range);
        }
        visit_outgoing(comm, current_.directory, sender, given, [&](std::size_t receiver, BlockRange blocks) {
            if (sender == receiver) {
                if (sender == self_) changes_.push_back({blocks, mine_.bytes_of(blocks)});
                return;
            }
            report_.bytes_moved += sizes.bytes(blocks);
            if (transfers.size() <= most_known) {
                transfers.push_back({blocks, comm.members()[sender], comm.members()[receiver], 0});
            }
            if (sender == self_) {
                blocks_out.add(receiver, blocks);
                out.add(receiver, mine_.bytes_of(blocks));
            } else if (receiver == self_) {
                blocks_in.add(sender, blocks);
                arriving += sizes.bytes(blocks);
            }
        });
    }
    if (transfers.size() <= most_known) messages_ = messages_of(comm, transfers, sizes, store_.options.integrity);
    traffic_ = {blocks_out.rows(), blocks_in.rows(), out.rows(), {}};
    arrived_ = Memory(arriving);
    auto rest = arrived_.bytes();
    for (std::size_t sender = 0; sender < comm.size(); ++sender) {
        for (auto const& blocks : traffic_.blocks_in[sender]) {
            auto const place = rest.first(sizes.bytes(blocks));
            rest = rest.subspan(place.size());
            traffic_.in.push_value(place);
            changes_.push_back({blocks, place});
        }
        traffic_.in.end_row();
    }
    std::ranges::sort(changes_, {}, [](NewBytes const& each) { return each.blocks.first; });
}

std::uint64_t Update::bytes_regained() const {
    std::uint64_t bytes = 0;
    for (auto const& [rank, blocks] : lost_) bytes += rank == self_ ? current_.sizes.bytes(blocks) : 0;
    return bytes;
}

/// Writes what has changed. room: for what this PE has not held before.
void Update::fill(HeldBlocks& held, std::span<std::byte> room) const {
    auto const& sizes = current_.sizes;
    for (auto const& [rank, blocks] : lost_) {
        if (rank != self_) continue;
        held.add(blocks, room.data(), sizes);
        room = room.subspan(sizes.bytes(blocks));
    }
    held.write(changes_, sizes);
    if (!store_.checked()) return;
    for (auto const& [rank, blocks] : lost_) {
        if (rank == self_) held.renew_checksums(blocks, sizes);
    }
}

bool Update::deliver() {
    exchange::all_to_all(store_.comm, traffic_.out, traffic_.in, store_.options.transport, messages_);
    if (seals_ && !seals_->hold(traffic_, current_.sizes)) return false;
    if (!store_.keeping) return true;
    auto const before = current_.held.own_bytes();
    auto memory = store_.take_memory(before + bytes_regained(), complaint_).memory;
    store_.stale.clear();
    auto const room = memory.bytes().subspan(before);
    in_files_ = current_.held.copied(std::move(memory), current_.sizes);
    fill(in_files_, room);
    store_.list(common_, in_files_, complaint_);
    return !complaint_;
}

void Update::retract() {
    auto memory = std::exchange(in_files_, {}).largest_memory();
    if (!memory.bytes().empty()) store_.spare = std::move(memory);
    store_.retract(complaint_);
}

UpdateReport Update::adopt() {
    auto& [directory, sizes, held, seams, common] = current_;
    if (store_.keeping) {
        store_.settle(in_files_);
        std::swap(held, in_files_);
        store_.spare = std::move(in_files_).largest_memory();
        common = std::move(common_);
    } else {
        fill(held, regained_.bytes());
        if (!regained_.bytes().empty()) held.own(std::move(regained_));
    }
    for (auto const& [rank, blocks] : lost_) {
        directory.add(blocks, store_.comm.members()[rank]);
        seams.add(blocks, store_.comm.members()[rank]);
    }
    if (!lost_.empty()) {
        seams.prune(directory);
        store_.layout = 0;
    }
    store_.stale.clear();
    ++store_.version;
    store_.identity = next_identity(store_.comm);
    store_.on_disk = {};
    return std::move(report_);
}

}  // namespace

UpdateReport ReplicatedStore::update(std::span<BlockRange const> changed, std::span<std::byte const> bytes) {
    auto& store = *impl_;
    REGRAFT_EXPECTS(store.current && "something was submitted");
    REGRAFT_EXPECTS(store.idle() && "no load is under way");
    BlockId behind{0};
    for (auto const& range : changed) {
        REGRAFT_EXPECTS(behind <= range.first && range.first <= range.last && "changed ranges ascend");
        behind = range.last;
    }
    REGRAFT_EXPECTS(value(behind) <= num_blocks());
    Given const mine(changed, bytes, sizes());
    store.comm.reach(update_phase.before);
    Update update(store, mine, gather_given(store.comm, store.identity, mine.ranges()));
    store.comm.reach(update_phase.inside);
    for (Resends resends;; resends.add()) {
        bool const holds = update.deliver();
        store.comm.reach(delivered_point);
        if (agree_in_call(store.comm, call(Function::update, store.identity), holds)) break;
        update.retract();
    }
    auto report = update.adopt();
    store.comm.reach(update_phase.after);
    return report;
}

}  // namespace regraft::store
