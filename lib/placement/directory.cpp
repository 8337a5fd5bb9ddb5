// A table of the differences from the placement, sorted by blocks; in its gaps the placement holds.
#include "regraft/placement/directory.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/united.hpp"

namespace regraft::placement {
namespace {

/// The union of both, which ascend.
std::vector<BlockRange> merged(std::span<BlockRange const> a, std::span<BlockRange const> b) {
    std::vector<BlockRange> ranges;
    ranges.reserve(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(ranges));
    return united_in_order(std::move(ranges));
}

}  // namespace

Directory::Directory(Any placement, std::vector<PeId> pe_of_slot)
    : placement_(std::move(placement)), shape_(placement_->shape()), pe_of_slot_(std::move(pe_of_slot)) {
    REGRAFT_EXPECTS(pe_of_slot_.size() == shape_.num_slots);
    REGRAFT_EXPECTS(std::adjacent_find(pe_of_slot_.begin(), pe_of_slot_.end(), std::greater_equal<>()) ==
                    pe_of_slot_.end());
    alive_.assign(pe_of_slot_.size(), 1);
    auto const nodes = placement_->nodes();
    if (nodes.empty()) return;
    node_of_.resize(std::size_t{value(pe_of_slot_.back())} + 1);
    for (std::size_t slot = 0; slot < nodes.size(); ++slot) node_of_[value(pe_of_slot_[slot])] = nodes[slot];
}

std::optional<Slot> Directory::living_slot(PeId pe) const {
    auto const found = std::lower_bound(pe_of_slot_.begin(), pe_of_slot_.end(), pe);
    auto const slot = static_cast<std::uint32_t>(found - pe_of_slot_.begin());
    if (found == pe_of_slot_.end() || *found != pe || alive_[slot] == 0) return std::nullopt;
    return Slot{slot};
}

void Directory::living_by_placement(BlockId block, Placed& placed) const {
    placement_->holders(block, placed.slots);
    placed.living.clear();
    for (auto const slot : placed.slots) {
        if (alive_[value(slot)] != 0) placed.living.push_back(pe_of_slot_[value(slot)]);
    }
    std::sort(placed.living.begin(), placed.living.end());
}

bool Directory::as_placed(BlockRange blocks, std::vector<PeId> const& holders, Placed& placed) const {
    for (auto at = blocks.first; at < blocks.last; at = placement_->run(at).last) {
        living_by_placement(at, placed);
        if (placed.living != holders) return false;
    }
    return true;
}

std::vector<std::uint32_t> Directory::living_slots_beside(std::span<PeId const> members) const {
    std::vector<std::uint32_t> slots;
    auto member = members.begin();
    for (std::uint32_t slot = 0; slot < alive_.size(); ++slot) {
        while (member != members.end() && *member < pe_of_slot_[slot]) ++member;
        bool const is_member = member != members.end() && *member == pe_of_slot_[slot];
        if (alive_[slot] != 0 && !is_member) slots.push_back(slot);
    }
    return slots;
}

bool Directory::retains_only(std::span<PeId const> members) const {
    return living_slots_beside(members).empty();
}

void Directory::retain(std::span<PeId const> members) {
    auto const slots = living_slots_beside(members);
    if (slots.empty()) return;
    suspects_ = short_of(replicas());
    std::vector<PeId> dead;
    std::vector<BlockRange> fresh;    // what they held at submission
    std::vector<BlockRange> touched;  // and what repairs gave them
    for (auto const slot : slots) {
        alive_[slot] = 0;
        dead.push_back(pe_of_slot_[slot]);
        auto const held = placement_->held(Slot{slot});
        fresh.insert(fresh.end(), held.begin(), held.end());
        if (auto const added = added_.extract(slot)) {
            auto const& given = added.mapped();
            touched.insert(touched.end(), given.begin(), given.end());
        }
    }
    fresh = united(std::move(fresh));
    touched = merged(united(std::move(touched)), fresh);
    // Of an entry that no death touches, neither the holders nor those of the placement change.
    for (auto const& blocks : touched) forget(dead, blocks);
    of_dead_ = merged(of_dead_, fresh);
    suspects_.insert(suspects_.end(), touched.begin(), touched.end());
}

/// Takes the dead out of the entries that overlap the blocks.
void Directory::forget(std::span<PeId const> dead, BlockRange blocks) {
    Placed placed;
    table_.revise(blocks, [&](BlockRange run, std::vector<PeId>& holders) {
        std::erase_if(holders, [&](PeId pe) { return std::binary_search(dead.begin(), dead.end(), pe); });
        return !as_placed(run, holders, placed);
    });
}

template <class Edit>
void Directory::edit(BlockRange blocks, PeId holder, Edit change) {
    REGRAFT_EXPECTS(blocks.first <= blocks.last && value(blocks.last) <= num_blocks());
    auto const slot = living_slot(holder);
    if (blocks.empty() || !slot) return;
    gained_.resize(alive_.size(), 0);
    std::vector<std::pair<BlockId, HolderTable::Entry>> edited;
    Placed placed;
    visit_parts(blocks, table_.first_after(blocks.first), placed, [&](Run const& run) {
        edited.push_back({run.blocks.first, {run.blocks.last, {run.holders.begin(), run.holders.end()}}});
        auto& holders = edited.back().second.holders;
        change(holders);
        auto const more = static_cast<std::int64_t>(holders.size()) - static_cast<std::int64_t>(run.holders.size());
        gained_[value(*slot)] += more * static_cast<std::int64_t>(run.blocks.size());
    });
    std::erase_if(edited, [&](auto const& entry) {
        return as_placed({entry.first, entry.second.last}, entry.second.holders, placed);
    });
    table_.replace(blocks, std::move(edited));
}

void Directory::add(BlockRange blocks, PeId holder) {
    auto const slot = living_slot(holder);
    REGRAFT_EXPECTS(slot.has_value());
    added_[value(*slot)].push_back(blocks);
    edit(blocks, holder, [&](std::vector<PeId>& holders) {
        auto const place = std::lower_bound(holders.begin(), holders.end(), holder);
        if (place == holders.end() || *place != holder) holders.insert(place, holder);
    });
}

void Directory::remove(BlockRange blocks, PeId holder) {
    edit(blocks, holder, [&](std::vector<PeId>& holders) { std::erase(holders, holder); });
    if (!blocks.empty()) suspects_.push_back(blocks);
}

void Directory::visit(BlockRange blocks, std::function<void(Run const&)> const& visit) const {
    Placed placed;
    std::vector<PeId> holders;
    visit_runs(blocks, table_.first_after(blocks.first), placed, holders, visit);
}

/// Returns the first entry that ends behind blocks. entry: the first that ends behind their begin. placed and holders
/// are memory that is used again.
Directory::At Directory::visit_runs(BlockRange blocks, At entry, Placed& placed, std::vector<PeId>& holders,
                                    Visitor const& visit) const {
    REGRAFT_EXPECTS(blocks.first <= blocks.last && value(blocks.last) <= num_blocks());
    BlockRange open{blocks.first, blocks.first};
    entry = visit_parts(blocks, entry, placed, [&](Run const& part) {
        if (!open.empty() && !std::equal(part.holders.begin(), part.holders.end(), holders.begin(), holders.end())) {
            visit({open, holders});
            open.first = open.last;
        }
        if (open.empty()) holders.assign(part.holders.begin(), part.holders.end());
        open.last = part.blocks.last;
    });
    if (!open.empty()) visit({open, holders});
    return entry;
}

/// Visits parts as the table and the placement divide them; their ends depend on earlier changes.
Directory::At Directory::visit_parts(BlockRange blocks, At entry, Placed& placed, Visitor const& visit) const {
    for (auto at = blocks.first; at != blocks.last;) {
        BlockRange run{at, blocks.last};
        if (entry != table_.entries().end() && entry->first <= at) {
            run.last = std::min(entry->second.last, run.last);
            visit({run, entry->second.holders});
            if (entry->second.last == run.last) ++entry;
        } else {
            if (entry != table_.entries().end()) run.last = std::min(entry->first, run.last);
            run = intersect(run, placement_->run(at));
            living_by_placement(at, placed);
            visit({run, placed.living});
        }
        at = run.last;
    }
    return entry;
}

std::vector<BlockRange> Directory::held(PeId pe) const {
    auto const slot = living_slot(pe);
    if (!slot) return {};
    auto ranges = table_.gaps(placement_->held(*slot));
    for (auto const& [first, entry] : table_.entries()) {
        if (std::binary_search(entry.holders.begin(), entry.holders.end(), pe)) ranges.push_back({first, entry.last});
    }
    return united(std::move(ranges));
}

std::vector<std::uint64_t> Directory::num_held(std::span<PeId const> pes) const {
    std::vector<std::uint64_t> result;
    result.reserve(pes.size());
    std::uint32_t slot = 0;
    for (auto const pe : pes) {
        while (slot < alive_.size() && pe_of_slot_[slot] < pe) ++slot;
        if (slot == alive_.size() || pe_of_slot_[slot] != pe || alive_[slot] == 0) {
            result.push_back(0);
            continue;
        }
        auto const gained = gained_.empty() ? 0 : gained_[slot];
        result.push_back(placement_->num_held(Slot{slot}) + static_cast<std::uint64_t>(gained));
    }
    return result;
}

/// The blocks that dead PEs held and those in the table; all others have the holders of their submission. United.
std::vector<BlockRange> Directory::changed() const {
    std::vector<BlockRange> ranges;
    ranges.reserve(table_.entries().size());
    for (auto const& [first, entry] : table_.entries()) ranges.push_back({first, entry.last});
    return merged(of_dead_, ranges);
}

/// Counts for all blocks except those that changed.
CopyCounts Directory::as_submitted(std::span<BlockRange const> changed) const {
    auto rest = num_blocks();
    for (auto const& range : changed) rest -= range.size();
    if (rest == 0) return {};
    if (placement_->most_copies() == replicas()) return {replicas(), replicas()};
    CopyCounts counts{std::numeric_limits<std::uint32_t>::max(), 0};
    BlockId at{0};
    auto const look_until = [&](BlockId last) {
        for (; at < last; at = std::min(placement_->run(at).last, last)) {
            counts.fewest = std::min(counts.fewest, placement_->num_copies(at));
            counts.most = std::max(counts.most, placement_->num_copies(at));
        }
    };
    for (auto const& range : changed) {
        look_until(range.first);
        at = range.last;
    }
    look_until(BlockId{num_blocks()});
    return counts;
}

/// Whether all blocks were submitted with the same number of copies.
bool Directory::is_even() const {
    return placement_ && placement_->most_copies() == replicas();
}

/// Counts for the blocks with at least `copies` copies that are in the table or did not change. Precondition:
/// is_even(), so that all others are suspects.
CopyCounts Directory::complete(std::uint32_t copies) const {
    std::uint64_t num_changed = 0;  // or more
    for (auto const& range : of_dead_) num_changed += range.size();
    auto const in_table = table_.blocks_by_copies();
    for (auto const number : in_table) num_changed += number;
    auto counts = num_changed < num_blocks() ? CopyCounts{replicas(), replicas()} : as_submitted(changed());
    for (auto here = std::max(copies, 1U); here < in_table.size(); ++here) {
        if (in_table[here] == 0) continue;
        counts.fewest = counts.most == 0 ? here : std::min(counts.fewest, here);
        counts.most = std::max(counts.most, here);
    }
    return counts;
}

/// Blocks that may have fewer than `copies` copies. United.
std::vector<BlockRange> Directory::perhaps_short_of(std::uint32_t copies) const {
    if (copies <= replicas()) return united(suspects_);
    return {{BlockId{0}, BlockId{num_blocks()}}};
}

CopyCounts Directory::visit_short_of(std::uint32_t copies, std::function<void(Run const&)> const& visit_short) const {
    bool const is_more = copies > replicas();
    auto const ranges = is_more || is_even() ? perhaps_short_of(copies) : changed();
    auto counts = is_more || !is_even() ? as_submitted(ranges) : complete(copies);
    Visitor const look = [&](Run const& run) {
        auto const here = static_cast<std::uint32_t>(run.holders.size());
        if (here < copies) {
            visit_short(run);
        } else if (here > 0) {
            counts.fewest = counts.most == 0 ? here : std::min(counts.fewest, here);
            counts.most = std::max(counts.most, here);
        }
    };
    Placed placed;
    std::vector<PeId> holders;
    for (auto const& range : ranges) visit_runs(range, table_.first_after(range.first), placed, holders, look);
    return counts;
}

std::vector<BlockRange> Directory::short_of(std::uint32_t copies) const {
    std::vector<BlockRange> result;
    for (auto const& range : perhaps_short_of(copies)) {
        visit(range, [&](Run const& run) {
            if (run.holders.size() < copies) result.push_back(run.blocks);
        });
    }
    return united(std::move(result));
}

}  // namespace regraft::placement
