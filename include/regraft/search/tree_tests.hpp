// Tests of given trees: which of them explain the data so much worse than others that this is not by chance. Counts
// over samples of the sites become p-values. Pure functions; tested_trees.hpp makes the log-likelihoods of the samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/search/resampling.hpp"

#pragma GCC visibility push(default)
namespace regraft::search {

/// Log-likelihoods that are closer than this count as equal, because optimisation does not tell them apart.
inline constexpr double indistinguishable = 0.01;

/// The number of sizes of samples: 0.5, 0.6, ..., 1.4 times the sites of the data.
inline constexpr std::uint32_t num_sample_sizes = 10;
inline constexpr std::uint32_t usual_size = 5;  // number of the size with as many sites as the data
/// The size with this number. Precondition: number < num_sample_sizes.
constexpr SampleSize sample_size(std::uint32_t number) {
    return {5 + number};
}

/// Log-likelihoods of trees on all sites, and with which other tree each is compared.
struct Contest {
    /// deviations: standard deviations, over samples of the usual size, of the difference in log-likelihood between two
    /// trees: [tree][other tree].
    Contest(std::vector<double> loglh_of_trees, std::span<double const> deviations);

    /// The number of trees that are compared.
    std::size_t num_trees() const { return loglh.size(); }
    /// A difference between two trees in standard deviations; 0 if they hardly differ at any site.
    double standardised(double difference, std::size_t tree, std::size_t other) const {
        return difference * precision[tree * num_trees() + other];
    }

    std::vector<double> loglh;                   // per tree, on all sites
    std::vector<double> precision;               // [tree][other tree]: 1 / deviation; 0: they hardly differ
    std::vector<std::size_t> opponent;           // per tree: the best other tree; the tree itself if it is the only one
    std::vector<std::size_t> weighted_opponent;  // the same by differences in standard deviations
    std::vector<double> weighted_difference;     // per tree: the greatest to any tree in standard deviations, >= 0
};

/// What samples of one size have shown, per tree. Numbers of samples are exact; all values follow from the samples in
/// their order.
struct SampleCounts {
    std::vector<std::uint64_t> wins;  // samples in which no tree is better
    // The rest is only of samples of the usual size.
    std::vector<double> shares;              // wins, where equally good trees share a sample
    std::vector<double> weights;             // sums of likelihoods, relative to those of all trees
    std::vector<std::uint64_t> kh;           // samples whose centred difference is at least that of the data
    std::vector<std::uint64_t> sh;           // the same for the greatest difference to any tree
    std::vector<std::uint64_t> weighted_kh;  // as kh, for differences divided by their standard deviations
    std::vector<std::uint64_t> weighted_sh;  // as sh, for such differences

    /// Counts a sample of this size, in which the trees have these log-likelihoods. O(trees), or O(trees^2) at the
    /// usual size.
    void add(std::span<double const> loglh, Contest const& contest, SampleSize size);

    /// Writes all counts, for checkpoints and messages.
    void write(ByteWriter& out) const;
    /// Reads what write wrote. Throws InputError.
    static SampleCounts read(ByteReader& in);
};

/// The wins of a tree in samples of one size.
struct ScaledWins {
    double scale = 1;           // number of sites relative to the data
    std::uint64_t wins = 0;     // samples in which the tree wins
    std::uint64_t samples = 0;  // samples of this size
};

/// The approximately unbiased test (Shimodaira 2002, Syst. Biol. 51:492). Its model is that the share of wins is 1 -
/// Phi(d sqrt(scale) + c / sqrt(scale)), where Phi is the normal distribution. d and c are fitted, and p = 1 - Phi(d -
/// c).
struct ScaledFit {
    double p = 0;            // p-value of the test
    double error = 0;        // standard error of p
    double d = 0;            // signed distance to the boundary of the region where the tree wins
    double c = 0;            // curvature of this boundary
    double fit = 1;          // probability of a worse fit (chi-squared); small: the model does not hold
    bool is_fitted = false;  // false: at fewer than two scales are wins neither none nor all, and p is 0 or 1
};
/// Fits d and c to the wins of one tree in samples of several sizes, by maximum likelihood.
ScaledFit fit_scaled_wins(std::span<ScaledWins const> wins);

/// The tests of a tree: p-values, and shares of samples. Small values reject the tree.
struct TreeTest {
    double loglh = 0;        // on all sites
    double difference = 0;   // to the best log-likelihood, >= 0
    double bp = 0;           // share of the samples in which the tree is the best (BP-RELL, Kishino et al. 1990)
    double kh = 0;           // Kishino and Hasegawa 1989, one-sided, against the best other tree
    double sh = 0;           // Shimodaira and Hasegawa 1999
    double weighted_kh = 0;  // against the other tree with the greatest difference in standard deviations
    double weighted_sh = 0;  // the greatest such difference to any tree
    double elw = 0;          // expected likelihood weight (Strimmer and Rambaut 2002)
    ScaledFit au;            // the approximately unbiased test
};

/// The tests of all trees. loglh: of each tree on all sites. counts: of each sample size, in the order of their
/// numbers. num_samples: of each size. num_sites: in the data. Precondition: !loglh.empty(), and counts of
/// num_sample_sizes sizes, each of num_samples samples.
std::vector<TreeTest> tree_tests(std::span<double const> loglh, std::span<SampleCounts const> counts,
                                 std::uint32_t num_samples, std::uint64_t num_sites);

/// The smallest set of trees whose values add up to at least `level`: those with the greatest values. Returns for each
/// tree whether it is in the set.
std::vector<bool> confidence_set(std::span<double const> values, double level);

}  // namespace regraft::search
#pragma GCC visibility pop
