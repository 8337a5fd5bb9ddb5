// Holdings of whole blocks: every left vertex has one right vertex as its owner.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "matching/holdings.hpp"
#include "matching/prefetch.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::matching {

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
              std::span<std::uint32_t const> num_owned);

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
    bool begin_distances();
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
    void hand_over(std::span<std::uint32_t const> path, std::uint64_t /*one*/);

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
