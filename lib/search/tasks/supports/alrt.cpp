#include "regraft/search/alrt.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "regraft/core/contracts.hpp"
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
