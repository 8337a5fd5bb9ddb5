// Inclusion-exclusion as long as few groups can be lost. Otherwise a coefficient of a generating function, by Cauchy's
// integral on the circle through the saddle point, where nothing cancels. docs/mpi/loss.md derives both.
#include "regraft/placement/loss.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "placement/binomial.hpp"
#include "placement/quadrature.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::placement {
namespace {

/// The probability that a given set of `size` slots is among the failed ones if a set of `gone` slots is: a product of
/// size ratios.
double subset_probability(std::uint64_t num_slots, std::uint64_t failures, std::uint64_t gone, std::uint64_t size) {
    auto product = 1.0;
    for (auto i = gone; i < gone + size; ++i) {
        if (i >= failures) return 0;
        product *= static_cast<double>(failures - i) / static_cast<double>(num_slots - i);
    }
    return product;
}

/// The terms of inclusion-exclusion that choose groups of the kinds from `kind` on, after others with `gone` slots that
/// contributed `term`. Each is its predecessor times a ratio, so that no binomial coefficient is ever large.
class Terms {
public:
    Terms(std::vector<GroupKind> const& kinds, std::uint64_t num_slots, std::uint64_t failures)
        : kinds_(kinds), num_slots_(num_slots), failures_(failures) {}

    /// The sum over all choices of at least one group, odd ones minus even ones.
    double sum() {
        add(0, 0, -1);
        return sum_;
    }

private:
    void add(std::size_t kind, std::uint64_t gone, double term) {
        if (kind == kinds_.size()) {
            if (gone > 0) sum_ += term;
            return;
        }
        constexpr double negligible = 1e-19;
        auto const [size, count] = kinds_[kind];
        for (std::uint64_t chosen = 0;; ++chosen) {
            add(kind + 1, gone, term);
            if (chosen == count) return;
            auto const ratio = static_cast<double>(count - chosen) / static_cast<double>(chosen + 1) *
                               subset_probability(num_slots_, failures_, gone, size);
            term *= -ratio;
            gone += size;
            if (std::abs(term) <= negligible * std::abs(sum_)) return;
        }
    }

    std::vector<GroupKind> const& kinds_;
    std::uint64_t num_slots_;
    std::uint64_t failures_;
    double sum_ = 0;
};

/// ln(1 - yes^n).
double log_not_all(Chance chance, std::uint64_t n) {
    auto const count = static_cast<double>(n);
    auto const all = std::pow(chance.yes, count);
    if (all < 0.5) return std::log1p(-all);
    return std::log(-std::expm1(count * std::log1p(-chance.no)));
}

/// The number of failures among `size` slots that fail independently: the distribution for a group that survives, or
/// for a free slot.
struct Distribution {
    std::uint64_t count = 0;      // number of parts with this distribution
    std::vector<double> weights;  // probabilities of 0, 1, ... failures; their sum is 1
    double mean = 0;
    double variance = 0;
};

Distribution make_part(std::uint64_t count, std::uint64_t size, std::uint64_t most, Chance chance) {
    Distribution part{count, {}, 0, 0};
    auto total = 0.0;
    for (std::uint64_t k = 0; k <= most; ++k) {
        part.weights.push_back(binomial_probability(size, k, chance).get());
        total += part.weights.back();
    }
    for (std::size_t k = 0; k < part.weights.size(); ++k) {
        part.weights[k] /= total;
        part.mean += part.weights[k] * static_cast<double>(k);
    }
    for (std::size_t k = 0; k < part.weights.size(); ++k) {
        auto const distance = static_cast<double>(k) - part.mean;
        part.variance += part.weights[k] * distance * distance;
    }
    return part;
}

/// The number of failures among all slots, each failing with the same chance, given that no group is lost.
struct Survivors {
    std::vector<Distribution> parts;
    double mean = 0;
    double variance = 0;
};

Survivors make_survivors(std::vector<GroupKind> const& groups, std::uint64_t num_free, Chance chance) {
    Survivors all;
    for (auto const [size, count] : groups) all.parts.push_back(make_part(count, size, size - 1, chance));
    if (num_free > 0) all.parts.push_back(make_part(num_free, 1, 1, chance));
    for (auto const& part : all.parts) {
        all.mean += static_cast<double>(part.count) * part.mean;
        all.variance += static_cast<double>(part.count) * part.variance;
    }
    return all;
}

/// The log odds at which the mean is `failures`: the saddle point. The result of the integral does not depend on it; it
/// only has to be near. Newton's method between bounds.
double saddle_point(std::function<Survivors(double)> const& survivors_at, double failures, double start) {
    auto low = -80.0;
    auto high = 80.0;
    auto log_odds = start;
    for (int step = 0; step < 200; ++step) {
        auto const now = survivors_at(log_odds);
        auto const miss = failures - now.mean;
        if (std::abs(miss) <= 1e-9 * std::sqrt(now.variance)) break;
        (miss > 0 ? low : high) = log_odds;
        auto const next = log_odds + miss / now.variance;
        log_odds = low < next && next < high ? next : (low + high) / 2;
    }
    return log_odds;
}

/// The contribution of an angle to the characteristic function of all.
struct Turned {
    double log_length = 0;
    double angle = 0;
};

Turned turned(Distribution const& part, double theta) {
    // The mean of exp(i theta (k - mean)) - 1, so that its logarithm is exact when multiplied by millions of parts.
    auto real = 0.0;
    auto imaginary = 0.0;
    for (std::size_t k = 0; k < part.weights.size(); ++k) {
        auto const angle = theta * (static_cast<double>(k) - part.mean);
        auto const half = std::sin(angle / 2);
        real -= 2 * part.weights[k] * half * half;
        imaginary += part.weights[k] * std::sin(angle);
    }
    auto const count = static_cast<double>(part.count);
    return {count * std::log1p(2 * real + real * real + imaginary * imaginary) / 2,
            count * std::atan2(imaginary, 1 + real)};
}

/// The probability of exactly `failures` failures. The sum is exact if there are more points than possible values;
/// otherwise it is exact except for values more than a dozen standard deviations away.
double local_probability(Survivors const& all, std::uint64_t failures, std::uint64_t most) {
    auto const wide = static_cast<std::uint64_t>(12 * std::sqrt(all.variance)) + 40;
    auto const num_points = std::min(most + 1, wide) | 1;
    constexpr std::uint64_t always = 200;
    constexpr double negligible_log = -48;
    auto const residual = all.mean - static_cast<double>(failures);
    auto sum = 1.0;
    for (std::uint64_t m = 1; m <= num_points / 2; ++m) {
        auto const theta = 2 * std::numbers::pi * static_cast<double>(m) / static_cast<double>(num_points);
        Turned product{0, theta * residual};
        for (auto const& part : all.parts) {
            auto const factor = turned(part, theta);
            product.log_length += factor.log_length;
            product.angle += factor.angle;
        }
        if (m > always && product.log_length < negligible_log) break;
        sum += 2 * std::exp(product.log_length) * std::cos(product.angle);
    }
    return sum / static_cast<double>(num_points);
}

/// The smallest t in (0, 1] beyond which survival until t is below exp(-60).
double horizon(std::vector<GroupKind> const& groups) {
    auto end = 1.0;
    for (auto const [size, count] : groups)
        end = std::min(end, std::pow(60.0 / static_cast<double>(count), 1.0 / static_cast<double>(size)));
    return end;
}

/// The integral over t of density(t) times the probability that no group is lost if each slot has failed with
/// probability t.
double integrate_survival(std::vector<GroupKind> const& groups, std::function<double(Chance)> const& density) {
    auto const end = horizon(groups);
    return end * integrate_unit([&](UnitPoint point) {
               Chance const chance{end * point.at, 1 - end + end * point.to_end};
               auto log = 0.0;
               for (auto const [size, count] : groups) log += static_cast<double>(count) * log_not_all(chance, size);
               return std::exp(log) * density(chance);
           });
}

}  // namespace

LossModel::LossModel(std::uint64_t num_slots, std::vector<GroupKind> groups)
    : num_slots_(num_slots), num_free_(num_slots), groups_(std::move(groups)) {
    REGRAFT_EXPECTS(num_slots < std::uint64_t{1} << 40);
    std::erase_if(groups_, [](auto const& kind) { return kind.count == 0; });
    std::sort(groups_.begin(), groups_.end(), [](auto const& a, auto const& b) { return a.size > b.size; });
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        auto const [size, count] = groups_[i];
        REGRAFT_EXPECTS(size > 0 && (i == 0 || groups_[i - 1].size != size));
        REGRAFT_EXPECTS(count <= num_free_ / size);
        num_free_ -= size * count;
        num_groups_ += count;
    }
    REGRAFT_EXPECTS(num_groups_ > 0);
}

double LossModel::loss_probability(std::uint64_t failures) const {
    REGRAFT_EXPECTS(failures <= num_slots_);
    if (failures > most_survivable()) return 1;
    if (expected_losses(failures) <= 1) return loss_by_inclusion_exclusion(failures);
    return 1 - survival_at_saddle_point(failures);
}

double LossModel::survival_probability(std::uint64_t failures) const {
    REGRAFT_EXPECTS(failures <= num_slots_);
    if (failures > most_survivable()) return 0;
    if (expected_losses(failures) <= 1) return 1 - loss_by_inclusion_exclusion(failures);
    return survival_at_saddle_point(failures);
}

double LossModel::expected_losses(std::uint64_t failures) const {
    auto sum = 0.0;
    for (auto const [size, count] : groups_)
        sum += static_cast<double>(count) * subset_probability(num_slots_, failures, 0, size);
    return sum;
}

double LossModel::loss_by_inclusion_exclusion(std::uint64_t failures) const {
    return Terms(groups_, num_slots_, failures).sum();
}

double LossModel::survival_at_saddle_point(std::uint64_t failures) const {
    auto const part_of = static_cast<double>(failures) / static_cast<double>(num_slots_);
    if (failures == most_survivable()) {  // the saddle point is at infinity: exactly one slot of each group is left
        auto log = 0.0;
        for (auto const [size, count] : groups_)
            log += static_cast<double>(count) * std::log(static_cast<double>(size));
        Chance const chance{part_of, static_cast<double>(num_slots_ - failures) / static_cast<double>(num_slots_)};
        auto const ways = binomial_probability(num_slots_, failures, chance);
        log += static_cast<double>(failures) * std::log(chance.yes);
        log += static_cast<double>(num_slots_ - failures) * std::log(chance.no);
        return std::exp(log - ways.log) / ways.factor;
    }
    auto const survivors_at = [&](double log_odds) {
        return make_survivors(groups_, num_free_, chance_of_log_odds(log_odds));
    };
    auto const log_odds =
        saddle_point(survivors_at, static_cast<double>(failures), std::log(part_of) - std::log1p(-part_of));
    auto const chance = chance_of_log_odds(log_odds);
    auto log = 0.0;
    for (auto const [size, count] : groups_) log += static_cast<double>(count) * log_not_all(chance, size);
    auto const any = binomial_probability(num_slots_, failures, chance);
    auto const surviving = local_probability(survivors_at(log_odds), failures, most_survivable());
    return std::min(1.0, std::exp(log - any.log) * surviving / any.factor);
}

double LossModel::expected_failures() const {
    // Let every slot fail at a uniformly random time in [0, 1]. The n-th failure is at n / (num_slots + 1) on average,
    // and its time does not depend on which slot fails.
    return static_cast<double>(num_slots_ + 1) * integrate_survival(groups_, [](Chance) { return 1.0; });
}

double LossModel::expected_hits() const {
    // Let every slot be hit at rate 1: num_slots hits per unit of time, and 1 - chance.yes = exp(-time).
    return static_cast<double>(num_slots_) * integrate_survival(groups_, [](Chance chance) { return 1 / chance.no; });
}

std::uint64_t LossModel::quantile(double q) const {
    REGRAFT_EXPECTS(0 < q && q <= 1);
    constexpr double rounding = 1e-13;  // small groups reach 0.1 or 0.5 exactly
    auto const reached = [&](std::uint64_t failures) {
        if (q <= 0.5) return loss_probability(failures) >= q * (1 - rounding);
        return survival_probability(failures) <= (1 - q) * (1 + rounding);
    };
    std::uint64_t low = 0;  // the probability is not reached there
    auto high = most_survivable() + 1;
    if (q == 1) return high;  // a survival probability below the smallest double is not impossible
    while (high - low > 1) {
        auto const middle = low + (high - low) / 2;
        (reached(middle) ? high : low) = middle;
    }
    return high;
}

LossModel mod_k_groups(std::uint64_t num_slots, std::uint64_t replicas) {
    return *mod_k_nodes(num_slots, replicas, 1);
}

std::optional<LossModel> mod_k_nodes(std::uint64_t num_slots, std::uint64_t replicas, std::uint64_t node_size) {
    REGRAFT_EXPECTS(1 <= replicas && replicas <= num_slots && node_size >= 1);
    // Group g is the slots g, g + k, g + 2k, ... If nodes divide k, node_size consecutive groups are on the same nodes.
    // Some groups may have one slot more than others, but then the nodes of the others suffice.
    auto const k = num_slots / replicas;
    if (k % node_size != 0) return std::nullopt;
    auto const num_nodes = (num_slots + node_size - 1) / node_size;
    auto const num_classes = k / node_size;
    auto const copies = num_slots / k;
    auto const larger = num_slots % k / node_size;
    return LossModel(num_nodes, {{copies, num_classes - larger}, {copies + 1, larger}});
}

}  // namespace regraft::placement
