// Holdings of whole blocks: every left vertex has one right vertex as its owner.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "matching/holdings.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::matching {

/// Prefetches for block[i]. Blocks in another order than the graph's lie anywhere in it.
inline void prefetch_row(CsrView<std::uint32_t> graph, std::span<std::uint32_t const> block, std::size_t i) {
    constexpr std::size_t near = 8;
    constexpr std::size_t far = 16;
    if (i + far >= block.size()) return;
    if (block[i + far] != none) __builtin_prefetch(&graph.offsets[block[i + far]]);
    if (block[i + near] != none) __builtin_prefetch(graph.values.data() + graph.offsets[block[i + near]]);
}

/// The blocks of a right vertex, and so its ways out, lie in its slots: a segment of one array, and a list of blocks
/// that came later.
class BlockHoldings {
public:
    static constexpr bool cursors_need_levels = false;
    static constexpr int many_phases = 3;
    static constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();

    /// Lists the blocks of each owner: right_of[x] is the owner of left vertex x, none if it has none. num_owned: the
    /// number that each right vertex owns. Keeps both views. O(left vertices).
    void list(CsrView<std::uint32_t> graph, std::span<std::uint32_t> right_of,
              std::span<std::uint32_t const> num_owned) {
        graph_ = graph;
        right_of_ = right_of;
        later_.clear();
        incident_.offsets.clear();
        first_later_.assign(num_owned.size(), none);
        cursor_.resize(num_owned.size());
        // Segments end where the next one begins, and are filled from the back.
        segment_.resize(num_owned.size() + 1);
        std::uint32_t end = 0;
        for (std::size_t v = 0; v < num_owned.size(); ++v) segment_[v] = end += num_owned[v];
        segment_.back() = end;
        block_.resize(end);
        for (auto x = static_cast<std::uint32_t>(right_of.size()); x-- > 0;) {
            if (right_of[x] != none) block_[--segment_[right_of[x]]] = x;
        }
    }

    /// The blocks by owner; valid right after list().
    std::span<std::uint32_t const> listed() const { return block_; }

    /// Sets the number of blocks that may be looked at before no further phase begins.
    void be_patient_for(std::uint64_t blocks) {
        patience_ = blocks;
        limited_ = blocks != unlimited;
    }

    bool begin_phase() const { return patience_ > 0; }

    template <class Visit>
    void for_each_neighbour(std::uint32_t v, std::uint32_t /*level*/, Visit visit) {
        patience_ -= std::min<std::uint64_t>(patience_, segment_[v + 1] - segment_[v]);
        for (auto slot = segment_[v]; slot < segment_[v + 1]; ++slot) {
            prefetch(slot);
            if (block_[slot] == none) continue;
            for (auto const w : graph_[block_[slot]]) visit(w);
        }
        for (auto i = first_later_[v]; i != none; i = later_[i].next) {
            if (later_[i].block == none) continue;
            for (auto const w : graph_[later_[i].block]) visit(w);
        }
    }

    std::uint32_t num_items(std::uint32_t v) const { return segment_[v + 1] - segment_[v]; }

    void start(std::uint32_t v) {
        cursor_[v] = {segment_[v], 0, 0};
        if (segment_[v] == segment_[v + 1]) cursor_[v] = {first_later_[v], 0, 1};
    }

    template <class Accept>
    std::uint32_t next_step(std::uint32_t v, std::uint32_t /*level*/, Accept accept) {
        for (auto& at = cursor_[v]; at.slot != none; next_slot(v)) {
            if (at.in_list == 0) prefetch(at.slot);
            auto const block = block_at(at);
            if (block == none) continue;
            auto const row = graph_[block];
            for (std::uint32_t edge = at.edge; edge < row.size(); ++edge) {
                if (!accept(row[edge])) continue;
                at.edge = edge & most_edges;
                return row[edge];
            }
        }
        return none;
    }

    void skip_step(std::uint32_t v) { cursor_[v].edge = (cursor_[v].edge + 1) & most_edges; }

    std::uint64_t width(std::uint32_t) const { return 1; }

    /// Lists the blocks that each right vertex is a neighbour of, whichever owns them, unless patience is limited.
    /// O(edges) the first time.
    bool begin_distances() {
        if (limited_) return false;
        if (!incident_.offsets.empty()) return true;
        if (graph_.values.size() >= none) return false;
        auto const num_right = first_later_.size();
        incident_.offsets.assign(num_right + 1, 0);
        for (auto const v : graph_.values) ++incident_.offsets[v];
        std::uint32_t end = 0;
        for (auto& offset : incident_.offsets) offset = end += offset;
        incident_.blocks.resize(graph_.values.size());
        for (auto x = static_cast<std::uint32_t>(graph_.size()); x-- > 0;) {
            for (auto const v : graph_[x]) incident_.blocks[--incident_.offsets[v]] = x;
        }
        return true;
    }
    template <class Visit>
    void for_each_giver(std::uint32_t w, Visit visit) const {
        for (auto i = incident_.offsets[w]; i < incident_.offsets[w + 1]; ++i) {
            if (auto const v = right_of_[incident_.blocks[i]]; v != none) visit(v);
        }
    }
    std::uint64_t num_ways(std::uint32_t v) const { return num_items(v); }
    template <class Accept>
    std::uint32_t next_way(std::uint32_t v, Accept accept) {
        return next_step(v, 0, accept);
    }
    std::uint64_t way_width(std::uint32_t) const { return 1; }
    void hand_over_ways(std::span<std::uint32_t const> path, std::uint64_t one) { hand_over(path, one); }

    /// Each vertex puts the block that it gets in the place of the one that it gives; only the last one needs a new
    /// place. The new block has no way out to a higher level than that of its new owner, so it need not be looked at
    /// before the next phase.
    void hand_over(std::span<std::uint32_t const> path, std::uint64_t /*one*/) {
        auto arriving = none;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            auto& block = block_at(cursor_[path[i]]);
            std::swap(block, arriving);
            right_of_[arriving] = path[i + 1];
            next_slot(path[i]);
        }
        later_.push_back({arriving, first_later_[path.back()]});
        first_later_[path.back()] = static_cast<std::uint32_t>(later_.size() - 1);
    }

private:
    /// The position of a right vertex in its ways out in this phase.
    struct Cursor {
        std::uint32_t slot = none;      // into block_ or later_; none: no slots are left
        std::uint32_t edge : 31 = 0;    // into the row of the block there
        std::uint32_t in_list : 1 = 0;  // the slot is in later_
    };
    static constexpr std::uint32_t most_edges = 0x7fffffff;
    struct Incident {
        std::vector<std::uint32_t> offsets;  // right vertex v is in the rows of blocks[offsets[v] .. offsets[v + 1])
        std::vector<std::uint32_t> blocks;
    };
    struct Later {
        std::uint32_t block;
        std::uint32_t next;  // into later_
    };

    std::uint32_t& block_at(Cursor const& at) { return at.in_list == 0 ? block_[at.slot] : later_[at.slot].block; }

    void next_slot(std::uint32_t v) {
        patience_ -= patience_ > 0 ? 1 : 0;
        auto& at = cursor_[v];
        at.edge = 0;
        if (at.in_list != 0) {
            at.slot = later_[at.slot].next;
        } else if (++at.slot == segment_[v + 1]) {
            at = {first_later_[v], 0, 1};
        }
    }

    void prefetch(std::uint32_t slot) const { prefetch_row(graph_, block_, slot); }

    CsrView<std::uint32_t> graph_{};
    std::span<std::uint32_t> right_of_;
    std::vector<std::uint32_t> segment_;  // right vertex v owns block_[segment_[v] .. segment_[v + 1])
    std::vector<std::uint32_t> block_;    // none: the block was handed over
    std::vector<std::uint32_t> first_later_;
    std::vector<Later> later_;
    std::vector<Cursor> cursor_;
    Incident incident_;
    std::uint64_t patience_ = unlimited;
    bool limited_ = false;
};

}  // namespace regraft::matching
