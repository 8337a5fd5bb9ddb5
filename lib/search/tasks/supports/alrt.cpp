#include "regraft/search/alrt.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"
#include "regraft/search/optimise.hpp"

namespace regraft::search {

using msa::HalfEdge;

namespace {

ft::FailPhase support_phase("support");

constexpr double tolerance = 0.05;  // for log-likelihoods, as in PhyML and IQ-TREE: edges of length 0 get no support

/// The log-likelihood of the tree, and of each local pattern, [partition][pattern].
struct TreeFit {
    double loglh;
    std::vector<std::vector<double>> per_pattern;
};

TreeFit fit(DistributedLikelihood& likelihood, HalfEdge h) {
    TreeFit result{likelihood.loglh(h), {}};
    for (std::size_t q = 0; q < likelihood.num_partitions(); ++q) {
        result.per_pattern.push_back(likelihood.local_loglh(h, q));
    }
    return result;
}

/// The fit of the tree after an interchange, with the five branches around optimised. The tree stays as it is.
TreeFit fit_of_neighbour(DistributedLikelihood& likelihood, HalfEdge h, std::uint32_t variant) {
    constexpr int max_passes = 8;
    constexpr double enough = 1e-3;
    auto const& tree = likelihood.tree();
    auto const back = tree.back(h);
    std::array const around{h, tree.next(h), tree.next(tree.next(h)), tree.next(back), tree.next(tree.next(back))};
    auto const move = likelihood.nni(h, variant);
    SavedLengths const lengths(likelihood, {around.begin(), around.end()});
    for (int pass = 0; pass < max_passes; ++pass) {
        double gain = 0;
        for (auto edge : around) gain += optimise_branch(likelihood, edge, enough);
        if (gain < tolerance) break;
    }
    auto result = fit(likelihood, h);
    lengths.restore();
    likelihood.undo(move);
    return result;
}

/// The gain in log-likelihood of the other tree over this one: first over all sites, then in each sample.
std::vector<double> resampled_gains(DistributedLikelihood& likelihood, TreeFit const& here, TreeFit const& there,
                                    RellSamples const& samples) {
    std::vector<FixedSum> sums(std::size_t{1} + samples.count());
    for (std::size_t q = 0; q < here.per_pattern.size(); ++q) {
        auto gains = there.per_pattern[q];
        for (std::size_t i = 0; i < gains.size(); ++i) gains[i] -= here.per_pattern[q][i];
        samples.add(q, gains, likelihood.loglh_scale(), sums);
    }
    return likelihood.sum_over_ranks(sums);
}

}  // namespace

RellSamples::RellSamples(SiteSampler const& sites, std::span<std::vector<std::uint64_t> const> local,
                         SampleNumbers const& numbers)
    : count_(numbers.last - numbers.first), rows_(local.size()) {
    REGRAFT_EXPECTS(local.size() == sites.num_partitions());
    constexpr std::uint32_t most = std::numeric_limits<std::uint16_t>::max();
    std::vector<std::vector<std::vector<std::size_t>>> rows_of(local.size());  // [partition][local pattern]
    for (std::size_t q = 0; q < local.size(); ++q) rows_of[q].resize(local[q].size());
    auto const enter = [&](std::uint32_t column, std::span<std::uint32_t const> of_all) {
        for (std::size_t q = 0; q < local.size(); ++q) {
            for (std::size_t i = 0; i < local[q].size(); ++i) {
                auto& rows = rows_of[q][i];
                auto left = of_all[local[q][i]];
                for (std::size_t part = 0; left > 0; ++part) {
                    if (part == rows.size()) {
                        rows.push_back(rows_[q].size());
                        rows_[q].push_back({checked_cast<std::uint32_t>(i), std::vector<std::uint16_t>(count_ + 1)});
                    }
                    auto const now = std::min(left, most);
                    rows_[q][rows[part]].weights[column] = static_cast<std::uint16_t>(now);
                    left -= now;
                }
            }
        }
    };
    enter(0, sites.weights());
    for (std::uint32_t i = 0; i < count_; ++i) {
        enter(1 + i, sites.draw(mix(mix(numbers.seed) + numbers.first + i), numbers.size));
    }
}

void RellSamples::add(std::size_t partition, std::span<double const> values, FixedScale const& scale,
                      std::span<FixedSum> sums) const {
    REGRAFT_EXPECTS(sums.size() == std::size_t{1} + count_);
    std::vector<std::int64_t> high(sums.size());
    std::vector<std::int64_t> low(sums.size());
    for (auto const& [pattern, weights] : rows_[partition]) {
        FixedSum one;
        one.add(values[pattern], 1, scale);
        if (one.num_strays > 0) {
            for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(values[pattern], weights[i], scale);
            continue;
        }
        for (std::size_t i = 0; i < sums.size(); ++i) {
            high[i] += one.high * weights[i];
            low[i] += one.low * weights[i];
        }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i].high += high[i];
        sums[i].low += low[i];
    }
}

double sh_alrt(DistributedLikelihood& likelihood, HalfEdge h, RellSamples const& samples) {
    likelihood.reach(support_phase.before);
    auto const here = fit(likelihood, h);
    std::array<std::vector<double>, 2> gains;
    double best = -std::numeric_limits<double>::infinity();
    for (std::uint32_t variant = 0; variant < 2; ++variant) {
        auto const there = fit_of_neighbour(likelihood, h, variant);
        likelihood.reach(support_phase.inside);
        gains[variant] = resampled_gains(likelihood, here, there, samples);
        best = std::max(best, there.loglh);
    }
    std::uint32_t supporting = 0;
    for (std::size_t i = 1; i <= samples.count(); ++i) {
        std::array centred{0.0, gains[0][i] - gains[0][0], gains[1][i] - gains[1][0]};
        std::sort(centred.begin(), centred.end());
        if (here.loglh - best > centred[2] - centred[1] + tolerance) ++supporting;
    }
    likelihood.reach(support_phase.after);
    return static_cast<double>(supporting) / samples.count();
}

}  // namespace regraft::search
