// A table of what differs from the placement, sorted by blocks; the gaps in it are as the placement says.
#include "regraft/placement/directory.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/united.hpp"

namespace regraft::placement {
Directory::Directory(Any placement, std::vector<PeId> pe_of_slot)
    : placement_(std::move(placement)), shape_(placement_->shape()), pe_of_slot_(std::move(pe_of_slot)) {
    REGRAFT_EXPECTS(pe_of_slot_.size() == shape_.num_slots);
    REGRAFT_EXPECTS(std::adjacent_find(pe_of_slot_.begin(), pe_of_slot_.end(), std::greater_equal<>()) ==
                    pe_of_slot_.end());
    alive_.assign(pe_of_slot_.size(), 1);
}

std::optional<Slot> Directory::living_slot(PeId pe) const {
    auto const found = std::lower_bound(pe_of_slot_.begin(), pe_of_slot_.end(), pe);
    auto const slot = static_cast<std::uint32_t>(found - pe_of_slot_.begin());
    if (found == pe_of_slot_.end() || *found != pe || alive_[slot] == 0) return std::nullopt;
    return Slot{slot};
}

void Directory::living_by_placement(BlockId block, std::vector<PeId>& holders) const {
    holders.clear();
    auto const copies = placement_->num_copies(block);
    for (std::uint32_t copy = 0; copy < copies; ++copy) {
        auto const slot = value(placement_->holder(block, copy));
        if (alive_[slot] != 0) holders.push_back(pe_of_slot_[slot]);
    }
    std::sort(holders.begin(), holders.end());
}

bool Directory::as_placed(BlockRange blocks, std::vector<PeId> const& holders) const {
    std::vector<PeId> placed;
    for (auto at = blocks.first; at < blocks.last; at = placement_->run(at).last) {
        living_by_placement(at, placed);
        if (placed != holders) return false;
    }
    return true;
}

Directory::Table::const_iterator Directory::first_after(BlockId block) const {
    auto entry = table_.upper_bound(block);
    if (entry != table_.begin() && block < std::prev(entry)->second.last) --entry;
    return entry;
}

void Directory::retain(std::span<PeId const> members) {
    for (std::size_t slot = 0; slot < alive_.size(); ++slot) {
        if (!std::binary_search(members.begin(), members.end(), pe_of_slot_[slot])) alive_[slot] = 0;
    }
    Table kept;
    for (auto& [first, entry] : table_) {
        std::erase_if(entry.holders, [&](PeId pe) { return !living_slot(pe); });
        if (as_placed({first, entry.last}, entry.holders)) continue;
        auto const before = kept.empty() ? kept.end() : std::prev(kept.end());
        if (before != kept.end() && before->second.last == first && before->second.holders == entry.holders) {
            before->second.last = entry.last;
        } else {
            kept.emplace_hint(kept.end(), first, std::move(entry));
        }
    }
    table_ = std::move(kept);
}

void Directory::cut_at(BlockId block) {
    auto const entry = table_.upper_bound(block);
    if (entry == table_.begin()) return;
    auto& [first, before] = *std::prev(entry);
    if (first == block || before.last <= block) return;
    table_.emplace_hint(entry, block, before);
    before.last = block;
}

void Directory::join_at(BlockId block) {
    auto const entry = table_.find(block);
    if (entry == table_.end() || entry == table_.begin()) return;
    auto& before = std::prev(entry)->second;
    if (before.last != block || before.holders != entry->second.holders) return;
    before.last = entry->second.last;
    table_.erase(entry);
}

template <class Edit>
void Directory::edit(BlockRange blocks, Edit change) {
    REGRAFT_EXPECTS(blocks.first <= blocks.last && value(blocks.last) <= num_blocks());
    if (blocks.empty()) return;
    std::vector<std::pair<BlockId, Entry>> edited;
    visit_parts(blocks, [&](Run const& run) {
        edited.push_back({run.blocks.first, {run.blocks.last, {run.holders.begin(), run.holders.end()}}});
        change(edited.back().second.holders);
    });
    cut_at(blocks.first);
    cut_at(blocks.last);
    table_.erase(table_.lower_bound(blocks.first), table_.lower_bound(blocks.last));
    for (auto& [first, entry] : edited) {
        if (as_placed({first, entry.last}, entry.holders)) continue;
        table_.emplace(first, std::move(entry));
        join_at(first);
    }
    join_at(blocks.last);
}

void Directory::add(BlockRange blocks, PeId holder) {
    REGRAFT_EXPECTS(living_slot(holder).has_value());
    edit(blocks, [&](std::vector<PeId>& holders) {
        auto const place = std::lower_bound(holders.begin(), holders.end(), holder);
        if (place == holders.end() || *place != holder) holders.insert(place, holder);
    });
}

void Directory::remove(BlockRange blocks, PeId holder) {
    edit(blocks, [&](std::vector<PeId>& holders) { std::erase(holders, holder); });
}

void Directory::visit(BlockRange blocks, std::function<void(Run const&)> const& visit) const {
    REGRAFT_EXPECTS(blocks.first <= blocks.last && value(blocks.last) <= num_blocks());
    BlockRange open{blocks.first, blocks.first};
    std::vector<PeId> holders;
    visit_parts(blocks, [&](Run const& part) {
        if (!open.empty() && !std::equal(part.holders.begin(), part.holders.end(), holders.begin(), holders.end())) {
            visit({open, holders});
            open.first = open.last;
        }
        if (open.empty()) holders.assign(part.holders.begin(), part.holders.end());
        open.last = part.blocks.last;
    });
    if (!open.empty()) visit({open, holders});
}

/// Parts as the table and the placement have them: where they begin and end depends on what happened before.
void Directory::visit_parts(BlockRange blocks, std::function<void(Run const&)> const& visit) const {
    if (blocks.empty()) return;
    std::vector<PeId> placed;
    auto entry = first_after(blocks.first);
    for (auto at = blocks.first; at != blocks.last;) {
        BlockRange run{at, blocks.last};
        if (entry != table_.end() && entry->first <= at) {
            run.last = std::min(entry->second.last, run.last);
            visit({run, entry->second.holders});
            ++entry;
        } else {
            if (entry != table_.end()) run.last = std::min(entry->first, run.last);
            run = intersect(run, placement_->run(at));
            living_by_placement(at, placed);
            visit({run, placed});
        }
        at = run.last;
    }
}

std::vector<BlockRange> Directory::outside_of_table(std::span<BlockRange const> ranges) const {
    std::vector<BlockRange> result;
    for (auto range : ranges) {
        for (auto entry = first_after(range.first); entry != table_.end() && entry->first < range.last; ++entry) {
            if (range.first < entry->first) result.push_back({range.first, entry->first});
            range.first = std::min(entry->second.last, range.last);
        }
        if (!range.empty()) result.push_back(range);
    }
    return result;
}

std::vector<BlockRange> Directory::held(PeId pe) const {
    auto const slot = living_slot(pe);
    if (!slot) return {};
    auto ranges = outside_of_table(placement_->held(*slot));
    for (auto const& [first, entry] : table_) {
        if (std::binary_search(entry.holders.begin(), entry.holders.end(), pe)) ranges.push_back({first, entry.last});
    }
    return united(std::move(ranges));
}

std::vector<BlockRange> Directory::short_of(std::uint32_t copies) const {
    std::vector<BlockRange> candidates;
    if (copies > replicas()) {
        candidates.push_back({BlockId{0}, BlockId{num_blocks()}});
    } else {
        // What no dead PE held and no table changed has as many holders as were asked for.
        for (std::uint32_t slot = 0; slot < alive_.size(); ++slot) {
            if (alive_[slot] != 0) continue;
            auto const held = outside_of_table(placement_->held(Slot{slot}));
            candidates.insert(candidates.end(), held.begin(), held.end());
        }
        for (auto const& [first, entry] : table_) candidates.push_back({first, entry.last});
    }
    std::vector<BlockRange> result;
    for (auto const& range : united(std::move(candidates))) {
        visit(range, [&](Run const& run) {
            if (run.holders.size() < copies) result.push_back(run.blocks);
        });
    }
    return united(std::move(result));
}

}  // namespace regraft::placement
