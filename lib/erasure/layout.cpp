#include "regraft/erasure/layout.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "regraft/core/checked_cast.hpp"

namespace regraft::erasure {
namespace {

/// bytes * index / parts, without overflow.
std::uint64_t share(std::uint64_t bytes, std::uint64_t index, std::uint64_t parts) {
    if (bytes < std::uint64_t{1} << 32 && index < std::uint64_t{1} << 32) return bytes * index / parts;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{bytes} * index / parts);
}

}  // namespace

// The slots fill a table of n rows column by column, the largest nodes first, and the ring reads it row by row. A node
// of n slots is one column, so its slots are a row apart. A smaller node that continues at the top of the next column
// has at least one row between its parts.
std::vector<std::uint32_t> ring_order(std::span<std::uint32_t const> node_of) {
    std::vector<std::uint32_t> sorted(node_of.begin(), node_of.end());
    std::sort(sorted.begin(), sorted.end());
    auto const slots_on = [&](std::uint32_t node) {
        auto const range = std::equal_range(sorted.begin(), sorted.end(), node);
        return range.second - range.first;
    };
    struct RankedSlot {
        std::ptrdiff_t slots_on_node;
        std::uint32_t node, slot;
    };
    std::vector<RankedSlot> ranked;
    for (auto node : node_of) {
        ranked.push_back({slots_on(node), node, checked_cast<std::uint32_t>(ranked.size())});
    }
    std::sort(ranked.begin(), ranked.end(), [](RankedSlot const& a, RankedSlot const& b) {
        if (a.slots_on_node != b.slots_on_node) return a.slots_on_node > b.slots_on_node;
        return a.node != b.node ? a.node < b.node : a.slot < b.slot;
    });
    std::vector<std::uint32_t> ring(ranked.size());
    auto const rows = ranked.empty() ? 1 : static_cast<std::size_t>(ranked[0].slots_on_node);
    auto const columns = ring.size() / rows;
    auto const longer_rows = ring.size() % rows;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        auto const row = i % rows;
        ring[row * columns + std::min(row, longer_rows) + i / rows] = ranked[i].slot;
    }
    return ring;
}

Layout::Layout(Code code, BlockSizes sizes, Csr<BlockRange> own, std::vector<std::uint32_t> ring)
    : code_(std::move(code)), sizes_(std::move(sizes)), own_(std::move(own)), ring_(std::move(ring)) {
    REGRAFT_EXPECTS(code_.pieces() <= own_.size());
    for (std::uint32_t slot = 0; slot < num_slots(); ++slot) {
        std::uint64_t begin = 0;
        for (std::size_t range = 0; range < own_[slot].size(); ++range) {
            auto const blocks = own_[slot][range];
            REGRAFT_EXPECTS(blocks.first < blocks.last && value(blocks.last) <= sizes_.num_blocks());
            begins_.push_back(begin);
            begin += sizes_.bytes(blocks);
            segments_.push_back({blocks, slot, range});
        }
    }
    std::sort(segments_.begin(), segments_.end(),
              [](Segment const& a, Segment const& b) { return a.blocks.first < b.blocks.first; });
    for (std::size_t i = 1; i < segments_.size(); ++i) {
        REGRAFT_EXPECTS(segments_[i - 1].blocks.last <= segments_[i].blocks.first);
    }
    position_.resize(ring_.size(), num_slots());
    REGRAFT_EXPECTS(ring_.empty() || ring_.size() == own_.size());
    for (std::size_t i = 0; i < ring_.size(); ++i) {
        REGRAFT_EXPECTS(ring_[i] < num_slots() && position_[ring_[i]] == num_slots());
        position_[ring_[i]] = static_cast<std::uint32_t>(i);
    }
}

std::vector<BlockRange> Layout::nobodys() const {
    std::vector<BlockRange> gaps;
    BlockId next{0};
    for (auto const& segment : segments_) {
        if (next < segment.blocks.first) gaps.push_back({next, segment.blocks.first});
        next = segment.blocks.last;
    }
    if (value(next) < sizes_.num_blocks()) gaps.push_back({next, BlockId{sizes_.num_blocks()}});
    return gaps;
}

std::uint32_t Layout::slot(Piece piece) const {
    auto const at = static_cast<std::uint32_t>((std::uint64_t{piece.stripe} + piece.index) % num_slots());
    return ring_.empty() ? at : ring_[at];
}

Piece Layout::piece(std::uint32_t slot, std::uint32_t index) const {
    auto const at = ring_.empty() ? slot : position_[slot];
    return {at >= index ? at - index : at + num_slots() - index, index};
}

std::uint64_t Layout::own_bytes(std::uint32_t slot) const {
    if (own_[slot].empty()) return 0;
    return begins_[own_.offsets[slot + 1] - 1] + sizes_.bytes(own_[slot].back());
}

/// The begin of the slot's piece of data `index`; for index = k the end of the last one.
Layout::Cut Layout::cut(std::uint32_t slot, std::uint32_t index) const {
    auto const ranges = own_[slot];
    if (ranges.empty()) return {};
    if (index == 0) return {0, ranges.front().first, 0};
    if (index == code_.data()) return {ranges.size() - 1, ranges.back().last, own_bytes(slot)};
    auto const aim = share(own_bytes(slot), index, code_.data());
    auto const first = begins_.begin() + static_cast<std::ptrdiff_t>(own_.offsets[slot]);
    auto const begin = std::prev(std::upper_bound(first, first + static_cast<std::ptrdiff_t>(ranges.size()), aim));
    auto const range = static_cast<std::size_t>(begin - first);
    auto const block = sizes_.cut(ranges[range], aim - *begin);
    return {range, block, *begin + sizes_.bytes(BlockRange{ranges[range].first, block})};
}

/// The blocks between two cuts within this range of the slot.
BlockRange Layout::within(Cut from, Cut to, std::uint32_t slot, std::size_t range) const {
    auto const blocks = own_[slot][range];
    auto const clip = [&](Cut const& cut) {
        return cut.range < range ? blocks.first : cut.range > range ? blocks.last : cut.block;
    };
    return {clip(from), clip(to)};
}

ByteRange Layout::own_bytes(Piece data) const {
    REGRAFT_EXPECTS(data.index < code_.data());
    auto const of = slot(data);
    return {cut(of, data.index).bytes, cut(of, data.index + 1).bytes};
}

std::vector<BlockRange> Layout::blocks(Piece data) const {
    REGRAFT_EXPECTS(data.index < code_.data());
    auto const of = slot(data);
    auto const from = cut(of, data.index);
    auto const to = cut(of, data.index + 1);
    std::vector<BlockRange> ranges;
    for (std::size_t range = from.range; range < own_[of].size() && range <= to.range; ++range) {
        auto const blocks = within(from, to, of, range);
        if (!blocks.empty()) ranges.push_back(blocks);
    }
    return ranges;
}

std::uint64_t Layout::bytes(Piece piece) const {
    if (piece.index < code_.data()) return own_bytes(piece).size();
    std::uint64_t longest = 0;
    for (std::uint32_t i = 0; i < code_.data(); ++i) {
        longest = std::max(longest, own_bytes(Piece{piece.stripe, i}).size());
    }
    return longest;
}

void Layout::visit(BlockRange blocks, std::function<void(Part const&)> const& visit) const {
    auto segment = std::partition_point(segments_.begin(), segments_.end(),
                                        [&](Segment const& s) { return s.blocks.last <= blocks.first; });
    while (!blocks.empty()) {
        auto const owned = segment == segments_.end() ? blocks.last : std::min(segment->blocks.first, blocks.last);
        if (blocks.first < owned) visit({{blocks.first, owned}, std::nullopt, {}});
        blocks.first = std::max(blocks.first, owned);
        if (blocks.empty()) return;
        auto const part = intersect(segment->blocks, blocks);
        visit_segment(*segment, part, visit);
        blocks.first = part.last;
        ++segment;
    }
}

void Layout::visit_segment(Segment const& segment, BlockRange blocks,
                           std::function<void(Part const&)> const& visit) const {
    auto const begin = begins_[own_.offsets[segment.slot] + segment.range];
    auto const place = [&](BlockId id) { return begin + sizes_.bytes(BlockRange{segment.blocks.first, id}); };
    auto const total = own_bytes(segment.slot);
    // Cuts are at the boundaries nearest to equal shares, so the first piece is near this guess, or before it.
    auto const guess = total == 0 ? 0 : share(place(blocks.first), code_.data(), total);
    auto index = static_cast<std::uint32_t>(std::min<std::uint64_t>(guess, code_.data() - 1));
    auto const behind = [&](Cut const& cut) {
        return cut.range > segment.range || (cut.range == segment.range && cut.block > blocks.first);
    };
    while (index > 0 && behind(cut(segment.slot, index))) --index;
    for (; !blocks.empty() && index < code_.data(); ++index) {
        auto const from = cut(segment.slot, index);
        auto const part = intersect(within(from, cut(segment.slot, index + 1), segment.slot, segment.range), blocks);
        if (part.empty()) continue;
        auto const first = place(part.first) - from.bytes;
        visit({part, piece(segment.slot, index), {first, first + sizes_.bytes(part)}});
        blocks.first = part.last;
    }
}

}  // namespace regraft::erasure
