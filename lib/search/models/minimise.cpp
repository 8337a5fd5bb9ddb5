#include "search/models/minimise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <list>
#include <memory>
#include <new>
#include <utility>

#include <nlopt.h>

#include "search/likelihood/fiber.hpp"

namespace regraft::search {
namespace {

constexpr double gradient_step = 1e-5;
constexpr double curvature_step = 1e-2;
constexpr double least_curvature = 1e-2;
constexpr double infinity = std::numeric_limits<double>::infinity();
/// The largest number of minimisations at once. Each needs a stack.
constexpr std::size_t most_at_once = 64;

/// One minimisation. NLopt calls the function, but here the caller must evaluate it for all minimisations together. So
/// a minimisation runs in a fiber, which pauses when it has questions.
class Minimisation {
public:
    Minimisation(Box const& box, double tolerance)
        : box_(box), best_(box.start), tolerance_(tolerance), fiber_([this] { run(); }) {}

    /// The points at which the minimisation needs the function; empty when it has ended.
    std::span<std::vector<double> const> next() {
        if (!fiber_.has_ended()) fiber_.resume();
        if (fiber_.has_ended()) return {};
        return points_;
    }
    /// Passes the values at these points.
    void tell(std::span<double const> values) { values_.assign(values.begin(), values.end()); }
    std::vector<double> const& best() const { return best_; }

private:
    std::size_t size() const { return box_.start.size(); }

    void run() {
        if (size() == 0) return;
        auto const promise = find_scales();
        if (!(promise < tolerance_)) minimise();
        if (problem_) std::rethrow_exception(problem_);
    }

    void ask(std::vector<std::vector<double>> points) {
        points_ = std::move(points);
        fiber_.pause();
        for (std::size_t i = 0; i < points_.size(); ++i) {
            if (!(values_[i] < best_value_)) continue;
            best_value_ = values_[i];
            best_ = points_[i];
        }
    }

    std::vector<double> shifted(std::vector<double> x, std::size_t i, double by) const {
        x[i] += by;
        return x;
    }

    /// Finds scales in which every second derivative is about 1; the first derivatives come at no further cost. Returns
    /// the gain that Newton's steps in each variable alone promise.
    double find_scales() {
        std::vector<std::vector<double>> points{box_.start};
        std::vector<std::array<double, 2>> steps;  // to both sides, or twice into the box
        for (std::size_t i = 0; i < size(); ++i) {
            bool const below = box_.start[i] - curvature_step >= box_.low[i];
            bool const above = box_.start[i] + curvature_step <= box_.high[i];
            steps.push_back(
                {below ? -curvature_step : 2 * curvature_step, above ? curvature_step : -2 * curvature_step});
            for (double const step : steps.back()) points.push_back(shifted(box_.start, i, step));
        }
        ask(std::move(points));
        first_value_ = values_[0];
        double promise = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            auto const [a, b] = steps[i];
            auto const slope_to_a = (values_[1 + 2 * i] - first_value_) / a;
            auto const slope_to_b = (values_[2 + 2 * i] - first_value_) / b;
            auto const curvature = 2 * (slope_to_b - slope_to_a) / (b - a);
            scales_.push_back(std::sqrt(std::isfinite(curvature) ? std::max(std::abs(curvature), least_curvature) : 1));
            auto const slope = (slope_to_a - curvature * a / 2) / scales_[i];
            first_gradient_.push_back(slope);
            promise += slope * slope / 2;
        }
        return promise;
    }

    void minimise() {
        std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> const nlopt(
            nlopt_create(NLOPT_LD_SLSQP, static_cast<unsigned>(size())), &nlopt_destroy);
        if (nlopt == nullptr) throw std::bad_alloc();
        std::vector<double> low;
        std::vector<double> high;
        std::vector<double> x;
        for (std::size_t i = 0; i < size(); ++i) {
            low.push_back(box_.low[i] * scales_[i]);
            high.push_back(box_.high[i] * scales_[i]);
            x.push_back(box_.start[i] * scales_[i]);
        }
        nlopt_ = nlopt.get();
        nlopt_set_min_objective(
            nlopt.get(),
            [](unsigned, double const* point, double* gradient, void* self) {
                return static_cast<Minimisation*>(self)->value(point, gradient);
            },
            this);
        nlopt_set_lower_bounds(nlopt.get(), low.data());
        nlopt_set_upper_bounds(nlopt.get(), high.data());
        nlopt_set_ftol_abs(nlopt.get(), tolerance_);
        nlopt_set_maxeval(nlopt.get(), 200);
        double value = 0;
        // Whatever the reason to stop, the best point counts.
        static_cast<void>(nlopt_optimize(nlopt.get(), x.data(), &value));
    }

    double value(double const* point, double* gradient) {
        if (problem_) return infinity;                          // NLopt may stop later
        if (gradient != nullptr && !first_gradient_.empty()) {  // SLSQP first asks for the gradient at the start
            std::copy(first_gradient_.begin(), first_gradient_.end(), gradient);
            first_gradient_.clear();
            return first_value_;
        }
        std::vector<double> x;
        for (std::size_t i = 0; i < size(); ++i) {
            x.push_back(std::clamp(point[i] / scales_[i], box_.low[i], box_.high[i]));
        }
        std::vector<std::vector<double>> points{x};
        std::vector<double> steps;
        for (std::size_t i = 0; i < size() && gradient != nullptr; ++i) {
            steps.push_back(x[i] + gradient_step <= box_.high[i] ? gradient_step : -gradient_step);
            points.push_back(shifted(x, i, steps[i]));
        }
        try {
            ask(std::move(points));
        } catch (...) {  // must not unwind through C
            problem_ = std::current_exception();
            nlopt_force_stop(nlopt_);
            return infinity;
        }
        for (std::size_t i = 0; i < steps.size(); ++i) {
            gradient[i] = (values_[1 + i] - values_[0]) / (steps[i] * scales_[i]);
        }
        return values_[0];
    }

    Box const& box_;
    std::vector<double> best_;
    double best_value_ = infinity;
    double tolerance_;
    std::vector<double> scales_;  // scales of the variables, relative to the box's
    double first_value_ = 0;
    std::vector<double> first_gradient_;
    std::vector<std::vector<double>> points_;
    std::vector<double> values_;
    std::exception_ptr problem_;
    nlopt_opt nlopt_ = nullptr;
    Fiber fiber_;  // declared last, because it uses all other members
};

std::vector<std::vector<double>> minimise_few(std::span<Box const> boxes, std::size_t first, double tolerance,
                                              Answer const& answer) {
    std::list<Minimisation> minimisations;
    for (auto const& box : boxes) minimisations.emplace_back(box, tolerance);
    while (true) {
        std::vector<Question> questions;
        std::vector<std::pair<Minimisation*, std::size_t>> askers;
        auto number = first;
        for (auto& minimisation : minimisations) {
            auto const points = minimisation.next();
            for (auto const& x : points) questions.push_back({number, x});
            askers.emplace_back(&minimisation, points.size());
            ++number;
        }
        if (questions.empty()) break;
        auto const values = answer(questions);
        auto rest = std::span(values);
        for (auto const& [minimisation, count] : askers) {
            minimisation->tell(rest.first(count));
            rest = rest.subspan(count);
        }
    }
    std::vector<std::vector<double>> best;
    for (auto const& minimisation : minimisations) best.push_back(minimisation.best());
    return best;
}

}  // namespace

std::vector<std::vector<double>> minimise(std::span<Box const> boxes, double tolerance, Answer const& answer) {
    std::vector<std::vector<double>> best;
    for (std::size_t first = 0; first < boxes.size(); first += most_at_once) {
        auto const few = boxes.subspan(first, std::min(most_at_once, boxes.size() - first));
        for (auto& x : minimise_few(few, first, tolerance, answer)) best.push_back(std::move(x));
    }
    return best;
}

}  // namespace regraft::search
