#include "search/model_box.hpp"

#include <algorithm>
#include <utility>

#include "likelihood/kernels/ieee_math.hpp"

namespace regraft::search {

using likelihood::Frequencies;
using likelihood::Model;
using likelihood::ModelSpec;
using likelihood::Origin;

namespace {

constexpr double log_of_1000 = 6.907755278982137;
/// How far the box reaches on both sides of the start, in logarithms. The first step of an optimiser knows only the
/// slope at the start. In a larger box it could end, and stay, where the function hardly changes.
constexpr double reach = 2;
constexpr double least_invariant = 1e-6;
constexpr double least_scaler = 0.01;
constexpr double most_scaler = 100;

double log_odds(double p) {
    return likelihood::log(p / (1 - p));
}

std::size_t greatest(std::vector<double> const& numbers) {
    return static_cast<std::size_t>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

bool has_free_rates(ModelSpec const& spec) {
    return spec.heterogeneity == likelihood::Heterogeneity::free && spec.free_rates_from == Origin::optimised;
}

bool has_free_alpha(ModelSpec const& spec) {
    return spec.has_gamma() && spec.alpha_from == Origin::optimised;
}

/// Reads the variables of a point one by one.
class Reader {
public:
    explicit Reader(std::span<double const> x) : next_(x.begin()) {}

    double number() { return likelihood::exp(*next_++); }
    double share() {
        double const odds = number();
        return odds / (1 + odds);
    }
    /// Ratios to the number that is the greatest in `start`; the ratio of this number itself is 1.
    std::vector<double> ratios(std::vector<double> const& start) {
        auto const unit = greatest(start);
        std::vector<double> result;
        for (std::size_t i = 0; i < start.size(); ++i) result.push_back(i == unit ? 1.0 : number());
        return result;
    }

private:
    std::span<double const>::iterator next_;
};

void divide(std::vector<double>& numbers, double by) {
    for (auto& number : numbers) number /= by;
}

}  // namespace

ModelBox::ModelBox(ModelSpec const& spec, Model start, bool scaler_is_free)
    : spec_(spec), start_(std::move(start)), scaler_is_free_(scaler_is_free) {
    auto const log = [](double x) { return likelihood::log(x); };
    if (spec.rates_from == Origin::optimised) add_ratios(start_.rates);
    if (spec.frequencies == Frequencies::optimised) add_ratios(start_.frequencies);
    if (has_free_alpha(spec)) add(log(start_.alpha), log(likelihood::min_alpha), log(likelihood::max_alpha));
    if (has_free_rates(spec)) {
        add_ratios(start_.category_weights);
        add_ratios(start_.category_rates);
    }
    if (spec.invariant_from == Origin::optimised) {
        add(log_odds(std::max(start_.invariant, least_invariant)), log_odds(least_invariant),
            log_odds(likelihood::max_invariant));
    }
    if (scaler_is_free) add(log(start_.scaler), log(least_scaler), log(most_scaler));
}

Model ModelBox::model(std::span<double const> x) const {
    if (std::equal(x.begin(), x.end(), box_.start.begin(), box_.start.end()))
        return start_;  // exp(log(x)) need not equal x
    auto model = start_;
    Reader read(x);
    if (spec_.rates_from == Origin::optimised) {
        model.rates = read.ratios(start_.rates);
        divide(model.rates, double{model.rates[spec_.rate_classes.back()]});
    }
    if (spec_.frequencies == Frequencies::optimised) {
        model.frequencies = read.ratios(start_.frequencies);
        double sum = 0;
        for (double frequency : model.frequencies) sum += frequency;
        divide(model.frequencies, sum);
    }
    if (has_free_alpha(spec_)) model.alpha = std::clamp(read.number(), likelihood::min_alpha, likelihood::max_alpha);
    if (has_free_rates(spec_)) {
        model.category_weights = read.ratios(start_.category_weights);
        model.category_rates = read.ratios(start_.category_rates);
    }
    if (spec_.invariant_from == Origin::optimised) model.invariant = std::min(read.share(), likelihood::max_invariant);
    if (scaler_is_free_) model.scaler = read.number();
    return model;
}

void ModelBox::add(double x, double low, double high) {
    x = std::clamp(x, low, high);
    box_.start.push_back(x);
    box_.low.push_back(std::max(low, x - reach));
    box_.high.push_back(std::min(high, x + reach));
}

void ModelBox::add_ratios(std::vector<double> const& numbers) {
    auto const unit = greatest(numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i != unit) add(likelihood::log(numbers[i] / numbers[unit]), -log_of_1000, log_of_1000);
    }
}

}  // namespace regraft::search
