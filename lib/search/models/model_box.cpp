#include "search/models/model_box.hpp"

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
/// The slowest of free rates often is that of sites that never change, so its ratio to the greatest may be small.
constexpr double log_of_a_million = 2 * log_of_1000;
/// How far the box reaches on both sides of the start, in logarithms. The first step of an optimiser knows only the
/// slope at the start. In a larger box it could end, and stay, where the function hardly changes.
constexpr double reach = 2;
constexpr double least_invariant = 1e-6;

double log_odds(double p) {
    return likelihood::log(p / (1 - p));
}

std::size_t greatest(std::vector<double> const& numbers) {
    return static_cast<std::size_t>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
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

ModelBox::ModelBox(ModelSpec const& spec, Model start, Variables variables)
    : spec_(spec), start_(std::move(start)), variables_(variables) {
    auto const log = [](double x) { return likelihood::log(x); };
    if (frees(spec.rates_from)) add_ratios(start_.rates, log_of_1000);
    if (frees_frequencies()) add_ratios(start_.frequencies, log_of_1000);
    if (frees_alpha()) add(log(start_.alpha), log(likelihood::min_alpha), log(likelihood::max_alpha));
    if (frees_categories()) {
        add_ratios(start_.category_weights, log_of_1000);
        add_ratios(start_.category_rates, log_of_a_million);
    }
    if (frees(spec.invariant_from)) {
        add(log_odds(std::max(start_.invariant, least_invariant)), log_odds(least_invariant),
            log_odds(likelihood::max_invariant));
    }
    if (frees_scaler()) add(log(start_.scaler), log(least_scaler), log(most_scaler));
}

Model ModelBox::model(std::span<double const> x) const {
    if (std::equal(x.begin(), x.end(), box_.start.begin(), box_.start.end()))
        return start_;  // exp(log(x)) need not equal x
    auto model = start_;
    Reader read(x);
    if (frees(spec_.rates_from)) {
        model.rates = read.ratios(start_.rates);
        divide(model.rates, double{model.rates[spec_.rate_classes.back()]});
    }
    if (frees_frequencies()) {
        model.frequencies = read.ratios(start_.frequencies);
        double sum = 0;
        for (double frequency : model.frequencies) sum += frequency;
        divide(model.frequencies, sum);
    }
    if (frees_alpha()) model.alpha = std::clamp(read.number(), likelihood::min_alpha, likelihood::max_alpha);
    if (frees_categories()) {
        model.category_weights = read.ratios(start_.category_weights);
        model.category_rates = read.ratios(start_.category_rates);
    }
    if (frees(spec_.invariant_from)) model.invariant = std::min(read.share(), likelihood::max_invariant);
    if (frees_scaler()) model.scaler = read.number();
    return model;
}

bool ModelBox::frees_model() const {
    return variables_ == Variables::model || variables_ == Variables::model_and_scaler;
}

bool ModelBox::frees_scaler() const {
    return variables_ == Variables::scaler || variables_ == Variables::model_and_scaler;
}

bool ModelBox::frees(Origin origin) const {
    return origin == Origin::optimised && frees_model();
}

bool ModelBox::frees_frequencies() const {
    return spec_.frequencies == Frequencies::optimised && frees_model();
}

bool ModelBox::frees_alpha() const {
    return spec_.has_gamma() && frees(spec_.alpha_from);
}

bool ModelBox::frees_categories() const {
    return spec_.heterogeneity == likelihood::Heterogeneity::free && spec_.free_rates_from == Origin::optimised &&
           variables_ != Variables::scaler;
}

void ModelBox::add(double x, double low, double high) {
    x = std::clamp(x, low, high);
    box_.start.push_back(x);
    box_.low.push_back(std::max(low, x - reach));
    box_.high.push_back(std::min(high, x + reach));
}

void ModelBox::add_ratios(std::vector<double> const& numbers, double most) {
    auto const unit = greatest(numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i != unit) add(likelihood::log(numbers[i] / numbers[unit]), -most, most);
    }
}

}  // namespace regraft::search
