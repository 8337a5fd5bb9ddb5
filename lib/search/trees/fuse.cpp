#include "search/trees/fuse.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"
#include "regraft/search/topology.hpp"

namespace regraft::search {

using msa::HalfEdge;
using msa::Tree;

namespace {

ft::FailPhase fuse_phase("fuse");

/// Two trees, rooted at tip 0. An edge is represented by its end away from tip 0. Edges with the same split are common.
class Fusing {
public:
    Fusing(Tree const& tree, Tree const& donor)
        : tree_(tree), donor_(donor), clades_(clade_hashes(tree)), donor_clades_(clade_hashes(donor)) {
        for (auto h : msa::postorder(tree, tree.back(0))) ours_.emplace(clades_[h], h);
        for (auto h : msa::postorder(donor, donor.back(0))) donors_.emplace(donor_clades_[h], h);
    }

    std::vector<SubtreeExchange> all() const {
        std::vector<SubtreeExchange> result;
        for (auto h : msa::postorder(tree_, tree_.back(0))) {
            if (!tree_.is_tip(h) && is_common(h) && differs_at(h)) result.push_back(exchange_at(h));
        }
        std::stable_sort(result.begin(), result.end(),
                         [](auto const& x, auto const& y) { return x.edges.size() < y.edges.size(); });
        return result;
    }

private:
    bool is_common(HalfEdge h) const { return donors_.contains(clades_[h]); }
    bool donor_has_in_common(HalfEdge h) const { return ours_.contains(donor_clades_[h]); }
    bool differs_at(HalfEdge h) const {
        auto const left = tree_.next(h);
        return !is_common(tree_.back(left)) || !is_common(tree_.back(tree_.next(left)));
    }

    /// The nodes from `top` down to where all edges are common. A node is represented by its half-edge towards `top`,
    /// and comes before those below it.
    template <class IsCommon>
    static std::vector<HalfEdge> nodes_below(Tree const& tree, HalfEdge top, IsCommon is_common) {
        std::vector<HalfEdge> nodes{top};
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            auto const h = nodes[i];
            for (auto g = tree.next(h); g != h; g = tree.next(g)) {
                if (!is_common(tree.back(g))) nodes.push_back(tree.back(g));
            }
        }
        return nodes;
    }

    SubtreeExchange exchange_at(HalfEdge top) const {
        auto const ours = nodes_below(tree_, top, [&](HalfEdge h) { return is_common(h); });
        auto const theirs =
            nodes_below(donor_, donors_.at(clades_[top]), [&](HalfEdge h) { return donor_has_in_common(h); });
        REGRAFT_ASSERT(ours.size() == theirs.size());
        SubtreeExchange result;
        std::unordered_map<HalfEdge, HalfEdge> role;  // the node of ours that takes the role of a node of theirs
        for (std::size_t i = 0; i < ours.size(); ++i) role.emplace(theirs[i], ours[i]);
        for (std::size_t i = 1; i < ours.size(); ++i) {
            result.change += mix(donor_clades_[theirs[i]]) - mix(clades_[ours[i]]);
            result.clades.push_back(donor_clades_[theirs[i]]);
        }
        connect(result, top, tree_.back(top), theirs[0]);
        for (std::size_t i = 0; i < ours.size(); ++i) {
            auto mine = tree_.next(ours[i]);
            for (auto g = donor_.next(theirs[i]); g != theirs[i]; g = donor_.next(g), mine = tree_.next(mine)) {
                auto const behind = donor_.back(g);
                auto const known = role.find(behind);
                connect(result, mine, known != role.end() ? known->second : ours_.at(donor_clades_[behind]), g);
            }
        }
        return result;
    }

    /// Adds an edge with the lengths of the donor's edge `like`.
    void connect(SubtreeExchange& exchange, HalfEdge a, HalfEdge b, HalfEdge like) const {
        exchange.edges.push_back(a);
        for (auto const& [end, other] : {std::pair(a, b), std::pair(b, a)}) {
            exchange.move.touched.push_back(end);
            exchange.move.back.push_back(other);
            for (std::uint32_t set = 0; set < donor_.num_length_sets(); ++set) {
                exchange.move.lengths.push_back(donor_.length(like, set));
            }
        }
    }

    Tree const& tree_;
    Tree const& donor_;
    std::vector<std::uint64_t> clades_;
    std::vector<std::uint64_t> donor_clades_;
    std::unordered_map<std::uint64_t, HalfEdge> ours_;
    std::unordered_map<std::uint64_t, HalfEdge> donors_;
};

}  // namespace

std::vector<SubtreeExchange> exchanges(Tree const& tree, Tree const& donor) {
    REGRAFT_EXPECTS(tree.num_tips() == donor.num_tips() && tree.num_length_sets() == donor.num_length_sets());
    return Fusing(tree, donor).all();
}

Outcome make(DistributedLikelihood& likelihood, SubtreeExchange const& exchange) {
    likelihood.reach(fuse_phase.before);
    likelihood.undo(exchange.move);
    likelihood.reach(fuse_phase.inside);
    for (int pass = 0; pass < 2; ++pass) fit_lengths(likelihood, exchange.edges);
    auto const loglh = likelihood.loglh(exchange.edges.front());
    likelihood.reach(fuse_phase.after);
    return {loglh, exchange.edges};
}

}  // namespace regraft::search
