#include "regraft/likelihood/site_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "likelihood/models/eigensystem.hpp"
#include "support/likelihood/transition_oracle.hpp"

namespace regraft::likelihood {
namespace {

constexpr auto matrix_names = {"Blosum62", "cpREV",     "Dayhoff", "DCMut", "DEN",   "FLU",   "HIVb",   "HIVw",
                               "JTT",      "JTT-DCMut", "LG",      "mtART", "mtMAM", "mtREV", "mtZOA",  "PMB",
                               "rtREV",    "stmtREV",   "VT",      "WAG",   "LG4M",  "LG4X",  "Q.bird", "Q.yeast"};

SiteModel started(std::string const& text) {
    auto const spec = parse_model(text);
    std::vector<double> const equal(spec.num_states(), 1.0 / spec.num_states());
    return site_model(spec, start_model(spec, {.frequencies = equal}));
}

/// Everything that must hold of an eigensystem, whatever the rates.
void expect_sound(Eigensystem const& system) {
    auto const n = system.frequencies.size();
    EXPECT_NEAR(std::accumulate(system.frequencies.begin(), system.frequencies.end(), 0.0), 1, 1e-15);
    EXPECT_EQ(system.values.front(), 0);
    EXPECT_TRUE(std::is_sorted(system.values.rbegin(), system.values.rend()));
    for (double const t : {0.0, 1e-8, 0.01, 0.7, 10.0, 1000.0}) {
        auto const p = testing::transition_of(system, t);
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_NEAR(std::accumulate(p.begin() + static_cast<std::ptrdiff_t>(i * n),
                                        p.begin() + static_cast<std::ptrdiff_t>((i + 1) * n), 0.0),
                        1, 1e-13)
                << t;
        }
    }
}

/// The rate matrix and the probabilities of change of a system are those of its definition.
void expect_right(Eigensystem const& system, std::span<double const> exchangeabilities,
                  std::span<double const> frequencies, double tolerance) {
    auto const n = frequencies.size();
    auto const q = testing::rate_matrix(exchangeabilities, frequencies);
    auto const again = testing::rates_of(system);
    auto const fastest = -*std::min_element(q.begin(), q.end());
    for (std::size_t cell = 0; cell < n * n; ++cell) {
        EXPECT_NEAR(static_cast<double>(again[cell] / fastest), static_cast<double>(q[cell] / fastest), tolerance);
    }
    for (double const t : {0.003, 0.1, 2.0}) {
        auto const expected = testing::transition(q, n, t);
        auto const p = testing::transition_of(system, t);
        for (std::size_t cell = 0; cell < n * n; ++cell) {
            EXPECT_NEAR(p[cell], static_cast<double>(expected[cell]), tolerance) << t;
        }
    }
}

TEST(Eigensystem, GivesBackEveryMatrix) {
    for (auto const* name : matrix_names) {
        SCOPED_TRACE(name);
        for (auto const& matrix : parse_model(name).matrices) {
            auto const system = eigensystem(matrix.exchangeabilities, matrix.frequencies);
            expect_sound(system);
            expect_right(system, matrix.exchangeabilities, matrix.frequencies, 1e-13);
        }
    }
}

TEST(Eigensystem, OfJukesAndCantorIsTheirFormula) {
    auto const model = started("JC");
    auto const p = testing::transition_of(model.systems.front(), 0.3);
    auto const same = 0.25 + 0.75 * std::exp(-0.4);
    for (std::size_t cell = 0; cell < 16; ++cell) EXPECT_NEAR(p[cell], cell % 5 == 0 ? same : (1 - same) / 3, 1e-15);
}

TEST(Eigensystem, WorksFromTwoToSixtyFourStates) {
    for (std::size_t const n : {2, 3, 10, 64}) {
        std::vector<double> exchangeabilities;
        for (std::size_t pair = 0; pair < n * (n - 1) / 2; ++pair)
            exchangeabilities.push_back(0.01 + static_cast<double>(pair * 37 % 11));
        std::vector<double> frequencies;
        for (std::size_t i = 0; i < n; ++i) frequencies.push_back(1 + static_cast<double>(i * 5 % 7));
        auto const system = eigensystem(exchangeabilities, frequencies);
        expect_sound(system);
        expect_right(system, exchangeabilities, frequencies, 1e-13);
    }
}

TEST(Eigensystem, StandsExtremeFrequencies) {
    std::vector<double> const exchangeabilities{1, 2, 3, 4, 5, 6};
    for (auto const& frequencies : std::vector<std::vector<double>>{{1 - 3e-12, 1e-12, 1e-12, 1e-12},
                                                                    {0.5, 0.5 - 2e-12, 1e-12, 1e-12},
                                                                    {1e-12, 1e-9, 1e-6, 1 - 1.001001e-6},
                                                                    {0.3, 0.3, 0.4, 0},
                                                                    {0, 0, 0, 1}}) {
        auto const system = eigensystem(exchangeabilities, frequencies);
        expect_sound(system);
        expect_right(system, exchangeabilities, testing::floored(frequencies), 1e-12);
    }
}

TEST(Eigensystem, StandsExtremeRates) {
    std::vector<double> const frequencies{0.1, 0.2, 0.3, 0.4};
    for (auto const& exchangeabilities :
         std::vector<std::vector<double>>{{1e-9, 1, 1, 1, 1, 1e9},
                                          {1, 0, 0, 0, 0, 1},     // A with C, G with T, and never between: 0 twice
                                          {1, 0, 0, 0, 0, 0}}) {  // G and T never change
        auto const system = eigensystem(exchangeabilities, frequencies);
        expect_sound(system);
        expect_right(system, exchangeabilities, frequencies, 1e-13);
    }
}

TEST(Eigensystem, OfMixturesIsOnePerCategory) {
    for (auto const* name : {"LG4M", "LG4X"}) {
        auto const model = started(name);
        ASSERT_EQ(model.systems.size(), 4u);
        ASSERT_EQ(model.categories.size(), 4u);
        for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(model.categories[i].system, i);
        EXPECT_NE(model.systems[0].values, model.systems[1].values);
    }
    auto const equal = started("LG4M+FE");
    for (auto const& system : equal.systems) EXPECT_NEAR(system.frequencies[7], 0.05, 1e-16);
}

TEST(Eigensystem, OfProfileMixturesIsOnePerClass) {
    auto const spec = parse_model("LG+C10+F+G4");
    auto const model = started("LG+C10+F+G4");
    ASSERT_EQ(model.systems.size(), 11u);
    ASSERT_EQ(model.categories.size(), 44u);
    for (std::size_t i = 0; i < model.categories.size(); ++i) {
        EXPECT_EQ(model.categories[i].system, i / 4);
        EXPECT_EQ(model.categories[i].rate, model.categories[i % 4].rate);
    }
    EXPECT_NEAR(model.systems[0].frequencies[3], 0.05, 1e-15);
    for (std::size_t c = 0; c < 10; ++c) {
        SCOPED_TRACE(c);
        auto const& profile = spec.profiles[c].frequencies;
        expect_sound(model.systems[c + 1]);
        expect_right(model.systems[c + 1], spec.matrices[0].exchangeabilities, profile, 1e-9);
    }
}

TEST(SiteModel, HasMeanRateOneAndAllWeights) {
    for (auto const* text :
         {"C10", "LG+C20+F+G4", "WAG+C30Opt+I{0.2}+R3", "JC", "JC+G", "JC+G64a{0.02}", "GTR+I{0.3}+G4", "GTR+I{0.99}",
          "LG4X", "JC+R4", "JC+R3{1/2/30}{5/1/0.25}+I{0.5}", "MULTI64_GTR+G2"}) {
        auto const model = started(text);
        double weight = 0;
        double mean = 0;
        for (auto const& category : model.categories) {
            weight += category.weight;
            mean += category.weight * category.rate;
            EXPECT_LT(category.system, model.systems.size());
        }
        EXPECT_NEAR(weight, 1 - model.invariant, 1e-14) << text;
        EXPECT_NEAR(mean, 1, 1e-14) << text;
        EXPECT_EQ(model.num_states, model.systems.front().frequencies.size()) << text;
    }
}

TEST(SiteModel, WithOtherCategoriesIsAsIfMadeAnew) {
    for (auto const* text : {"GTR+I+G4m", "LG+C20Opt+R4", "LG+R4", "LG4M", "LG4X", "WAG+I", "JC"}) {
        SCOPED_TRACE(text);
        auto const spec = parse_model(text);
        std::vector<double> const equal(spec.num_states(), 1.0 / spec.num_states());
        auto const first = start_model(spec, {.frequencies = equal});
        auto other = first;
        other.alpha = 0.37;
        other.invariant = first.invariant / 3;
        for (std::size_t i = 0; i < other.category_rates.size(); ++i) {
            other.category_rates[i] *= static_cast<double>(i + 1);
            other.category_weights[i] /= static_cast<double>(i + 2);
        }
        for (auto& weight : other.class_weights) weight = 1 / (1 + weight);
        auto changed = site_model(spec, first);
        set_categories(changed, spec, other);
        auto const anew = site_model(spec, other);
        EXPECT_EQ(changed.invariant, anew.invariant);
        ASSERT_EQ(changed.categories.size(), anew.categories.size());
        for (std::size_t i = 0; i < anew.categories.size(); ++i) {
            EXPECT_EQ(changed.categories[i].system, anew.categories[i].system);
            EXPECT_EQ(changed.categories[i].rate, anew.categories[i].rate);
            EXPECT_EQ(changed.categories[i].weight, anew.categories[i].weight);
        }
        ASSERT_EQ(changed.systems.size(), anew.systems.size());
        for (std::size_t i = 0; i < anew.systems.size(); ++i)
            EXPECT_EQ(changed.systems[i].values, anew.systems[i].values);
    }
}

TEST(SiteModel, StandsTheSmallestNumbers) {
    for (auto const* text : {"GTR{1e-100/0/0/0/0/0}+FU{0/0/0.5/0.5}", "JC+R2{1e-100/0}{1e-100/1}+I{0.99}"}) {
        auto const model = started(text);
        expect_sound(model.systems.front());
        EXPECT_TRUE(std::isfinite(model.categories.front().rate)) << text;
    }
}

TEST(SiteModel, TakesValuesOfTheModel) {
    auto const spec = parse_model("HKY+FO+R2");
    auto model = start_model(spec, {.frequencies = std::vector<double>(4, 0.25)});
    model.rates = {1, 3};  // transversions, transitions
    model.frequencies = {0.1, 0.2, 0.3, 0.4};
    model.category_rates = {1, 5};
    model.category_weights = {0.75, 0.25};
    auto const sites = site_model(spec, model);
    expect_right(sites.systems.front(), std::vector<double>{1, 3, 1, 1, 3, 1}, model.frequencies, 1e-13);
    EXPECT_NEAR(sites.categories[0].rate, 0.5, 1e-15);
    EXPECT_NEAR(sites.categories[1].rate, 2.5, 1e-15);
    EXPECT_EQ(sites.categories[1].weight, 0.25);
}

TEST(SiteModelDeathTest, RefusesAModelOfAnotherSpec) {
    auto const jc = start_model(parse_model("JC"), {});
    EXPECT_DEATH(site_model(parse_model("GTR"), jc), "precondition");
    EXPECT_DEATH(site_model(parse_model("JC+R4"), jc), "precondition");
}

}  // namespace
}  // namespace regraft::likelihood
