#include "search/models/rate_categories.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "search/models/minimise.hpp"
#include "search/models/model_box.hpp"

namespace regraft::search {
namespace {

struct Category {
    double rate;
    double weight;
};

/// How a category is divided: a share of its sites gets a multiple of its rate, the others what keeps the mean.
struct Division {
    double share;
    double multiple;
};
constexpr std::array<Division, 6> divisions{
    {{0.5, 0.5}, {0.5, 0.1}, {0.2, 0.05}, {0.8, 0.5}, {0.95, 0.7}, {0.98, 0.5}}};
constexpr std::size_t most_joins = 2;      // how many pairs of categories are joined in trials, those that cost least
constexpr std::size_t most_optimised = 2;  // how many of the trials are optimised
/// How far below the present log-likelihood a trial may begin if it is optimised.
constexpr double most_behind = 20;

using Categories = std::vector<Category>;

/// A partition's categories, the slowest first.
Categories categories_of(Model const& model) {
    Categories result;
    for (std::size_t c = 0; c < model.category_rates.size(); ++c)
        result.push_back({model.category_rates[c], model.category_weights[c]});
    std::ranges::stable_sort(result, {}, &Category::rate);
    return result;
}

Model with(Model model, Categories const& categories) {
    model.category_rates.clear();
    model.category_weights.clear();
    for (auto const& [rate, weight] : categories) {
        model.category_rates.push_back(rate);
        model.category_weights.push_back(weight);
    }
    return model;
}

/// The categories with `first` and the next one joined to one of their mean rate.
Categories joined(Categories categories, std::size_t first) {
    auto const [a, b] = std::pair{categories[first], categories[first + 1]};
    auto const weight = a.weight + b.weight;
    categories[first] = {(a.rate * a.weight + b.rate * b.weight) / weight, weight};
    categories.erase(categories.begin() + static_cast<std::ptrdiff_t>(first) + 1);
    return categories;
}

Categories divided(Categories categories, std::size_t which, Division division) {
    auto const [rate, weight] = categories[which];
    auto const [share, multiple] = division;
    categories[which] = {rate * (1 - share * multiple) / (1 - share), weight * (1 - share)};
    categories.insert(categories.begin() + static_cast<std::ptrdiff_t>(which), {rate * multiple, weight * share});
    return categories;
}

/// The same mixture with a category more, of the rate of the first one.
Categories doubled(Categories categories) {
    categories.front().weight /= 2;
    categories.insert(categories.begin(), categories.front());
    return categories;
}

bool has_free_rates(ModelSpec const& spec) {
    return spec.heterogeneity == likelihood::Heterogeneity::free &&
           spec.free_rates_from == likelihood::Origin::optimised && spec.categories > 1;
}

/// The values of a function of trials, without those that are no numbers.
std::vector<double> values_of(DistributedLikelihood& likelihood, std::span<ModelTrial const> trials) {
    auto values = likelihood.trial_loglh(trials);
    for (auto& value : values) {
        if (!std::isfinite(value)) value = -std::numeric_limits<double>::infinity();
    }
    return values;
}

/// The trials with the greatest values, at most so many of each partition, those of a partition side by side.
std::vector<std::size_t> best_of_each(std::span<ModelTrial const> trials, std::span<double const> values,
                                      std::size_t most) {
    std::vector<std::size_t> order(trials.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](auto a, auto b) {
        auto const [p, q] = std::pair{trials[a].partition, trials[b].partition};
        return p != q ? p < q : values[a] > values[b];
    });
    std::vector<std::size_t> result;
    for (auto i : order) {
        bool const is_full =
            result.size() >= most && trials[result[result.size() - most]].partition == trials[i].partition;
        if (!is_full) result.push_back(i);
    }
    return result;
}

/// A partition's categories after two have been joined.
struct OneLess {
    std::size_t partition;
    Categories categories;
};

/// The joins that cost least.
std::vector<OneLess> with_one_less(DistributedLikelihood& likelihood, std::span<std::size_t const> partitions) {
    std::vector<OneLess> joins;
    std::vector<ModelTrial> trials;
    for (auto q : partitions) {
        auto const categories = categories_of(likelihood.model(q));
        for (std::size_t c = 0; c + 1 < categories.size(); ++c) {
            joins.push_back({q, joined(categories, c)});
            trials.push_back({q, with(likelihood.model(q), doubled(joins.back().categories))});
        }
    }
    std::vector<OneLess> result;
    for (auto i : best_of_each(trials, values_of(likelihood, trials), most_joins)) result.push_back(joins[i]);
    return result;
}

/// The best trials in which one of the categories is divided.
std::vector<ModelTrial> with_one_divided(DistributedLikelihood& likelihood, std::span<OneLess const> sources,
                                         std::span<double const> before) {
    std::vector<ModelTrial> trials;
    for (auto const& [q, categories] : sources) {
        for (std::size_t c = 0; c < categories.size(); ++c) {
            for (auto const division : divisions)
                trials.push_back({q, with(likelihood.model(q), divided(categories, c, division))});
        }
    }
    auto const values = values_of(likelihood, trials);
    std::vector<ModelTrial> result;
    for (auto i : best_of_each(trials, values, most_optimised)) {
        if (values[i] > before[trials[i].partition] - most_behind) result.push_back(trials[i]);
    }
    return result;
}

/// Optimises these variables of each trial; everything else stays. Returns the trials' log-likelihoods.
std::vector<double> optimise(DistributedLikelihood& likelihood, std::vector<ModelTrial>& trials, Variables variables,
                             double tolerance) {
    std::vector<ModelBox> boxes;
    std::vector<Box> where;
    for (auto const& [q, model] : trials) {
        boxes.emplace_back(likelihood.spec(q), model, variables);
        where.push_back(boxes.back().box());
    }
    auto const ask = [&](std::span<Question const> questions) {
        std::vector<ModelTrial> asked;
        for (auto const& [i, x] : questions) asked.push_back({trials[i].partition, boxes[i].model(x)});
        return values_of(likelihood, asked);
    };
    auto const best = minimise(where, tolerance, [&](std::span<Question const> questions) {
        auto costs = ask(questions);
        for (auto& cost : costs) cost = -cost;
        return costs;
    });
    for (std::size_t i = 0; i < trials.size(); ++i) trials[i].model = boxes[i].model(best[i]);
    return values_of(likelihood, trials);
}

/// Optimises these variables of the trials, and keeps the best of each partition that gains epsilon, if it is wanted.
/// Returns whether there was one. before: the log-likelihoods of partitions.
template <class IsWanted>
bool keep_best(DistributedLikelihood& likelihood, std::vector<ModelTrial> trials, Variables variables,
               std::span<double const> before, double epsilon, IsWanted is_wanted) {
    if (trials.empty()) return false;
    auto const values = optimise(likelihood, trials, variables, epsilon / 10);
    bool has_changed = false;
    for (auto i : best_of_each(trials, values, 1)) {
        auto const q = trials[i].partition;
        if (values[i] - before[q] < epsilon || !is_wanted(trials[i])) continue;
        likelihood.set_model(q, std::move(trials[i].model));
        has_changed = true;
    }
    return has_changed;
}

}  // namespace

bool move_categories(DistributedLikelihood& likelihood, double epsilon) {
    std::vector<std::size_t> partitions;
    for (std::size_t q = 0; q < likelihood.num_partitions(); ++q) {
        if (has_free_rates(likelihood.spec(q))) partitions.push_back(q);
    }
    if (partitions.empty()) return false;
    auto const before = likelihood.partition_loglh();
    auto trials = with_one_divided(likelihood, with_one_less(likelihood, partitions), before);
    return keep_best(likelihood, std::move(trials), Variables::categories, before, epsilon,
                     [](ModelTrial const&) { return true; });
}

bool move_shapes(DistributedLikelihood& likelihood, double epsilon, Lengths lengths) {
    constexpr double between = 0.12;  // alphas above it are at the larger maximum
    constexpr double small = 0.06;    // about where the two are
    constexpr double large = 0.4;
    constexpr double scaler_tolerance = 1;
    bool const is_scaled =
        likelihood.linkage() == BranchLinkage::scaled && lengths != Lengths::fixed && likelihood.num_partitions() > 1;
    std::vector<ModelTrial> trials;
    for (std::size_t q = 0; q < likelihood.num_partitions(); ++q) {
        auto const& spec = likelihood.spec(q);
        bool const is_free = spec.has_gamma() && spec.alpha_from == likelihood::Origin::optimised;
        if (!is_free || (is_scaled && spec.scaler_from == likelihood::Origin::fixed)) continue;
        auto& alpha = trials.emplace_back(ModelTrial{q, likelihood.model(q)}).model.alpha;
        alpha = alpha > between ? small : large;
    }
    if (trials.empty()) return false;
    auto const before = likelihood.partition_loglh();
    auto const values =
        is_scaled ? optimise(likelihood, trials, Variables::scaler, scaler_tolerance) : values_of(likelihood, trials);
    std::vector<ModelTrial> close;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        if (values[i] > before[trials[i].partition] - most_behind) close.push_back(std::move(trials[i]));
    }
    auto const has_changed_over = [&](ModelTrial const& trial) {
        return (trial.model.alpha > between) != (likelihood.model(trial.partition).alpha > between);
    };
    return keep_best(likelihood, std::move(close), is_scaled ? Variables::model_and_scaler : Variables::model, before,
                     epsilon, has_changed_over);
}

}  // namespace regraft::search
