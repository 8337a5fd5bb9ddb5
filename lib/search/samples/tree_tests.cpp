#include "regraft/search/tree_tests.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>

#include "likelihood/kernels/ieee_math.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::search {
namespace {

/// 1 - Phi(x).
double upper_tail(double x) {
    return boost::math::cdf(boost::math::complement(boost::math::normal(), x));
}

/// The greatest difference in log-likelihood between any tree, this one included, and this tree, in standard
/// deviations.
double greatest_difference(std::span<double const> loglh, Contest const& contest, std::size_t tree) {
    double greatest = 0;
    for (std::size_t j = 0; j < loglh.size(); ++j)
        greatest = std::max(greatest, contest.standardised(loglh[j] - loglh[tree], tree, j));
    return greatest;
}

/// The other tree with the greatest difference to a tree; the tree itself if it is the only one.
template <class Difference>
std::size_t opponent_of(std::size_t tree, std::size_t num_trees, Difference difference) {
    auto found = tree;
    for (std::size_t j = 0; j < num_trees; ++j) {
        if (j != tree && (found == tree || difference(j) > difference(found))) found = j;
    }
    return found;
}

void add_wins(SampleCounts& counts, std::span<double const> loglh) {
    auto const best = *std::ranges::max_element(loglh);
    for (std::size_t i = 0; i < loglh.size(); ++i) counts.wins[i] += loglh[i] >= best - indistinguishable;
}

void add_shares(SampleCounts& counts, std::span<double const> loglh) {
    auto const best = *std::ranges::max_element(loglh);
    auto const is_best = [&](double value) { return value >= best - indistinguishable; };
    auto const each = 1.0 / static_cast<double>(std::ranges::count_if(loglh, is_best));
    double sum = 0;
    std::vector<double> relative;
    for (auto const value : loglh) sum += relative.emplace_back(likelihood::exp(value - best));
    for (std::size_t i = 0; i < loglh.size(); ++i) {
        if (is_best(loglh[i])) counts.shares[i] += each;
        counts.weights[i] += relative[i] / sum;
    }
}

/// Counts for the KH and SH tests whether centred differences in a sample reach those in the data.
void add_differences(SampleCounts& counts, std::span<double const> loglh, Contest const& contest) {
    std::vector<double> centred;
    for (std::size_t i = 0; i < loglh.size(); ++i) centred.push_back(loglh[i] - contest.loglh[i]);
    auto const best = *std::ranges::max_element(contest.loglh);
    auto const best_centred = *std::ranges::max_element(centred);
    auto const reaches = [&](std::size_t i, std::size_t j) {
        return centred[j] - centred[i] >= contest.loglh[j] - contest.loglh[i] - indistinguishable;
    };
    for (std::size_t i = 0; i < loglh.size(); ++i) {
        counts.kh[i] += reaches(i, contest.opponent[i]);
        counts.weighted_kh[i] += reaches(i, contest.weighted_opponent[i]);
        counts.sh[i] += best_centred - centred[i] >= best - contest.loglh[i] - indistinguishable;
        counts.weighted_sh[i] += greatest_difference(centred, contest, i) >= contest.weighted_difference[i];
    }
}

/// The sums of a regression of the shares of wins by a probit model in sqrt(scale) and 1 / sqrt(scale).
struct Regression {
    double loglh = 0;                     // of the binomial numbers, up to a constant
    std::array<double, 2> gradient{};     // by d and c
    std::array<double, 3> information{};  // Fisher's: dd, dc, cc
    double chi_squared = 0;
};

Regression regression(std::span<ScaledWins const> wins, double d, double c) {
    constexpr double least = 1e-300;
    Regression sums;
    for (auto const& [scale, won, samples] : wins) {
        std::array const x{std::sqrt(scale), 1 / std::sqrt(scale)};
        auto const z = d * x[0] + c * x[1];
        auto const p = std::max(upper_tail(z), least);
        auto const q = std::max(upper_tail(-z), least);
        auto const density = boost::math::pdf(boost::math::normal(), z);
        auto const k = static_cast<double>(won);
        auto const n = static_cast<double>(samples);
        sums.loglh += (won > 0 ? k * std::log(p) : 0) + (won < samples ? (n - k) * std::log(q) : 0);
        auto const slope = -density * (k / p - (n - k) / q);
        auto const weight = n * density * density / (p * q);
        for (int i = 0; i < 2; ++i) sums.gradient[i] += slope * x[i];
        sums.information[0] += weight * x[0] * x[0];
        sums.information[1] += weight * x[0] * x[1];
        sums.information[2] += weight * x[1] * x[1];
        sums.chi_squared += (k - n * p) * (k - n * p) / (n * p * q);
    }
    return sums;
}

/// Coefficients by weighted least squares on the quantiles of the shares (Shimodaira 2002), from which the search for
/// the likeliest ones starts.
std::array<double, 2> least_squares(std::span<ScaledWins const> wins) {
    boost::math::normal const normal;
    double dd = 0, dc = 0, cc = 0, dz = 0, cz = 0;
    for (auto const& [scale, won, samples] : wins) {
        auto const n = static_cast<double>(samples);
        auto const share = (static_cast<double>(won) + 0.5) / (n + 1);
        auto const z = boost::math::quantile(boost::math::complement(normal, share));
        auto const density = boost::math::pdf(normal, z);
        auto const weight = n * density * density / (share * (1 - share));
        dd += weight * scale;
        dc += weight;
        cc += weight / scale;
        dz += weight * z * std::sqrt(scale);
        cz += weight * z / std::sqrt(scale);
    }
    auto const determinant = dd * cc - dc * dc;
    return {(cc * dz - dc * cz) / determinant, (dd * cz - dc * dz) / determinant};
}

/// Whether at two scales or more the wins are neither none nor all, as two coefficients need.
bool can_be_fitted(std::span<ScaledWins const> wins) {
    std::set<double> scales;
    for (auto const& [scale, won, samples] : wins) {
        if (0 < won && won < samples) scales.insert(scale);
    }
    return scales.size() > 1;
}

}  // namespace

Contest::Contest(std::vector<double> loglh_of_trees, std::span<double const> deviations)
    : loglh(std::move(loglh_of_trees)) {
    REGRAFT_EXPECTS(deviations.size() == loglh.size() * loglh.size());
    for (auto const deviation : deviations) precision.push_back(deviation < indistinguishable ? 0 : 1 / deviation);
    for (std::size_t i = 0; i < loglh.size(); ++i) {
        auto const difference = [&](std::size_t j) { return loglh[j] - loglh[i]; };
        opponent.push_back(opponent_of(i, loglh.size(), difference));
        weighted_opponent.push_back(
            opponent_of(i, loglh.size(), [&](std::size_t j) { return standardised(difference(j), i, j); }));
        weighted_difference.push_back(greatest_difference(loglh, *this, i));
    }
}

void SampleCounts::add(std::span<double const> loglh, Contest const& contest, SampleSize size) {
    auto const num_trees = contest.num_trees();
    REGRAFT_EXPECTS(loglh.size() == num_trees);
    wins.resize(num_trees);
    add_wins(*this, loglh);
    if (size != sample_size(usual_size)) return;
    for (auto* sums : {&shares, &weights}) sums->resize(num_trees);
    for (auto* numbers : {&kh, &sh, &weighted_kh, &weighted_sh}) numbers->resize(num_trees);
    add_shares(*this, loglh);
    add_differences(*this, loglh, contest);
}

void SampleCounts::write(ByteWriter& out) const {
    for (auto const* numbers : {&wins, &kh, &sh, &weighted_kh, &weighted_sh}) out.put_all(std::span(*numbers));
    for (auto const* sums : {&shares, &weights}) out.put_all(std::span(*sums));
}

SampleCounts SampleCounts::read(ByteReader& in) {
    SampleCounts counts;
    for (auto* numbers : {&counts.wins, &counts.kh, &counts.sh, &counts.weighted_kh, &counts.weighted_sh})
        *numbers = in.get_all<std::uint64_t>();
    for (auto* sums : {&counts.shares, &counts.weights}) *sums = in.get_all<double>();
    return counts;
}

ScaledFit fit_scaled_wins(std::span<ScaledWins const> wins) {
    constexpr int max_steps = 100;
    constexpr int max_halvings = 40;
    constexpr double enough = 1e-9;
    ScaledFit fit;
    if (!can_be_fitted(wins)) {
        auto const lost = [](ScaledWins const& some) { return 2 * some.wins < some.samples; };
        fit.p = std::ranges::all_of(wins, lost) ? 0 : 1;
        return fit;
    }
    auto [d, c] = least_squares(wins);
    auto sums = regression(wins, d, c);
    for (int step = 0; step < max_steps; ++step) {
        auto const [dd, dc, cc] = sums.information;
        auto const determinant = dd * cc - dc * dc;
        auto by_d = (cc * sums.gradient[0] - dc * sums.gradient[1]) / determinant;
        auto by_c = (dd * sums.gradient[1] - dc * sums.gradient[0]) / determinant;
        if (!(std::abs(by_d) + std::abs(by_c) > enough)) break;
        auto next = regression(wins, d + by_d, c + by_c);
        for (int i = 0; i < max_halvings && !(next.loglh >= sums.loglh); ++i) {
            by_d /= 2;
            by_c /= 2;
            next = regression(wins, d + by_d, c + by_c);
        }
        if (!(next.loglh >= sums.loglh)) break;
        d += by_d;
        c += by_c;
        sums = next;
    }
    auto const [dd, dc, cc] = sums.information;
    auto const variance = (cc + 2 * dc + dd) / (dd * cc - dc * dc);  // of d - c
    fit.p = upper_tail(d - c);
    fit.error = boost::math::pdf(boost::math::normal(), d - c) * std::sqrt(variance);
    fit.d = d;
    fit.c = c;
    if (wins.size() > 2) {
        boost::math::chi_squared const distribution(static_cast<double>(wins.size() - 2));
        fit.fit = boost::math::cdf(boost::math::complement(distribution, sums.chi_squared));
    }
    fit.is_fitted = true;
    return fit;
}

std::vector<TreeTest> tree_tests(std::span<double const> loglh, std::span<SampleCounts const> counts,
                                 std::uint32_t num_samples, std::uint64_t num_sites) {
    REGRAFT_EXPECTS(counts.size() == num_sample_sizes);
    auto const& usual = counts[usual_size];
    auto const share = [&](auto number) { return static_cast<double>(number) / num_samples; };
    auto const best = *std::ranges::max_element(loglh);
    std::vector<TreeTest> tests;
    for (std::size_t i = 0; i < loglh.size(); ++i) {
        std::vector<ScaledWins> wins;
        for (std::uint32_t k = 0; k < num_sample_sizes; ++k) {
            auto const drawn = static_cast<double>(num_drawn(num_sites, sample_size(k)));
            wins.push_back({drawn / static_cast<double>(num_sites), counts[k].wins[i], num_samples});
        }
        tests.push_back({.loglh = loglh[i],
                         .difference = best - loglh[i],
                         .bp = share(usual.shares[i]),
                         .kh = share(usual.kh[i]),
                         .sh = share(usual.sh[i]),
                         .weighted_kh = share(usual.weighted_kh[i]),
                         .weighted_sh = share(usual.weighted_sh[i]),
                         .elw = share(usual.weights[i]),
                         .au = fit_scaled_wins(wins)});
    }
    return tests;
}

std::vector<bool> confidence_set(std::span<double const> values, double level) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return values[i]; });
    std::vector<bool> inside(values.size(), false);
    double sum = 0;
    for (auto const i : order) {
        if (sum >= level) break;
        inside[i] = true;
        sum += values[i];
    }
    return inside;
}

}  // namespace regraft::search
