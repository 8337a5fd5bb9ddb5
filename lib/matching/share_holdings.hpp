// Holdings of shares: every left vertex is divided among its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "matching/holdings.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::matching {

class ShareHoldings {
public:
    static constexpr bool cursors_need_levels = true;
    static constexpr int many_phases = 8;  // a phase costs little, because owners of a row share its cursor

    /// share[e]: units on edge e, an index into graph.values. Keeps both views. O(edges).
    void list(CsrView<std::uint32_t> graph, std::span<std::uint64_t> share, std::uint32_t num_right);

    bool begin_phase() {
        ++phase_;
        return true;
    }

    /// A row is looked at only for the first of its owners; the result is the same for all.
    template <class Visit>
    void for_each_neighbour(std::uint32_t v, std::uint32_t level, Visit visit) {
        for (auto i = segment_[v]; i < segment_[v + 1]; ++i) {
            auto const x = row_[edge_[i]];
            if (share_[edge_[i]] == 0 || scan_[x].phase == phase_) continue;
            scan_[x] = {phase_, level, graph_.offsets[x]};
            for (auto const w : graph_[x]) visit(w);
        }
    }

    void start(std::uint32_t v) {
        cursor_[v] = segment_[v];
        if (!way_.empty()) way_[v] = 0;
    }

    /// All owners of a row at one level share its cursor; owners at higher levels find nothing in it.
    template <class Accept>
    std::uint32_t next_step(std::uint32_t v, std::uint32_t level, Accept accept) {
        for (auto& i = cursor_[v]; i < segment_[v + 1]; ++i) {
            auto const x = row_[edge_[i]];
            auto& scan = scan_[x];
            if (share_[edge_[i]] == 0) continue;
            if (scan.phase != phase_) scan = {phase_, level, graph_.offsets[x]};
            if (scan.level != level) continue;
            for (; scan.edge < graph_.offsets[x + 1]; ++scan.edge) {
                auto const w = graph_.values[scan.edge];
                if (accept(w)) return w;
            }
        }
        return none;
    }

    void skip_step(std::uint32_t v) { ++scan_[row_[edge_[cursor_[v]]]].edge; }

    std::uint64_t width(std::uint32_t v) const { return share_[edge_[cursor_[v]]]; }

    void hand_over(std::span<std::uint32_t const> path, std::uint64_t units) {
        for (auto const v : path.first(path.size() - 1)) {
            auto const from = edge_[cursor_[v]];
            share_[from] -= units;
            share_[scan_[row_[from]].edge] += units;
        }
    }

    /// Without a shared cursor for all owners of a row, long rows would be looked at repeatedly.
    bool begin_distances() {
        constexpr std::size_t short_row = 8;
        if (graph_.values.size() > short_row * graph_.size()) return false;
        seen_.assign(graph_.size(), 0);
        way_.assign(cursor_.size(), 0);
        return true;
    }
    template <class Visit>
    void for_each_giver(std::uint32_t w, Visit visit) {
        for (auto i = segment_[w]; i < segment_[w + 1]; ++i) {
            auto const x = row_[edge_[i]];
            if (seen_[x] != 0) continue;
            seen_[x] = 1;
            for (auto e = graph_.offsets[x]; e < graph_.offsets[x + 1]; ++e) {
                if (share_[e] > 0) visit(graph_.values[e]);
            }
        }
    }
    std::uint64_t num_ways(std::uint32_t v) const { return segment_[v + 1] - segment_[v]; }
    template <class Accept>
    std::uint32_t next_way(std::uint32_t v, Accept accept) {
        for (auto& i = cursor_[v]; i < segment_[v + 1]; ++i, way_[v] = 0) {
            if (share_[edge_[i]] == 0) continue;
            auto const row = graph_[row_[edge_[i]]];
            for (auto& k = way_[v]; k < row.size(); ++k) {
                if (accept(row[k])) return row[k];
            }
        }
        return none;
    }
    std::uint64_t way_width(std::uint32_t v) const { return share_[edge_[cursor_[v]]]; }
    void hand_over_ways(std::span<std::uint32_t const> path, std::uint64_t units) {
        for (auto const v : path.first(path.size() - 1)) {
            auto const from = edge_[cursor_[v]];
            share_[from] -= units;
            share_[graph_.offsets[row_[from]] + way_[v]] += units;
        }
    }

private:
    /// The position in a row that was reached in a phase, from owners at one level.
    struct Scan {
        std::uint32_t phase = 0;
        std::uint32_t level = 0;
        std::uint64_t edge = 0;
    };

    CsrView<std::uint32_t> graph_{};
    std::span<std::uint64_t> share_;
    std::vector<std::uint32_t> segment_;  // right vertex v has the edges edge_[segment_[v] .. segment_[v + 1])
    std::vector<std::uint32_t> edge_;
    std::vector<std::uint32_t> row_;     // left vertex of every edge
    std::vector<std::uint32_t> cursor_;  // into edge_
    std::vector<Scan> scan_;
    std::vector<char> seen_;          // rows, for distances
    std::vector<std::uint32_t> way_;  // v's cursor is at this place of its row
    std::uint32_t phase_ = 0;
};

}  // namespace regraft::matching
