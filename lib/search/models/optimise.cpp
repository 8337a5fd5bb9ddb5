#include "regraft/search/optimise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "search/models/class_weights.hpp"
#include "search/models/lengths.hpp"
#include "search/models/minimise.hpp"
#include "search/models/model_box.hpp"

namespace regraft::search {

using msa::HalfEdge;

namespace {

ft::FailPhase branches_phase("branches");
ft::FailPhase lengths_phase("lengths");
ft::FailPhase model_phase("model");

constexpr int max_newton_steps = 32;
constexpr std::size_t most_in_batch = 6;  // edges
static_assert(most_in_batch <= likelihood::PartitionOptions().most_in_focus);

/// The gain in log-likelihood that Newton's step promises. If the function is not concave there is no estimate, and the
/// gain counts as 1.
double promise(BranchValue const& f) {
    return f.second < 0 ? -0.5 * f.first * f.first / f.second : 1;
}

/// Search for the maximum of a function of one length by its first two derivatives.
class NewtonSearch {
public:
    NewtonSearch(double start, double enough)
        : enough_(enough), start_(std::clamp(start, min_branch_length, max_branch_length)), next_(start_) {}

    double next() const { return next_; }
    bool done() const { return done_; }
    /// Takes the function at next() and decides where to evaluate it next.
    void tell(BranchValue const& f) {
        if (done_) return;
        ++evaluations_;
        if (steps_ == 0) first_ = best_value_ = f.loglh;
        if (steps_ == 0 || f.loglh > best_value_) {
            best_ = next_;
            best_value_ = f.loglh;
        }
        (f.first > 0 ? low_ : high_) = next_;
        // The step leads to a maximum only where the function is concave. Where it is convex, or if the step leaves the
        // bracket, the bracket is halved. If the likelihood rises towards the least length, this length is tried once,
        // because many branches end there.
        double candidate = f.second < 0 ? step(f) : -1;
        if (f.first < 0 && candidate <= min_branch_length && !std::exchange(tried_least_, true)) {
            candidate = min_branch_length;
        } else if (!(candidate > low_ && candidate < high_)) {
            candidate = std::sqrt(low_ * high_);
        }
        done_ = is_at_limit(next_, f) || promise(f) < enough_ || high_ - low_ < 1e-9 || ++steps_ == max_newton_steps ||
                !std::isfinite(f.loglh);
        if (!done_) next_ = candidate;
    }
    double best() const { return best_; }
    double gain() const { return best_value_ - first_; }
    std::uint32_t evaluations() const { return evaluations_; }

private:
    /// The maximum of the function a log(t) - b t that has these derivatives: the log-likelihood is of this kind where
    /// few sites change along the edge. Newton's step, for a parabola, would need more evaluations.
    double step(BranchValue const& f) const {
        constexpr double most = 8;  // times the present length
        double const share = 1 + f.first / (f.second * next_);
        return share > 1 / most ? next_ / share : most * next_;
    }

    double enough_;
    double start_;
    double next_;
    double low_ = min_branch_length;
    double high_ = max_branch_length;
    double best_ = start_;
    double best_value_ = 0;
    double first_ = 0;
    int steps_ = 0;
    std::uint32_t evaluations_ = 0;
    bool tried_least_ = false;
    bool done_ = false;
};

/// The edges whose lengths are worth a change while all others stay, in pre-order, so that few CLVs change from one to
/// the next.
std::vector<HalfEdge> edges_that_promise(DistributedLikelihood& likelihood, double enough) {
    auto const& tree = likelihood.tree();
    auto const values = likelihood.gradient().edges;
    auto next = values.begin();
    auto const promises = [&](HalfEdge h) {
        bool any = false;
        for (std::uint32_t set = 0; set < tree.num_length_sets(); ++set) {
            auto const& f = *next++;
            if (!is_at_limit(tree.length(h, set), f) && promise(f) >= enough) any = true;
        }
        return any;
    };
    auto edges = msa::preorder_edges(tree);
    std::erase_if(edges, std::not_fn(promises));
    return edges;
}

/// Gives these edges their best lengths, all at the same time. Returns the sum of their gains.
double optimise_together(DistributedLikelihood& likelihood, std::span<HalfEdge const> edges, double enough) {
    for (std::size_t place = 0; place < edges.size(); ++place) likelihood.focus(edges[place], place);
    auto const best = best_lengths(likelihood, lengths_of(likelihood.tree(), edges), enough);
    double gain = 0;
    for (std::size_t place = 0; place < edges.size(); ++place) {
        set_lengths(likelihood, edges.subspan(place, 1), best[place].lengths);
        gain += best[place].gain;
    }
    return gain;
}

/// Deals the edges in their order, each to the first batch that has room and none of its neighbours.
std::vector<std::vector<HalfEdge>> batches(msa::Tree const& tree, std::span<HalfEdge const> edges) {
    std::vector<std::vector<HalfEdge>> result;
    auto const touch = [&](HalfEdge g, HalfEdge h) {
        auto const is_end = [&](msa::Node v) { return v == tree.node(h) || v == tree.node(tree.back(h)); };
        return is_end(tree.node(g)) || is_end(tree.node(tree.back(g)));
    };
    for (auto h : edges) {
        auto const fits = [&](auto const& batch) {
            return batch.size() < most_in_batch && std::ranges::none_of(batch, [&](HalfEdge g) { return touch(g, h); });
        };
        auto const batch = std::ranges::find_if(result, fits);
        if (batch == result.end()) {
            result.push_back({h});
        } else {
            batch->push_back(h);
        }
    }
    return result;
}

/// What the scale of a tree is multiplied by in trials. Of 50,000 taxa, two maxima were 1.44 apart.
constexpr std::array scale_factors = {1 / 1.4, 1 / 2.0, 1 / 3.0, 1 / 5.0, 1 / 8.0, 1.4, 2.0, 3.0, 5.0};

/// The same as rescale_branches for the scalers of partitions, each by a factor of its own.
bool rescale_partitions(DistributedLikelihood& likelihood, double epsilon) {
    auto const num_partitions = likelihood.num_partitions();
    if (likelihood.linkage() != BranchLinkage::scaled || num_partitions == 1) return false;
    std::vector<ModelTrial> trials;
    for (std::size_t q = 0; q < num_partitions; ++q) {
        if (likelihood.spec(q).scaler_from == Origin::fixed) continue;
        for (double const factor : scale_factors) {
            auto& scaler = trials.emplace_back(ModelTrial{q, likelihood.model(q)}).model.scaler;
            scaler = std::clamp(scaler * factor, least_scaler, most_scaler);
        }
    }
    if (trials.empty()) return false;
    auto best = likelihood.partition_loglh();
    for (auto& value : best) value += epsilon;
    auto const values = likelihood.trial_loglh(trials);
    bool has_changed = false;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        auto const q = trials[i].partition;
        if (!(values[i] >= best[q])) continue;
        best[q] = values[i];
        likelihood.set_model(q, std::move(trials[i].model));
        has_changed = true;
    }
    return has_changed;
}

}  // namespace

std::vector<double> lengths_of(msa::Tree const& tree, std::span<HalfEdge const> edges) {
    std::vector<double> lengths;
    for (auto h : edges) {
        for (std::uint32_t set = 0; set < tree.num_length_sets(); ++set) lengths.push_back(tree.length(h, set));
    }
    return lengths;
}

void set_lengths(DistributedLikelihood& likelihood, std::span<HalfEdge const> edges, std::span<double const> lengths) {
    auto next = lengths.begin();
    for (auto h : edges) {
        for (std::uint32_t set = 0; set < likelihood.tree().num_length_sets(); ++set) {
            likelihood.set_length(h, *next++, set);
        }
    }
}

std::vector<BestLength> best_lengths(DistributedLikelihood& likelihood, std::span<double const> starts, double enough) {
    auto const sets = likelihood.tree().num_length_sets();
    std::vector<NewtonSearch> searches;
    for (auto start : starts) searches.emplace_back(start, enough);
    auto const at = [&](std::size_t place) { return std::span(searches).subspan(place * sets, sets); };
    auto const num_places = searches.size() / sets;
    for (;;) {
        std::vector<std::size_t> places;
        std::vector<double> lengths;
        for (std::size_t place = 0; place < num_places; ++place) {
            if (std::ranges::all_of(at(place), &NewtonSearch::done)) continue;
            places.push_back(place);
            for (auto const& search : at(place)) lengths.push_back(search.next());
        }
        if (places.empty()) break;
        auto const values = likelihood.branch_values(places, lengths);
        for (std::size_t i = 0; i < values.size(); ++i) at(places[i / sets])[i % sets].tell(values[i]);
    }
    std::vector<BestLength> best(num_places);
    for (std::size_t place = 0; place < num_places; ++place) {
        for (auto const& search : at(place)) {
            best[place].lengths.push_back(search.best());
            best[place].gain += search.gain();
            best[place].evaluations = std::max(best[place].evaluations, search.evaluations());
        }
    }
    return best;
}

double optimise_branch(DistributedLikelihood& likelihood, HalfEdge h, double enough) {
    return optimise_together(likelihood, std::array{h}, enough);
}

double optimise_branches(DistributedLikelihood& likelihood, std::span<HalfEdge const> edges, double enough) {
    constexpr std::size_t nearby = 24;  // edges of which batches are made: few, so that their CLVs stay in memory
    double gain = 0;
    for (std::size_t first = 0; first < edges.size(); first += nearby) {
        auto const some = edges.subspan(first, std::min(nearby, edges.size() - first));
        for (auto const& batch : batches(likelihood.tree(), some)) gain += optimise_together(likelihood, batch, enough);
        likelihood.reach(branches_phase.inside);
    }
    return gain;
}

double promised_gain(DistributedLikelihood& likelihood, std::span<HalfEdge const> edges) {
    auto const lengths = lengths_of(likelihood.tree(), edges);
    auto const values = likelihood.edge_values(edges);
    double promised = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto const& f = values[i];
        if (is_at_limit(lengths[i], f)) continue;
        auto const room = std::max(f.first < 0 ? lengths[i] - min_branch_length : max_branch_length - lengths[i], 0.0);
        auto const within = std::abs(f.first) * room + std::max(f.second, 0.0) * room * room / 2;
        promised += std::min(promise(f), within);
    }
    return promised;
}

double smooth_branches(DistributedLikelihood& likelihood, double epsilon, Pass pass) {
    likelihood.reach(branches_phase.before);
    constexpr double share = 0.25;  // the fraction of epsilon that may remain, in all edges together
    double const enough = share * epsilon / likelihood.tree().num_edges();
    auto const& tree = likelihood.tree();
    auto const edges = pass == Pass::all ? msa::preorder_edges(tree) : edges_that_promise(likelihood, enough);
    auto const gain = optimise_branches(likelihood, edges, enough);
    likelihood.reach(branches_phase.after);
    return gain;
}

double optimise_lengths(DistributedLikelihood& likelihood, double tolerance) {
    constexpr int most_passes = 4;
    likelihood.reach(lengths_phase.before);
    double gain = 0;
    double alone = tolerance;  // gained by edges alone
    for (int pass = 0; pass < most_passes && alone >= tolerance; ++pass) {
        gain += ascend(likelihood, tolerance, lengths_phase.inside);
        alone = 0;
        for (auto h : edges_that_promise(likelihood, tolerance)) alone += optimise_branch(likelihood, h, tolerance);
        gain += alone;
    }
    likelihood.reach(lengths_phase.after);
    return gain;
}

bool rescale_branches(DistributedLikelihood& likelihood, double epsilon) {
    auto const edges = likelihood.tree().edges();
    auto const sets = likelihood.tree().num_length_sets();
    auto const lengths = lengths_of(likelihood.tree(), edges);
    auto const before = loglh_of_sets(likelihood);
    std::vector<double> scale(sets, 1.0);
    auto best = before;
    auto const times = [&](auto const& factor_of) {
        auto scaled = lengths;
        for (std::size_t i = 0; i < scaled.size(); ++i)
            scaled[i] = std::clamp(scaled[i] * factor_of(i % sets), min_branch_length, max_branch_length);
        return scaled;
    };
    for (double const factor : scale_factors) {
        set_lengths(likelihood, edges, times([&](std::size_t) { return factor; }));
        auto const now = loglh_of_sets(likelihood);
        for (std::size_t set = 0; set < sets; ++set) {
            if (now[set] - before[set] < epsilon || !(now[set] > best[set])) continue;
            best[set] = now[set];
            scale[set] = factor;
        }
    }
    bool const is_better = std::ranges::any_of(scale, [](double factor) { return factor != 1; });
    set_lengths(likelihood, edges, is_better ? times([&](std::size_t set) { return scale[set]; }) : lengths);
    return rescale_partitions(likelihood, epsilon) || is_better;
}

void optimise_models(DistributedLikelihood& likelihood, double epsilon, Lengths lengths) {
    likelihood.reach(model_phase.before);
    constexpr double share = 0.1;
    bool const is_scaled = likelihood.linkage() == BranchLinkage::scaled && lengths != Lengths::fixed &&
                           (likelihood.num_partitions() > 1 || lengths != Lengths::change);
    std::vector<ModelBox> boxes;
    for (std::size_t q = 0; q < likelihood.num_partitions(); ++q) {
        auto const& spec = likelihood.spec(q);
        bool const frees_scaler = is_scaled && spec.scaler_from != Origin::fixed;
        boxes.emplace_back(spec, likelihood.model(q), frees_scaler ? Variables::model_and_scaler : Variables::model);
    }
    std::vector<Box> where;
    for (auto const& box : boxes) where.push_back(box.box());
    auto const best = minimise(where, share * epsilon, [&](std::span<Question const> questions) {
        std::vector<ModelTrial> trials;
        for (auto const& [q, x] : questions) trials.push_back({q, boxes[q].model(x)});
        auto costs = likelihood.trial_loglh(trials);
        for (auto& cost : costs) cost = std::isfinite(cost) ? -cost : std::numeric_limits<double>::infinity();
        likelihood.reach(model_phase.inside);
        return costs;
    });
    for (std::size_t q = 0; q < best.size(); ++q) likelihood.set_model(q, boxes[q].model(best[q]));
    optimise_class_weights(likelihood, share * epsilon);
    likelihood.reach(model_phase.after);
}

void normalise_scalers(DistributedLikelihood& likelihood, std::span<std::uint64_t const> sites) {
    for (std::size_t q = 0; q < sites.size(); ++q) {
        if (likelihood.spec(q).scaler_from == Origin::fixed) return;
    }
    double weighted = 0;
    double total = 0;
    for (std::size_t q = 0; q < sites.size(); ++q) {
        weighted += likelihood.model(q).scaler * static_cast<double>(sites[q]);
        total += static_cast<double>(sites[q]);
    }
    double const mean = weighted / total;
    for (auto h : likelihood.tree().edges()) likelihood.set_length(h, likelihood.tree().length(h) * mean);
    for (std::size_t q = 0; q < sites.size(); ++q) {
        auto model = likelihood.model(q);
        model.scaler /= mean;
        likelihood.set_model(q, std::move(model));
    }
}

}  // namespace regraft::search
