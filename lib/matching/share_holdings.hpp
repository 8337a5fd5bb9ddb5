// Holdings of shares: every left vertex is divided among its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "matching/relief.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::matching {

class ShareHoldings {
public:
    static constexpr bool cursors_need_levels = true;

    /// share[e]: units on edge e, an index into graph.values. Keeps the two views. O(edges).
    void list(CsrView<std::uint32_t> graph, std::span<std::uint64_t> share, std::uint32_t num_right) {
        graph_ = graph;
        share_ = share;
        cursor_.resize(num_right);
        scan_.assign(graph.size(), {});
        phase_ = 0;
        segment_.assign(std::size_t{num_right} + 1, 0);
        for (auto const v : graph.values) ++segment_[v + 1];
        for (std::size_t v = 0; v < num_right; ++v) segment_[v + 1] += segment_[v];
        edge_.resize(graph.values.size());
        row_.resize(graph.values.size());
        for (std::uint32_t x = 0; x < graph.size(); ++x) {
            for (auto e = graph.offsets[x]; e < graph.offsets[x + 1]; ++e) {
                row_[e] = x;
                edge_[segment_[graph.values[e]]++] = static_cast<std::uint32_t>(e);
            }
        }
        // The filling has moved every beginning to its end.
        for (std::size_t v = num_right; v > 0; --v) segment_[v] = segment_[v - 1];
        segment_[0] = 0;
    }

    bool begin_phase() {
        ++phase_;
        return true;
    }

    /// A row is looked at for the first of its owners only: what that finds is found for all.
    template <class Visit>
    void for_each_neighbour(std::uint32_t v, std::uint32_t level, Visit visit) {
        for (auto i = segment_[v]; i < segment_[v + 1]; ++i) {
            auto const x = row_[edge_[i]];
            if (share_[edge_[i]] == 0 || scan_[x].phase == phase_) continue;
            scan_[x] = {phase_, level, graph_.offsets[x]};
            for (auto const w : graph_[x]) visit(w);
        }
    }

    void start(std::uint32_t v) { cursor_[v] = segment_[v]; }

    /// All owners of a row that are at one level share its cursor; owners at higher levels find nothing in it.
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

private:
    /// How far a row was looked at in the phase of that number, from owners at that level.
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
    std::uint32_t phase_ = 0;
};

}  // namespace regraft::matching
