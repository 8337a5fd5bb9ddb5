// A tree that changes, and a Partition that is told what becomes invalid: no more than necessary.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "regraft/likelihood/partition.hpp"
#include "regraft/msa/tree.hpp"
#include "support/likelihood/likelihood_cases.hpp"

namespace regraft::test {

class ChangingLikelihood {
public:
    ChangingLikelihood(LikelihoodCase const& c, likelihood::PartitionOptions const& options)
        : tree_(c.tree), partition_(test::partition(c, tree_, c.sites, options)) {}
    ChangingLikelihood(ChangingLikelihood const&) = delete;
    ChangingLikelihood& operator=(ChangingLikelihood const&) = delete;

    msa::Tree const& tree() const { return tree_; }
    likelihood::Partition& partition() { return partition_; }

    void set_length(msa::HalfEdge h, double length) {
        tree_.set_length(h, length);
        partition_.invalidate_matrix(h);
        invalidate_beyond(h, Search::while_valid);
    }
    msa::TreeUndo nni(msa::HalfEdge h, std::uint32_t variant) { return touched(tree_.nni(h, variant)); }
    msa::TreeUndo prune(msa::HalfEdge h) { return touched(tree_.prune(h)); }
    msa::TreeUndo regraft(msa::HalfEdge h, msa::HalfEdge edge) { return touched(tree_.regraft(h, edge)); }
    void undo(msa::TreeUndo const& move) {
        tree_.undo(move);
        static_cast<void>(touched(move));
    }

private:
    /// A valid CLV depends on valid ones only, except where the topology changed.
    enum class Search : std::uint8_t { while_valid, everywhere };

    void invalidate_beyond(msa::HalfEdge h, Search search) {
        std::vector<msa::HalfEdge> seen_from{h, tree_.back(h)};
        while (!seen_from.empty()) {
            auto const x = seen_from.back();
            seen_from.pop_back();
            invalidate_around(x, search, seen_from);
        }
    }

    /// Invalidates what looks at x from its own node; appends where to go on.
    void invalidate_around(msa::HalfEdge x, Search search, std::vector<msa::HalfEdge>& seen_from) {
        for (auto g = tree_.next(x); g != x; g = tree_.next(g)) {
            auto const was_valid =
                search == Search::everywhere ? partition_.invalidate_subtree(g) : partition_.invalidate_clv(g);
            if (tree_.is_connected(g) && (was_valid || search == Search::everywhere))
                seen_from.push_back(tree_.back(g));
        }
    }

    msa::TreeUndo touched(msa::TreeUndo move) {
        for (auto const h : move.touched) {
            if (tree_.is_connected(h)) {
                partition_.invalidate_matrix(h);
                invalidate_beyond(h, Search::everywhere);
                continue;
            }
            std::vector<msa::HalfEdge> seen_from;
            invalidate_around(h, Search::everywhere, seen_from);
            for (auto const x : seen_from) invalidate_beyond(x, Search::everywhere);
        }
        return move;
    }

    msa::Tree tree_;
    likelihood::Partition partition_;
};

}  // namespace regraft::test
