#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/likelihood/likelihood_cases.hpp"

namespace regraft::test {
namespace {

using likelihood::Partition;
using likelihood::Sites;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Three tips around one node, JC69, edges as long as given.
LikelihoodCase star(std::array<double, 3> lengths, Sites sites) {
    msa::Tree tree(3);
    for (msa::HalfEdge t = 0; t < 3; ++t) tree.connect(t, 3 + t, lengths[t]);
    Mixture const mixture{{{std::vector<double>(6, 1), std::vector<double>(4, 0.25)}}, {{0, 1, 1}}};
    likelihood::StateSets sets{};
    for (auto const& [character, set] : {std::pair{'A', 1}, {'C', 2}, {'G', 4}, {'T', 8}, {'R', 5}, {'-', 15}}) {
        sets[static_cast<unsigned char>(character)] = static_cast<std::uint64_t>(set);
    }
    return {tree, mixture, sets, std::move(sites)};
}

double loglh(LikelihoodCase const& c) {
    auto p = partition(c);
    return loglh_sum(p).value(p.loglh_scale());
}

double same(double t) {
    return 0.25 + 0.75 * std::exp(-4 * t / 3);
}
double different(double t) {
    return 0.25 - 0.25 * std::exp(-4 * t / 3);
}

TEST(Likelihood, OfThreeTipsIsWhatJukesAndCantorSay) {
    // Tips A, A, C: the inner node is A, C, or one of the two others.
    auto const [a, b, c] = std::array{0.1, 0.2, 0.3};
    double const expected = 0.25 * (same(a) * same(b) * different(c) + different(a) * different(b) * same(c) +
                                    2 * different(a) * different(b) * different(c));
    EXPECT_NEAR(loglh(star({a, b, c}, {{1}, {"A", "A", "C"}})), std::log(expected), 1e-14);
    EXPECT_NEAR(loglh(star({a, b, c}, {{7}, {"A", "A", "C"}})), 7 * std::log(expected), 1e-13);
}

TEST(Likelihood, OfUndeterminedTipsIsOne) {
    EXPECT_NEAR(loglh(star({0.1, 2, 30}, {{3, 4}, {"--", "--", "--"}})), 0, 1e-14);
    EXPECT_NEAR(loglh(star({0.1, 2, 30}, {{1}, {"G", "-", "-"}})), std::log(0.25), 1e-14);
    EXPECT_NEAR(loglh(star({0.1, 2, 30}, {{1}, {"-", "R", "-"}})), std::log(0.5), 1e-14);
}

TEST(Likelihood, OfNoSitesIsOne) {
    auto const c = star({0.1, 0.2, 0.3}, {{}, {"", "", ""}});
    EXPECT_EQ(loglh(c), 0);
    auto p = partition(c);
    for (auto const& sum : derivative_sums(p, 0, 0.1)) EXPECT_EQ(bits(sum), SumBits{});
}

TEST(Likelihood, OfSitesThatDoNotChangeGrowsWithTheirShare) {
    auto c = star({0.1, 0.2, 0.3}, {{1, 1}, {"AA", "AA", "AC"}});
    c.mixture.invariant = 0.4;
    c.mixture.categories[0].weight = 0.6;
    auto p = partition(c);
    std::array<double, 2> with{};
    FixedSum sum;
    p.add_loglh(0, sum, with);
    c.mixture.invariant = 0;
    p = partition(c);
    std::array<double, 2> without{};
    p.add_loglh(0, sum, without);
    EXPECT_NEAR(std::exp(with[0]), std::exp(without[0]) + 0.4 * 0.25, 1e-14);
    EXPECT_EQ(with[1], without[1]);
}

TEST(Likelihood, OfWhatCannotBeIsMinusInfinityAndNoNan) {
    auto const c = star({0, 0, 0.3}, {{2, 1}, {"AA", "CA", "AA"}});
    auto p = partition(c);
    std::array<double, 2> values{};
    FixedSum sum;
    p.add_loglh(2, sum, values);
    EXPECT_EQ(values[0], -infinity);
    EXPECT_TRUE(std::isfinite(values[1]));
    EXPECT_EQ(sum.num_strays, 1);
    EXPECT_EQ(sum.value(p.loglh_scale()), -infinity);
}

TEST(Likelihood, HasDerivativesWithoutNanWhereThereIsNoLikelihood) {
    // The column is impossible whatever the length, or only at length 0.
    for (auto const& c :
         {star({0, 0, 0.3}, {{2, 1}, {"AA", "CA", "AA"}}), star({0.1, 0, 0}, {{1, 1}, {"AG", "AC", "AC"}})}) {
        auto p = partition(c);
        for (msa::HalfEdge h : {0U, 1U, 2U}) {
            for (double const t : {0.0, 1e-300, 1e-12, 1e-6, 1.0, 100.0}) {
                auto const sums = derivative_sums(p, h, t);
                for (std::size_t order = 0; order < 3; ++order) {
                    EXPECT_FALSE(std::isnan(sums[order].value(p.derivative_scales()[order])))
                        << "order " << order << " at " << h << ", length " << t;
                }
            }
        }
    }
}

TEST(Likelihood, OfALengthThatIsZeroIsThatOfOneNode) {
    EXPECT_NEAR(loglh(star({0, 0.2, 0.3}, {{1}, {"A", "A", "C"}})), std::log(0.25 * same(0.2) * different(0.3)), 1e-14);
}

TEST(Likelihood, OfStatesThatNeverOccurIsNoNan) {
    for (double const length : {1e-6, 0.1, 100.0}) {
        auto c = star({length, length, length}, {{1, 1, 1}, {"ACG", "AAG", "A-R"}});
        c.mixture.processes[0].frequencies = {1, 0, 0, 0};
        auto p = partition(c);
        std::array<double, 3> values{};
        FixedSum sum;
        p.add_loglh(0, sum, values);
        // At mean rate 1 the rare states leave at once: every tip is drawn anew.
        EXPECT_NEAR(values[0], 0, 1e-9);
        EXPECT_NEAR(values[1], std::log(1e-12), 1e-9);
        EXPECT_NEAR(values[2], std::log(1e-24), 1e-9);
        for (auto const& derivative : derivative_sums(p, 0, length)) EXPECT_EQ(derivative.num_strays, 0);
    }
}

/// A case of eight states, with as many patterns as there are sets, each at one tip.
LikelihoodCase many_sets(std::size_t num_sets) {
    auto c = star({0.1, 0.2, 0.3}, {});
    c.mixture.processes[0] = {std::vector<double>(28, 1), std::vector<double>(8, 0.125)};
    for (std::size_t i = 0; i < c.sets.size(); ++i) c.sets[i] = 255 - i;
    c.sites.rows.resize(3);
    for (std::size_t i = 0; i < num_sets; ++i) {
        c.sites.weights.push_back(1);
        c.sites.rows[0].push_back(static_cast<char>(i));
        c.sites.rows[1].push_back(0);
        c.sites.rows[2].push_back(0);
    }
    return c;
}

TEST(Likelihood, TakesAllSetsOfEightStates) {
    auto const c = many_sets(255);
    auto p = partition(c);
    std::vector<double> values(255);
    FixedSum sum;
    p.add_loglh(0, sum, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(values[i], std::log(std::popcount(c.sets[i]) / 8.0), 1e-13);
    }
}

TEST(LikelihoodDeathTest, WantsCharactersThatAreAllowedAndOneRowPerTip) {
    EXPECT_DEATH(loglh(star({1, 1, 1}, {{1}, {"A", "A", "?"}})), "set != 0");
    EXPECT_DEATH(loglh(star({1, 1, 1}, {{1}, {"A", "A"}})), "rows.size");
    EXPECT_DEATH(loglh(star({1, 1, 1}, {{1}, {"A", "A", "AC"}})), "rows");
}

}  // namespace
}  // namespace regraft::test
