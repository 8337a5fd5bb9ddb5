#include "search/models/lengths.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <list>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <nlopt.h>

#include "search/likelihood/fiber.hpp"

namespace regraft::search {
namespace {

constexpr int most_evaluations = 200;
constexpr unsigned most_kept = 20;  // steps from which L-BFGS learns
constexpr double least_root_curvature = 1e-2;
constexpr double offset = 1e-4;  // added to lengths

double square(double x) {
    return x * x;
}

double root(double length) {
    return std::sqrt(length + offset);
}

/// What was found for a length set.
struct Found {
    std::vector<double> lengths;
    double loglh;
};

/// Optimises the lengths of one set. NLopt calls the function, but here the caller must evaluate it for all sets
/// together. So this runs in a fiber, which pauses when it needs a gradient.
///
/// The variables are square roots. Of a log(t) - b t, which the log-likelihood is like where few sites change along an
/// edge, the second derivative by the root of t is the same at all maxima. The offset lets lengths of 0 grow again: the
/// derivative by the root of t alone is 0 there.
class Ascent {
public:
    Ascent(std::vector<double> start, double tolerance)
        : lengths_(std::move(start)), tolerance_(tolerance), fiber_([this] { run(); }) {}

    /// Goes on until the gradient at lengths() is needed. Returns false at the end.
    bool advance() {
        if (!fiber_.has_ended()) fiber_.resume();
        return !fiber_.has_ended();
    }
    std::vector<double> const& lengths() const { return lengths_; }
    /// Takes the log-likelihood and its derivatives there.
    void tell(double loglh, std::vector<BranchValue> values) {
        loglh_ = loglh;
        values_ = std::move(values);
    }
    Found const& best() const { return best_; }
    double gain() const { return best_.loglh - first_loglh_; }

private:
    void run() {
        ask();
        best_ = {lengths_, loglh_};
        first_loglh_ = loglh_;
        auto const promise = find_scales();
        if (!std::isfinite(promise) || promise < tolerance_) return;
        maximise();
        if (problem_) std::rethrow_exception(problem_);
    }

    void ask() {
        fiber_.pause();
        if (loglh_ > best_.loglh) best_ = {lengths_, loglh_};
    }

    /// Finds scales of the variables in which every second derivative is about 1. Returns the gain that Newton's steps
    /// in each variable alone promise.
    double find_scales() {
        double promise = 0;
        for (std::size_t i = 0; i < lengths_.size(); ++i) {
            auto const t = lengths_[i];
            auto const& f = values_[i];
            auto const curvature = 2 * f.first + 4 * (t + offset) * f.second;
            scales_.push_back(
                std::sqrt(std::isfinite(curvature) ? std::max(std::abs(curvature), least_root_curvature) : 1));
            if (!is_at_limit(t, f)) promise += square(slope(i)) / 2;
        }
        return promise;
    }

    /// The derivative by a variable.
    double slope(std::size_t i) const { return 2 * root(lengths_[i]) * values_[i].first / scales_[i]; }

    void maximise() {
        auto const size = lengths_.size();
        std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> const nlopt(
            nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(size)), &nlopt_destroy);
        if (nlopt == nullptr) throw std::bad_alloc();
        std::vector<double> low;
        std::vector<double> high;
        for (std::size_t i = 0; i < size; ++i) {
            low.push_back(root(min_branch_length) * scales_[i]);
            high.push_back(root(max_branch_length) * scales_[i]);
            start_.push_back(std::clamp(root(lengths_[i]) * scales_[i], low[i], high[i]));
        }
        nlopt_ = nlopt.get();
        nlopt_set_max_objective(
            nlopt_,
            [](unsigned, double const* x, double* gradient, void* self) {
                return static_cast<Ascent*>(self)->value(x, gradient);
            },
            this);
        nlopt_set_lower_bounds(nlopt_, low.data());
        nlopt_set_upper_bounds(nlopt_, high.data());
        nlopt_set_vector_storage(nlopt_, most_kept);
        nlopt_set_ftol_abs(nlopt_, tolerance_);
        nlopt_set_maxeval(nlopt_, most_evaluations);
        double loglh = 0;
        auto x = start_;
        // Whatever the reason to stop, the best lengths count.
        static_cast<void>(nlopt_optimize(nlopt_, x.data(), &loglh));
    }

    double value(double const* x, double* gradient) {
        if (problem_) return 0;  // NLopt stops only after the present line
        // L-BFGS first asks for what is known already.
        bool const is_known = std::exchange(begins_, false) && std::ranges::equal(start_, std::span(x, start_.size()));
        if (!is_known) {
            for (std::size_t i = 0; i < lengths_.size(); ++i)
                lengths_[i] = std::clamp(square(x[i] / scales_[i]) - offset, min_branch_length, max_branch_length);
            try {
                ask();
            } catch (...) {  // must not unwind through C
                problem_ = std::current_exception();
                nlopt_force_stop(nlopt_);
                return 0;
            }
        }
        for (std::size_t i = 0; i < lengths_.size() && gradient != nullptr; ++i) gradient[i] = slope(i);
        return loglh_;
    }

    std::vector<double> lengths_;
    double tolerance_;
    double loglh_ = 0;
    std::vector<BranchValue> values_;
    std::vector<double> scales_;
    std::vector<double> start_;
    bool begins_ = true;
    double first_loglh_ = 0;
    Found best_{{}, -std::numeric_limits<double>::infinity()};
    std::exception_ptr problem_;
    nlopt_opt nlopt_ = nullptr;
    Fiber fiber_;  // declared last, because it uses all other members
};

/// Every so many-th of some values, from the first one on.
template <class T>
std::vector<T> every(std::size_t step, std::size_t first, std::vector<T> const& values) {
    std::vector<T> result;
    for (auto i = first; i < values.size(); i += step) result.push_back(values[i]);
    return result;
}

}  // namespace

double ascend(DistributedLikelihood& likelihood, double tolerance, ft::FailPoint& after_each) {
    auto const& tree = likelihood.tree();
    auto const edges = msa::preorder_edges(tree);
    auto const sets = tree.num_length_sets();
    auto const set_all = [&](std::uint32_t set, std::vector<double> const& lengths) {
        for (std::size_t i = 0; i < edges.size(); ++i) likelihood.set_length(edges[i], lengths[i], set);
    };
    auto const start = lengths_of(tree, edges);
    std::list<Ascent> ascents;
    for (std::uint32_t set = 0; set < sets; ++set) ascents.emplace_back(every(sets, set, start), tolerance);
    for (;;) {
        std::vector<std::pair<std::uint32_t, Ascent*>> askers;
        std::uint32_t set = 0;
        for (auto& ascent : ascents) {
            if (ascent.advance()) askers.emplace_back(set, &ascent);
            set_all(set++, ascent.lengths());
        }
        if (askers.empty()) break;
        auto const gradient = likelihood.gradient();
        for (auto const& [number, ascent] : askers)
            ascent->tell(gradient.loglh[number], every(sets, number, gradient.edges));
        likelihood.reach(after_each);
    }
    double gain = 0;
    std::uint32_t set = 0;
    for (auto const& ascent : ascents) {
        set_all(set++, ascent.best().lengths);
        gain += ascent.gain();
    }
    return gain;
}

}  // namespace regraft::search
