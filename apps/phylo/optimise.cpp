#include "optimise.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include <boost/math/tools/minima.hpp>
#include <nlopt.h>

#include "regraft/likelihood/ieee_math.hpp"

namespace regraft::phylo {

using msa::HalfEdge;

namespace {

ft::FailPhase branches_phase("branches");
ft::FailPhase model_phase("model");

constexpr int max_newton_steps = 32;
constexpr double enough_gain = 1e-7;  // stop a branch when the next step promises less

/// Newton-Raphson for the maximum of a function of one length.
class NewtonSearch {
public:
    explicit NewtonSearch(double start)
        : start_(std::clamp(start, min_branch_length, max_branch_length)), next_(start_) {}

    double next() const { return next_; }
    bool done() const { return done_; }
    /// Takes the function at next() and decides where to look then.
    void tell(BranchValue const& f) {
        if (done_) return;
        if (steps_ == 0) first_ = best_value_ = f.loglh;
        if (steps_ == 0 || f.loglh > best_value_) {
            best_ = next_;
            best_value_ = f.loglh;
        }
        (f.first > 0 ? low_ : high_) = next_;
        // Only where the function is concave does Newton's step lead to a maximum; where it is convex, or the step
        // leaves the bracket, halve. A way down to the least length tries that once: there many branches end.
        double candidate = f.second < 0 ? next_ - f.first / f.second : -1;
        double const promise = f.second < 0 ? -0.5 * f.first * f.first / f.second : 1;
        if (f.first < 0 && candidate <= min_branch_length && !std::exchange(tried_least_, true)) {
            candidate = min_branch_length;
        } else if (!(candidate > low_ && candidate < high_)) {
            candidate = std::sqrt(low_ * high_);
        }
        bool const at_limit =
            (f.first <= 0 && next_ <= min_branch_length) || (f.first >= 0 && next_ >= max_branch_length);
        done_ = at_limit || promise < enough_gain || high_ - low_ < 1e-9 || ++steps_ == max_newton_steps ||
                !std::isfinite(f.loglh);
        if (!done_) next_ = candidate;
    }
    double best() const { return best_; }
    double gain() const { return best_value_ - first_; }

private:
    double start_;
    double next_;
    double low_ = min_branch_length;
    double high_ = max_branch_length;
    double best_ = start_;
    double best_value_ = 0;
    double first_ = 0;
    int steps_ = 0;
    bool tried_least_ = false;
    bool done_ = false;
};

/// Minimises f in one dimension over [low, high], starting the comparison at `start`; returns the best argument.
template <class Function>
double minimise(Function f, double low, double high, double start) {
    constexpr int bits = 20;  // half of a double's: more cannot be told apart at a flat minimum
    std::uintmax_t iterations = 40;
    double const f_start = f(start);
    auto const [best, f_best] = boost::math::tools::brent_find_minima(f, low, high, bits, iterations);
    return f_best < f_start ? best : start;
}

/// Minimises f over a box by BOBYQA, from x on; x becomes the best point seen. Exceptions of f pass through.
void minimise(std::function<double(std::vector<double> const&)> const& f, std::vector<double>& x, double low,
              double high) {
    struct Call {
        std::function<double(std::vector<double> const&)> const& function;
        nlopt_opt search;
        std::exception_ptr error;
        std::vector<double> best;
        double best_value;
    };
    std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> const search(
        nlopt_create(NLOPT_LN_BOBYQA, static_cast<unsigned>(x.size())), &nlopt_destroy);
    if (search == nullptr) throw std::bad_alloc();
    Call call{f, search.get(), nullptr, x, std::numeric_limits<double>::infinity()};
    auto const evaluate = [](unsigned n, double const* point, double*, void* data) -> double {
        auto& state = *static_cast<Call*>(data);
        std::vector<double> arguments(point, point + n);
        try {
            double const result = state.function(arguments);
            if (result < state.best_value) {
                state.best_value = result;
                state.best = std::move(arguments);
            }
            return result;
        } catch (...) {  // must not unwind through C
            state.error = std::current_exception();
            nlopt_force_stop(state.search);
            return std::numeric_limits<double>::infinity();
        }
    };
    nlopt_set_min_objective(search.get(), evaluate, &call);
    nlopt_set_lower_bounds1(search.get(), low);
    nlopt_set_upper_bounds1(search.get(), high);
    nlopt_set_initial_step1(search.get(), 0.2);
    nlopt_set_ftol_abs(search.get(), 1e-4);
    nlopt_set_xtol_abs1(search.get(), 1e-4);
    nlopt_set_maxeval(search.get(), static_cast<int>(100 * (x.size() + 1)));
    for (auto& xi : x) xi = std::clamp(xi, low, high);
    double value = 0;
    static_cast<void>(
        nlopt_optimize(search.get(), x.data(), &value));  // whatever the reason to stop: the best point counts
    if (call.error) std::rethrow_exception(call.error);
    x = call.best;
}

/// Minus the partition's log-likelihood with the model as `change` leaves it.
template <class Change>
double cost(Likelihood& likelihood, std::size_t partition, Change change) {
    auto model = likelihood.model(partition);
    change(model);
    likelihood.set_model(partition, std::move(model));
    double const loglh = likelihood.partition_loglh(partition);
    return std::isfinite(loglh) ? -loglh : 1e100;
}

/// Brent on the logarithm of a positive parameter.
void optimise_parameter(Likelihood& likelihood, std::size_t partition, double Model::*parameter, double low,
                        double high) {
    auto const value = [=](double x) { return std::clamp(likelihood::exp(x), low, high); };
    auto const set_to = [&](double x) { return [=](Model& model) { model.*parameter = value(x); }; };
    auto const f = [&](double x) { return cost(likelihood, partition, set_to(x)); };
    double const before = likelihood.model(partition).*parameter;
    double const start = likelihood::log(std::clamp(before, low, high));
    double const best = minimise(f, likelihood::log(low), likelihood::log(high), start);
    auto model = likelihood.model(partition);
    model.*parameter = best == start ? before : value(best);  // exp(log(x)) need not be x
    likelihood.set_model(partition, std::move(model));
}

/// BOBYQA on the logarithms of positive numbers relative to one of them, the unit.
template <class Get, class Set>
void optimise_ratios(Likelihood& likelihood, std::size_t partition, std::size_t unit, Get get, Set set) {
    constexpr double limit = 6.907755278982137;  // log(1000)
    auto const before = likelihood.model(partition);
    std::vector<double> const start = get(before);
    std::vector<double> x;
    for (std::size_t i = 0; i < start.size(); ++i) {
        if (i != unit) x.push_back(likelihood::log(start[i] / start[unit]));
    }
    auto const apply = [&](Model& model, std::vector<double> const& logs) {
        std::vector<double> ratios;
        for (double log : logs) ratios.push_back(likelihood::exp(log));
        ratios.insert(ratios.begin() + static_cast<std::ptrdiff_t>(unit), 1.0);
        set(model, std::move(ratios));
    };
    double const f_before = cost(likelihood, partition, [](Model&) {});
    minimise(
        [&](std::vector<double> const& logs) { return cost(likelihood, partition, [&](Model& m) { apply(m, logs); }); },
        x, -limit, limit);
    if (cost(likelihood, partition, [&](Model& m) { apply(m, x); }) >= f_before)
        likelihood.set_model(partition, before);
}

/// The same for a member of Model whose scale does not matter, or is that of the unit.
void optimise_ratios(Likelihood& likelihood, std::size_t partition, std::size_t unit,
                     std::vector<double> Model::*numbers) {
    optimise_ratios(
        likelihood, partition, unit, [&](Model const& model) { return model.*numbers; },
        [&](Model& model, std::vector<double> ratios) { model.*numbers = std::move(ratios); });
}

/// Relative to the highest, which the data say most about; relative to one that they say little about, all others would
/// have to change at once.
void optimise_rates(Likelihood& likelihood, std::size_t partition) {
    auto const& rates = likelihood.model(partition).rates;
    auto const highest = static_cast<std::size_t>(std::max_element(rates.begin(), rates.end()) - rates.begin());
    auto const last = likelihood.spec(partition).rate_classes.back();
    optimise_ratios(
        likelihood, partition, highest, [](Model const& model) { return model.rates; },
        [last](Model& model, std::vector<double> ratios) {
            auto const unit = ratios[last];
            for (auto& ratio : ratios) ratio /= unit;
            model.rates = std::move(ratios);
        });
}

void optimise_frequencies(Likelihood& likelihood, std::size_t partition) {
    auto const last = likelihood.model(partition).frequencies.size() - 1;
    optimise_ratios(
        likelihood, partition, last, [](Model const& model) { return model.frequencies; },
        [](Model& model, std::vector<double> ratios) {
            double sum = 0;
            for (double ratio : ratios) sum += ratio;
            for (double& ratio : ratios) ratio /= sum;
            model.frequencies = std::move(ratios);
        });
}

void optimise_heterogeneity(Likelihood& likelihood, std::size_t partition) {
    auto const& spec = likelihood.spec(partition);
    if (spec.has_gamma() && spec.alpha_from == Origin::optimised) {
        optimise_parameter(likelihood, partition, &Model::alpha, likelihood::min_alpha, likelihood::max_alpha);
    }
    if (spec.heterogeneity == likelihood::Heterogeneity::free && spec.free_rates_from == Origin::optimised) {
        auto const last = std::size_t{spec.categories} - 1;
        optimise_ratios(likelihood, partition, last, &Model::category_weights);
        optimise_ratios(likelihood, partition, last, &Model::category_rates);
    }
    if (spec.invariant_from == Origin::optimised) {
        constexpr double least = 1e-6;
        optimise_parameter(likelihood, partition, &Model::invariant, least, likelihood::max_invariant);
    }
}

}  // namespace

double optimise_branch(Likelihood& likelihood, HalfEdge h) {
    auto const sets = likelihood.tree().num_length_sets();
    std::vector<NewtonSearch> searches;
    for (std::uint32_t set = 0; set < sets; ++set) searches.emplace_back(likelihood.tree().length(h, set));
    likelihood.focus(h);
    auto const all_done = [&] {
        return std::all_of(searches.begin(), searches.end(), [](auto& s) { return s.done(); });
    };
    while (!all_done()) {
        std::vector<double> lengths;
        for (auto const& search : searches) lengths.push_back(search.next());
        auto const values = likelihood.branch_values(lengths);
        for (std::uint32_t set = 0; set < sets; ++set) searches[set].tell(values[set]);
    }
    double gain = 0;
    for (std::uint32_t set = 0; set < sets; ++set) {
        likelihood.set_length(h, searches[set].best(), set);
        gain += searches[set].gain();
    }
    return gain;
}

double smooth_branches(Likelihood& likelihood) {
    likelihood.reach(branches_phase.before);
    auto const& tree = likelihood.tree();
    double gain = 0;
    std::vector<HalfEdge> stack{0};  // towards the node behind each; pre-order, so few CLVs change between two edges
    while (!stack.empty()) {
        auto const h = stack.back();
        stack.pop_back();
        gain += optimise_branch(likelihood, h);
        likelihood.reach(branches_phase.inside);
        auto const behind = tree.back(h);
        for (auto g = tree.next(behind); g != behind; g = tree.next(g)) stack.push_back(g);
    }
    likelihood.reach(branches_phase.after);
    return gain;
}

double optimise_model(Likelihood& likelihood, std::size_t partition) {
    likelihood.reach(model_phase.before);
    auto const& spec = likelihood.spec(partition);
    double const before = likelihood.partition_loglh(partition);
    if (spec.rates_from == Origin::optimised) optimise_rates(likelihood, partition);
    if (spec.frequencies == Frequencies::optimised) optimise_frequencies(likelihood, partition);
    likelihood.reach(model_phase.inside);
    optimise_heterogeneity(likelihood, partition);
    bool const is_scaled = likelihood.linkage() == BranchLinkage::scaled && likelihood.num_partitions() > 1;
    if (is_scaled) optimise_parameter(likelihood, partition, &Model::scaler, 0.01, 100);
    double const gain = likelihood.partition_loglh(partition) - before;
    likelihood.reach(model_phase.after);
    return gain;
}

void normalise_scalers(Likelihood& likelihood, std::span<std::uint64_t const> sites) {
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

}  // namespace regraft::phylo
