#include "regraft/placement/holder_table.hpp"

#include <algorithm>
#include <iterator>

namespace regraft::placement {

HolderTable::Entries::const_iterator HolderTable::first_after(BlockId block) const {
    auto entry = entries_.upper_bound(block);
    if (entry != entries_.begin() && block < std::prev(entry)->second.last) --entry;
    return entry;
}

std::vector<BlockRange> HolderTable::gaps(std::span<BlockRange const> ranges) const {
    std::vector<BlockRange> result;
    for (auto range : ranges) {
        for (auto entry = first_after(range.first); entry != entries_.end() && entry->first < range.last; ++entry) {
            if (range.first < entry->first) result.push_back({range.first, entry->first});
            range.first = std::min(entry->second.last, range.last);
        }
        if (!range.empty()) result.push_back(range);
    }
    return result;
}

void HolderTable::replace(BlockRange blocks, std::vector<std::pair<BlockId, Entry>> entries) {
    cut_at(blocks.first);
    cut_at(blocks.last);
    auto const behind = entries_.lower_bound(blocks.last);
    for (auto old = entries_.lower_bound(blocks.first); old != behind; old = entries_.erase(old)) count(*old, -1);
    for (auto& [first, entry] : entries) {
        count(*entries_.emplace(first, std::move(entry)).first, 1);
        join_at(first);
    }
    join_at(blocks.last);
}

void HolderTable::revise(BlockRange blocks,
                         std::function<bool(BlockRange blocks, std::vector<PeId>& holders)> const& change) {
    auto const first = first_after(blocks.first);
    auto entry = entries_.erase(first, first);  // the same, to change it
    while (entry != entries_.end() && entry->first < blocks.last) {
        count(*entry, -1);
        if (!change({entry->first, entry->second.last}, entry->second.holders)) {
            entry = entries_.erase(entry);
            continue;
        }
        count(*entry, 1);
        auto const at = (entry++)->first;
        join_at(at);
    }
    if (entry != entries_.end()) join_at(entry->first);
}

/// Counts the blocks of an entry, or no longer.
void HolderTable::count(Entries::value_type const& entry, std::int64_t sign) {
    auto const& [first, run] = entry;
    if (blocks_by_copies_.size() <= run.holders.size()) blocks_by_copies_.resize(run.holders.size() + 1, 0);
    blocks_by_copies_[run.holders.size()] += static_cast<std::uint64_t>(sign) * BlockRange{first, run.last}.size();
}

void HolderTable::cut_at(BlockId block) {
    auto const entry = entries_.upper_bound(block);
    if (entry == entries_.begin()) return;
    auto& [first, before] = *std::prev(entry);
    if (first == block || before.last <= block) return;
    entries_.emplace_hint(entry, block, before);
    before.last = block;
}

void HolderTable::join_at(BlockId block) {
    auto const entry = entries_.find(block);
    if (entry == entries_.end() || entry == entries_.begin()) return;
    auto& before = std::prev(entry)->second;
    if (before.last != block || before.holders != entry->second.holders) return;
    before.last = entry->second.last;
    entries_.erase(entry);
}

}  // namespace regraft::placement
