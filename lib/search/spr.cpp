// Moves of subtrees.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "regraft/search/optimise.hpp"
#include "regraft/search/topology.hpp"

namespace regraft::search {

using msa::HalfEdge;

namespace {

ft::FailPhase spr_phase("spr");

constexpr double least_gain = 1e-3;     // smaller gains are noise, and the climb might not end
constexpr double enough_gain = 1e-2;    // for branches while topologies are compared
constexpr std::size_t candidates = 3;   // number of insertions that are optimised, the best of those that were ranked
constexpr double hopeless_share = 0.3;  // as a fraction of the mean loss: insertions that lose more are not optimised
constexpr std::uint64_t enough_losses = 20;
static_assert(candidates < DistributedLikelihood::most_in_focus);

struct Scored {
    Insertion insertion;
    double loglh;
};

/// The likeliest first.
void sort(std::vector<Scored>& insertions) {
    std::stable_sort(insertions.begin(), insertions.end(),
                     [](auto const& x, auto const& y) { return x.loglh > y.loglh; });
}

/// A subtree that was cut off.
struct Pruned {
    HalfEdge h;     // the subtree is behind it
    HalfEdge a, b;  // the ends of the edge at its old place
};

/// The insertions that are worth optimising, the likeliest first.
std::vector<Scored> promising_insertions(DistributedLikelihood& likelihood, Pruned const& pruned, std::uint32_t radius,
                                         double loglh, Losses& losses, Fences const& fences) {
    auto const& tree = likelihood.tree();
    auto const most_loss = losses.mean();
    std::vector<Scored> found;
    std::vector<HalfEdge> front{pruned.a, pruned.b};
    for (std::uint32_t step = 0; step < radius; ++step) {
        std::vector<Insertion> insertions;
        for (auto x : front) {
            if (fences.hinder(pruned.h, x)) continue;
            for (auto g = tree.next(x); g != x; g = tree.next(g)) {
                insertions.push_back(likelihood.insertion(pruned.h, g));
            }
        }
        if (insertions.empty()) break;
        front.clear();
        auto const scores = likelihood.score_insertions(pruned.h, insertions);
        for (std::size_t i = 0; i < insertions.size(); ++i) {
            auto const loss = loglh - scores[i];
            if (!std::isfinite(loss)) continue;
            if (step == 0 && loss > 0) losses.add(loss);
            if (loss < most_loss) front.push_back(tree.back(insertions[i].target));
            if (loss < hopeless_share * most_loss) found.push_back({std::move(insertions[i]), scores[i]});
        }
    }
    sort(found);
    if (found.size() > candidates) found.erase(found.begin() + candidates, found.end());
    return found;
}

/// Optimises the three branches of each insertion, one after the other, all insertions at the same time. Also finds the
/// best length of the edge at the old place, and returns it.
BestLength fit(DistributedLikelihood& likelihood, Pruned const& pruned, std::vector<Scored>& found) {
    auto const sets = likelihood.tree().num_length_sets();
    BestLength old_place;
    for (std::size_t which = 0; which < 3; ++which) {
        std::vector<double> starts;
        for (std::size_t place = 0; place < found.size(); ++place) {
            auto const& insertion = found[place].insertion;
            likelihood.focus(pruned.h, insertion, which, place);
            auto const lengths = std::span(insertion.lengths).subspan(which * sets, sets);
            starts.insert(starts.end(), lengths.begin(), lengths.end());
        }
        if (which == 0) {
            likelihood.focus(pruned.a, found.size());
            auto const lengths = lengths_of(likelihood.tree(), std::array{pruned.a});
            starts.insert(starts.end(), lengths.begin(), lengths.end());
        }
        auto best = best_lengths(likelihood, starts, enough_gain);
        for (std::size_t place = 0; place < found.size(); ++place) {
            std::ranges::copy(best[place].lengths, &found[place].insertion.lengths[which * sets]);
        }
        if (which == 0) old_place = std::move(best.back());
    }
    return old_place;
}

/// Scores the insertions anew, the likeliest first.
void score(DistributedLikelihood& likelihood, Pruned const& pruned, std::vector<Scored>& found) {
    std::vector<Insertion> insertions;
    for (auto const& scored : found) insertions.push_back(scored.insertion);
    auto const scores = likelihood.score_insertions(pruned.h, insertions);
    for (std::size_t i = 0; i < found.size(); ++i) found[i].loglh = scores[i];
    sort(found);
}

/// Makes the insertion with its lengths.
msa::TreeUndo insert(DistributedLikelihood& likelihood, HalfEdge h, Insertion const& insertion) {
    auto inserted = likelihood.regraft(h, insertion.target);
    auto const& tree = likelihood.tree();
    set_lengths(likelihood, std::array{h, tree.next(h), tree.next(tree.next(h))}, insertion.lengths);
    return inserted;
}

Climb reinsert(DistributedLikelihood& likelihood, HalfEdge h, std::uint32_t radius, double loglh, Losses& losses,
               Constraint const* constraint) {
    auto const& tree = likelihood.tree();
    Fences const fences(constraint, tree);
    auto const left = tree.next(h);
    auto const right = tree.next(left);
    Pruned const at{h, tree.back(left), tree.back(right)};
    auto const pruned = likelihood.prune(h);
    likelihood.reach(spr_phase.inside);
    auto found = promising_insertions(likelihood, at, radius, loglh, losses, fences);
    if (!found.empty()) {
        auto const old_place = fit(likelihood, at, found);
        score(likelihood, at, found);
        for (auto const& [insertion, predicted] : found) {
            // The gain at the old place is that of a tree without the subtree, so the sum is a forecast.
            if (!(predicted + old_place.gain > loglh + least_gain)) break;
            SavedLengths const others(likelihood, {h, at.a});  // the subtree's branch, and the one at its old place
            auto const inserted = insert(likelihood, h, insertion);
            set_lengths(likelihood, std::array{at.a}, old_place.lengths);
            double const now = likelihood.loglh(h);
            if (now > loglh + least_gain) return {now, {h, tree.back(left), tree.back(right), at.a, at.b}};
            likelihood.undo(inserted);
            others.restore();
        }
    }
    likelihood.undo(pruned);
    return {loglh, {}};
}

}  // namespace

double Losses::mean() const {
    if (count < enough_losses) return std::numeric_limits<double>::infinity();
    return sum / static_cast<double>(count);
}

Climb try_spr(DistributedLikelihood& likelihood, HalfEdge h, std::uint32_t radius, double loglh, Losses& losses,
              Constraint const* constraint) {
    likelihood.reach(spr_phase.before);
    auto result = reinsert(likelihood, h, radius, loglh, losses, constraint);
    likelihood.reach(spr_phase.after);
    return result;
}

}  // namespace regraft::search
