// Tests of given trees: which of them explain the data so much worse than others that it is no chance. What is counted
// in samples of the sites becomes p-values.
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

/// The sizes of the samples: ten, of .5 to 1.4 times the data. usual_size: as many sites as the data have.
inline constexpr std::uint32_t num_sample_sizes = 10;
inline constexpr std::uint32_t usual_size = 5;  // number of the size of the data
/// The size with this number. Precondition: number < num_sample_sizes.
constexpr SampleSize sample_size(std::uint32_t number) {
    return {5 + number};
}

/// Log-likelihoods of trees on all sites, and with which other tree each is compared.
struct Contest {
    /// deviations: standard deviations of the differences of samples, [tree * trees + other tree].
    Contest(std::vector<double> loglh_of_trees, std::span<double const> deviations);

    /// The number of trees that are compared.
    std::size_t num_trees() const { return loglh.size(); }
    /// A difference between two trees in standard deviations; 0 if they hardly differ at any site.
    double standardised(double difference, std::size_t tree, std::size_t other) const {
        return difference * precision[tree * num_trees() + other];
    }

    std::vector<double> loglh;                   // per tree, on all sites
    std::vector<double> precision;               // 1 / deviation, or 0
    std::vector<std::size_t> opponent;           // the best other tree; the tree itself if it is the only one
    std::vector<std::size_t> weighted_opponent;  // the same by differences in standard deviations
    std::vector<double> weighted_difference;     // the greatest to any tree in standard deviations, >= 0
};

/// What samples of one size have shown, per tree. Numbers of samples are exact; all values follow from the samples in
/// their order.
struct SampleCounts {
    std::vector<std::uint64_t> wins;  // samples in which no tree is better
    // The rest is only of samples of the usual size.
    std::vector<double> shares;              // the same where equally good trees share a sample
    std::vector<double> weights;             // sums of likelihoods, relative to those of all trees
    std::vector<std::uint64_t> kh;           // samples whose centred difference is at least that of the data
    std::vector<std::uint64_t> sh;           // the same for the greatest difference to any tree
    std::vector<std::uint64_t> weighted_kh;  // as kh, for differences divided by their standard deviations
    std::vector<std::uint64_t> weighted_sh;  // as sh, for such differences

    /// Counts a sample by the log-likelihoods of the trees. O(trees), or O(trees^2) at the usual size.
    void add(std::span<double const> loglh, Contest const& contest, SampleSize size);

    /// Writes all counts, for checkpoints and messages.
    void write(ByteWriter& out) const;
    /// Reads what write wrote. Throws InputError.
    static SampleCounts read(ByteReader& in);
};

/// The wins of a tree in samples of one size. scale: number of sites relative to the data.
struct ScaledWins {
    double scale = 1;           // number of sites relative to the data
    std::uint64_t wins = 0;     // samples in which the tree wins
    std::uint64_t samples = 0;  // samples of this size
};

/// The approximately unbiased test (Shimodaira 2002, Syst. Biol. 51:492): the share of wins is 1 - Phi(d sqrt(scale) +
/// c / sqrt(scale)), with d and c of the greatest likelihood, and p = 1 - Phi(d - c).
struct ScaledFit {
    double p = 0;            // p-value of the test
    double error = 0;        // standard error of p
    double d = 0;            // signed distance to the boundary of the region where the tree wins
    double c = 0;            // its curvature
    double fit = 1;          // probability of a worse fit (chi-squared); small: the model does not hold
    bool is_fitted = false;  // false: wins at too few scales; p is 0 or 1
};
/// Fits d and c to the wins of one tree in samples of several sizes, by the greatest likelihood.
ScaledFit fit_scaled_wins(std::span<ScaledWins const> wins);

/// The tests of a tree. Small values reject it.
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

/// The tests of all trees. loglh: of each; counts: of each sample size, in the order of their numbers; num_samples: of
/// each size; num_sites: in the data.
std::vector<TreeTest> tree_tests(std::span<double const> loglh, std::span<SampleCounts const> counts,
                                 std::uint32_t num_samples, std::uint64_t num_sites);

/// The smallest set of trees, the greatest first, whose values add up to at least `level`; per tree whether it is in
/// it.
std::vector<bool> confidence_set(std::span<double const> values, double level);

}  // namespace regraft::search
#pragma GCC visibility pop
