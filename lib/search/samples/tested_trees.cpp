#include "regraft/search/tested_trees.hpp"

#include <algorithm>
#include <cmath>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/search/rell_samples.hpp"

namespace regraft::search {
namespace {

/// The bound of the grid for squares of differences. Greater squares are added exactly, too (FixedSum).
constexpr double greatest_square = 0x1p40;

/// The grid of sums over samples, which may have half as many sites again as the data.
FixedScale scale_of_samples(DistributedLikelihood const& likelihood, SiteSampler const& sites) {
    return FixedScale::of(likelihood.loglh_scale().bound, 2 * sites.num_sites());
}

/// The sum of each partition over the patterns of all PEs. Collective.
std::vector<double> sums_over_sites(DistributedLikelihood& likelihood, LocalPatterns const& patterns,
                                    std::span<std::vector<double> const> values) {
    std::vector<FixedSum> sums(values.size());
    for (std::size_t q = 0; q < values.size(); ++q) {
        for (std::size_t i = 0; i < values[q].size(); ++i)
            sums[q].add(values[q][i], patterns.weight(q, i), likelihood.loglh_scale());
    }
    return likelihood.sum_over_ranks(sums);
}

}  // namespace

std::vector<std::vector<double>> pattern_loglh(DistributedLikelihood& likelihood, LocalPatterns const& patterns,
                                               msa::HalfEdge h) {
    std::vector<std::vector<double>> result;
    bool is_corrected = false;
    for (std::size_t q = 0; q < likelihood.num_partitions(); ++q) {
        result.push_back(likelihood.local_loglh(h, q));
        REGRAFT_EXPECTS(result[q].size() == patterns.mine[q].size());
        is_corrected = is_corrected || likelihood.spec(q).ascertainment != likelihood::Ascertainment::none;
    }
    if (!is_corrected) return result;
    auto const corrected = likelihood.partition_loglh();
    auto const sums = sums_over_sites(likelihood, patterns, result);
    for (std::size_t q = 0; q < result.size(); ++q) {
        if (likelihood.spec(q).ascertainment == likelihood::Ascertainment::none) continue;
        auto const share = (corrected[q] - sums[q]) / static_cast<double>(patterns.all.num_sites(q));
        for (auto& value : result[q]) value += share;
    }
    return result;
}

void TestedTrees::add(DistributedLikelihood& likelihood) {
    loglh_.push_back(pattern_loglh(likelihood, patterns_));
}

void TestedTrees::compare(DistributedLikelihood& likelihood) {
    std::vector<std::vector<double>> sums;  // [tree][partition]
    std::vector<double> loglh;
    for (auto const& of_tree : loglh_) {
        sums.push_back(sums_over_sites(likelihood, patterns_, of_tree));
        double sum = 0;
        for (auto const value : sums.back()) sum += value;
        loglh.push_back(sum);
    }
    std::vector<double> all_deviations(loglh.size() * loglh.size());
    for (std::size_t i = 0; i < loglh.size(); ++i) {
        auto const row = deviations(likelihood, i, sums);
        for (std::size_t j = 0; j < i; ++j)
            all_deviations[i * loglh.size() + j] = all_deviations[j * loglh.size() + i] = row[j];
    }
    contest_.emplace(std::move(loglh), all_deviations);
}

/// The standard deviations of the differences between a tree and each one before it, over samples of the usual size.
std::vector<double> TestedTrees::deviations(DistributedLikelihood& likelihood, std::size_t tree,
                                            std::span<std::vector<double> const> sums) const {
    auto const num_partitions = patterns_.mine.size();
    auto const scale = FixedScale::of(greatest_square, patterns_.all.num_sites());
    std::vector<FixedSum> squares(tree);
    for (std::size_t j = 0; j < tree; ++j) {
        for (std::size_t q = 0; q < num_partitions; ++q) {
            for (std::size_t i = 0; i < patterns_.mine[q].size(); ++i) {
                auto const difference = loglh_[tree][q][i] - loglh_[j][q][i];
                squares[j].add(difference * difference, patterns_.weight(q, i), scale);
            }
        }
    }
    auto result = likelihood.sum_over_ranks(squares, scale);
    for (std::size_t j = 0; j < tree; ++j) {
        for (std::size_t q = 0; q < num_partitions; ++q) {
            auto const difference = sums[tree][q] - sums[j][q];
            auto const sites = static_cast<double>(std::max<std::uint64_t>(1, patterns_.all.num_sites(q)));
            result[j] -= difference * difference / sites;
        }
        result[j] = std::sqrt(std::max(0.0, result[j]));
    }
    return result;
}

std::uint32_t TestedTrees::batch() const {
    constexpr std::uint64_t most_weights = std::uint64_t{1} << 25;
    constexpr std::uint64_t most_sums = std::uint64_t{1} << 14;
    auto const by_weights = most_weights / (patterns_.all.weights().size() + 1);
    auto const by_sums = most_sums / (num_trees() + 1);
    return checked_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min(by_weights, by_sums), 16, 256));
}

std::vector<std::vector<double>> TestedTrees::resample(DistributedLikelihood& likelihood,
                                                       SampleNumbers const& numbers) const {
    RellSamples const samples(patterns_.all, patterns_.mine, numbers);
    auto const scale = scale_of_samples(likelihood, patterns_.all);
    auto const columns = std::size_t{1} + samples.count();  // the first one is of the data
    std::vector<FixedSum> sums(num_trees() * columns);
    for (std::size_t t = 0; t < num_trees(); ++t) {
        auto const of_tree = std::span(sums).subspan(t * columns, columns);
        for (std::size_t q = 0; q < loglh_[t].size(); ++q) samples.add(q, loglh_[t][q], scale, of_tree);
    }
    auto const added = likelihood.sum_over_ranks(sums, scale);
    std::vector<std::vector<double>> result(samples.count(), std::vector<double>(num_trees()));
    for (std::size_t i = 0; i < samples.count(); ++i) {
        for (std::size_t t = 0; t < num_trees(); ++t) result[i][t] = added[t * columns + 1 + i];
    }
    return result;
}

}  // namespace regraft::search
