// Subtree pruning and regrafting by parsimony. Moves are searched in parallel and made one after the other.
#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "msa/parsimony/half_edge_sets.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/msa/parsimony.hpp"

namespace regraft::msa {
namespace {

/// Finds places for pruned subtrees. Each thread has its own, because of its memory.
class PlaceFinder {
public:
    PlaceFinder(Tree const& tree, HalfEdgeSets const& sets, std::uint32_t radius)
        : tree_(tree), sets_(sets), radius_(std::min(radius, tree.num_tips())) {}

    /// The edge within the radius where the subtree behind h costs least, if that is less than at its present place;
    /// ties go to the first one. No edge if there is none.
    HalfEdge better_edge(HalfEdge h);

private:
    /// An edge to be tried.
    struct OpenEdge {
        HalfEdge far;      // the half-edge at its far side, as seen from the pruned subtree
        HalfEdge sibling;  // the other half-edge behind the node in front of it
        std::uint32_t distance;
    };
    void push_edges_behind(HalfEdge h, std::uint32_t distance);
    void try_edges_behind(HalfEdge h, FitchSets near);
    Plane* near_at(std::uint32_t distance) { return near_.data() + (distance - 1) * sets_.num_planes(); }

    Tree const& tree_;
    HalfEdgeSets const& sets_;
    std::uint32_t radius_;
    std::vector<Plane> near_;  // [distance - 1][plane]: the sets in front of the edge at this distance on the path
    std::vector<OpenEdge> open_;
    FitchSets subtree_ = nullptr;
    std::uint64_t least_ = 0;
    HalfEdge best_ = no_half_edge;
};

HalfEdge PlaceFinder::better_edge(HalfEdge h) {
    auto const a = tree_.back(tree_.next(h));
    auto const b = tree_.back(tree_.next(tree_.next(h)));
    subtree_ = sets_[tree_.back(h)];
    best_ = no_half_edge;
    least_ = insertion_cost(sets_.groups(), sets_[a], sets_[b], subtree_, std::numeric_limits<std::uint64_t>::max());
    if (least_ == 0) return best_;
    try_edges_behind(a, sets_[b]);
    try_edges_behind(b, sets_[a]);
    return best_;
}

void PlaceFinder::push_edges_behind(HalfEdge h, std::uint32_t distance) {
    if (tree_.is_tip(h) || distance > radius_) return;
    auto const left = tree_.back(tree_.next(h));
    auto const right = tree_.back(tree_.next(tree_.next(h)));
    open_.push_back({right, left, distance});
    open_.push_back({left, right, distance});
    if (near_.size() < distance * sets_.num_planes()) near_.resize(distance * sets_.num_planes());
}

/// Tries edges in pre-order, so that the sets in front of an edge have just been computed.
void PlaceFinder::try_edges_behind(HalfEdge h, FitchSets near) {
    push_edges_behind(h, 1);
    while (!open_.empty()) {
        auto const [far, sibling, distance] = open_.back();
        open_.pop_back();
        auto const* const before = distance == 1 ? near : near_at(distance - 1);
        combine(sets_.groups(), before, sets_[sibling], near_at(distance));
        auto const cost = insertion_cost(sets_.groups(), near_at(distance), sets_[far], subtree_, least_);
        if (cost < least_) {
            least_ = cost;
            best_ = far;
        }
        push_edges_behind(far, distance + 1);
    }
}

/// Number of subtrees that all threads try on the same tree. It must not depend on the number of threads.
constexpr std::size_t subtrees_at_once = 256;

/// Number of subtrees times planes from which on it pays to use other threads.
constexpr std::size_t work_for_threads = std::size_t{1} << 13;

class Spr {
public:
    Spr(Tree& tree, ParsimonySites::Planes const& planes, std::uint32_t radius)
        : tree_(tree), sets_(planes), radius_(radius), finder_(tree_, sets_, radius) {
        sets_.compute(tree_);
    }
    /// Tries all subtrees and returns the number of moves.
    std::size_t round();

private:
    std::size_t try_subtrees(HalfEdge first, HalfEdge last);
    std::vector<HalfEdge> promising(HalfEdge first, HalfEdge last) const;
    void move(HalfEdge h, HalfEdge edge);

    Tree& tree_;
    HalfEdgeSets sets_;
    std::uint32_t radius_;
    PlaceFinder finder_;
};

std::size_t Spr::round() {
    std::size_t moved = 0;
    for (HalfEdge first = tree_.num_tips(); first < tree_.num_half_edges(); first += subtrees_at_once) {
        moved += try_subtrees(first, std::min<HalfEdge>(first + subtrees_at_once, tree_.num_half_edges()));
    }
    return moved;
}

/// The subtrees that had a better place before any of them was moved.
std::vector<HalfEdge> Spr::promising(HalfEdge first, HalfEdge last) const {
    std::vector<char> has_better(last - first);
#pragma omp parallel if ((last - first) * sets_.num_planes() >= work_for_threads)
    {
        PlaceFinder finder(tree_, sets_, radius_);
        // Times differ very much; the result does not depend on the thread.
#pragma omp for schedule(dynamic)
        for (HalfEdge h = first; h < last; ++h) has_better[h - first] = finder.better_edge(h) != no_half_edge ? 1 : 0;
    }
    std::vector<HalfEdge> found;
    for (HalfEdge h = first; h < last; ++h) {
        if (has_better[h - first] != 0) found.push_back(h);
    }
    return found;
}

std::size_t Spr::try_subtrees(HalfEdge first, HalfEdge last) {
    std::size_t moved = 0;
    for (auto const h : promising(first, last)) {
        auto const edge = finder_.better_edge(h);
        if (edge == no_half_edge) continue;
        move(h, edge);
        ++moved;
    }
    return moved;
}

void Spr::move(HalfEdge h, HalfEdge edge) {
    std::array const joined{tree_.back(tree_.next(h)), tree_.back(tree_.next(tree_.next(h)))};
    tree_.prune(h);
    tree_.regraft(h, edge);
    sets_.update(tree_, h, joined);
}

}  // namespace

Tree shorten_by_spr(Tree tree, ParsimonySites const& sites, SprOptions const& options) {
    REGRAFT_EXPECTS(tree.num_tips() == sites.num_taxa() && tree.is_complete());
    Spr spr(tree, sites.planes(), options.radius);
    for (std::uint32_t r = 0; r < options.rounds && options.radius > 0; ++r) {
        if (spr.round() == 0) break;
    }
    for (auto const edge : tree.edges()) tree.set_length(edge, Tree::default_length);
    return tree;
}

}  // namespace regraft::msa
