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

/// The edges where a pruned subtree can be inserted, and what it costs there. The first is its present place, as no
/// edge.
struct Places {
    std::vector<HalfEdge> edges;
    std::vector<std::uint64_t> costs;
};

/// The edge that costs least; ties go to the first one.
HalfEdge cheapest(Places const& places) {
    auto const least = std::ranges::min_element(places.costs);
    return places.edges[static_cast<std::size_t>(least - places.costs.begin())];
}

/// Finds places for pruned subtrees. Each thread has its own, because of its memory.
class PlaceFinder {
public:
    PlaceFinder(Tree const& tree, HalfEdgeSets const& sets, std::uint32_t radius)
        : tree_(tree), sets_(sets), radius_(std::min(radius, tree.num_tips())) {}

    /// The places within the radius for the subtree behind h, with their costs at these sites.
    Places places(HalfEdge h);
    /// The cheapest of these; no edge if it is the present one.
    HalfEdge better_edge(HalfEdge h);

private:
    /// An edge to be tried.
    struct OpenEdge {
        HalfEdge far;      // the half-edge at its far side, as seen from the pruned subtree
        HalfEdge sibling;  // the other half-edge behind the node in front of it
        std::uint32_t distance;
    };
    template <class Visit>
    void visit_places(HalfEdge h, Visit const& visit);
    template <class Visit>
    bool visit_behind(HalfEdge h, FitchSets near, Visit const& visit);
    void push_edges_behind(HalfEdge h, std::uint32_t distance);
    Plane* near_at(std::uint32_t distance) { return near_.data() + (distance - 1) * sets_.num_planes(); }

    Tree const& tree_;
    HalfEdgeSets const& sets_;
    std::uint32_t radius_;
    std::vector<Plane> near_;  // [distance - 1][plane]: the sets in front of the edge at this distance on the path
    std::vector<OpenEdge> open_;
};

Places PlaceFinder::places(HalfEdge h) {
    Places result;
    auto const subtree = sets_[tree_.back(h)];
    visit_places(h, [&](HalfEdge edge, FitchSets near, FitchSets far) {
        constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();
        result.edges.push_back(edge);
        result.costs.push_back(insertion_cost(sets_.groups(), near, far, subtree, no_limit));
        return true;
    });
    return result;
}

HalfEdge PlaceFinder::better_edge(HalfEdge h) {
    auto const subtree = sets_[tree_.back(h)];
    auto least = std::numeric_limits<std::uint64_t>::max();
    auto best = no_half_edge;
    visit_places(h, [&](HalfEdge edge, FitchSets near, FitchSets far) {
        auto const cost = insertion_cost(sets_.groups(), near, far, subtree, least);
        if (cost < least) {
            least = cost;
            best = edge;
        }
        return least > 0;
    });
    return best;
}

/// Calls visit(edge, sets at its near side, sets at its far side) for the places of the subtree behind h, as long as it
/// returns true.
template <class Visit>
void PlaceFinder::visit_places(HalfEdge h, Visit const& visit) {
    auto const a = tree_.back(tree_.next(h));
    auto const b = tree_.back(tree_.next(tree_.next(h)));
    open_.clear();
    if (visit(no_half_edge, sets_[a], sets_[b]) && visit_behind(a, sets_[b], visit)) visit_behind(b, sets_[a], visit);
}

/// Visits edges in pre-order, so that the sets in front of an edge have just been computed. Returns whether to go on.
template <class Visit>
bool PlaceFinder::visit_behind(HalfEdge h, FitchSets near, Visit const& visit) {
    push_edges_behind(h, 1);
    while (!open_.empty()) {
        auto const [far, sibling, distance] = open_.back();
        open_.pop_back();
        auto const* const before = distance == 1 ? near : near_at(distance - 1);
        combine(sets_.groups(), before, sets_[sibling], near_at(distance));
        if (!visit(far, near_at(distance), sets_[far])) return false;
        push_edges_behind(far, distance + 1);
    }
    return true;
}

void PlaceFinder::push_edges_behind(HalfEdge h, std::uint32_t distance) {
    if (tree_.is_tip(h) || distance > radius_) return;
    auto const left = tree_.back(tree_.next(h));
    auto const right = tree_.back(tree_.next(tree_.next(h)));
    open_.push_back({right, left, distance});
    open_.push_back({left, right, distance});
    if (near_.size() < distance * sets_.num_planes()) near_.resize(distance * sets_.num_planes());
}

/// Number of subtrees that all threads try on the same tree. It must not depend on the number of threads.
constexpr std::size_t subtrees_at_once = 256;

/// Number of subtrees times planes from which on it pays to use other threads.
constexpr std::size_t work_for_threads = std::size_t{1} << 13;

class Spr {
public:
    Spr(Tree& tree, ParsimonySites::Planes const& planes, std::uint32_t radius, SumOverParts const& sum)
        : tree_(tree), sets_(planes), radius_(radius), sum_(sum), finder_(tree_, sets_, radius) {
        sets_.compute(tree_);
    }
    /// Tries all subtrees and returns the number of moves.
    std::size_t round();

private:
    std::size_t try_subtrees(HalfEdge first, HalfEdge last);
    HalfEdge better_edge(HalfEdge h);
    std::vector<HalfEdge> better_edges(HalfEdge first, HalfEdge last) const;
    void add_other_parts(std::span<Places> places) const;
    void move(HalfEdge h, HalfEdge edge);

    Tree& tree_;
    HalfEdgeSets sets_;
    std::uint32_t radius_;
    SumOverParts const& sum_;
    PlaceFinder finder_;
};

std::size_t Spr::round() {
    std::size_t moved = 0;
    for (HalfEdge first = tree_.num_tips(); first < tree_.num_half_edges(); first += subtrees_at_once) {
        moved += try_subtrees(first, std::min<HalfEdge>(first + subtrees_at_once, tree_.num_half_edges()));
    }
    return moved;
}

/// The better edge, or none, of each of these subtrees before any of them is moved.
std::vector<HalfEdge> Spr::better_edges(HalfEdge first, HalfEdge last) const {
    std::vector<HalfEdge> better(last - first);
    std::vector<Places> places(sum_ ? last - first : 0);
#pragma omp parallel if ((last - first) * sets_.num_planes() >= work_for_threads)
    {
        PlaceFinder finder(tree_, sets_, radius_);
        // Times differ very much; the result does not depend on the thread.
#pragma omp for schedule(dynamic)
        for (HalfEdge h = first; h < last; ++h) {
            if (places.empty()) {
                better[h - first] = finder.better_edge(h);
            } else {
                places[h - first] = finder.places(h);
            }
        }
    }
    add_other_parts(places);
    std::ranges::transform(places, better.begin(), cheapest);
    return better;
}

/// Adds the costs at the sites of the other parts, with one sum if there are places.
void Spr::add_other_parts(std::span<Places> places) const {
    if (places.empty()) return;
    std::vector<std::uint64_t> costs;
    for (auto const& some : places) costs.insert(costs.end(), some.costs.begin(), some.costs.end());
    sum_(costs);
    auto next = costs.begin();
    for (auto& some : places) {
        auto const end = next + static_cast<std::ptrdiff_t>(some.costs.size());
        std::copy(next, end, some.costs.begin());
        next = end;
    }
}

HalfEdge Spr::better_edge(HalfEdge h) {
    if (!sum_) return finder_.better_edge(h);
    auto places = finder_.places(h);
    sum_(places.costs);
    return cheapest(places);
}

std::size_t Spr::try_subtrees(HalfEdge first, HalfEdge last) {
    std::size_t moved = 0;
    auto const before = better_edges(first, last);
    for (HalfEdge h = first; h < last; ++h) {
        auto edge = before[h - first];
        if (edge != no_half_edge && moved > 0) edge = better_edge(h);
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

Tree shorten_by_spr(Tree tree, ParsimonySites const& sites, SprOptions const& options, SumOverParts const& sum) {
    REGRAFT_EXPECTS(tree.num_tips() == sites.num_taxa() && tree.is_complete());
    Spr spr(tree, sites.planes(), options.radius, sum);
    for (std::uint32_t r = 0; r < options.rounds && options.radius > 0; ++r) {
        if (spr.round() == 0) break;
    }
    for (auto const edge : tree.edges()) tree.set_length(edge, Tree::default_length);
    return tree;
}

}  // namespace regraft::msa
