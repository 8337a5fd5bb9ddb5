// Random models: as text and back, and what must hold of the numbers that kernels get.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/likelihood/model.hpp"
#include "regraft/likelihood/site_model.hpp"
#include "support/likelihood/transition_oracle.hpp"

namespace regraft::likelihood {
namespace {

template <class Items>
auto pick(Random& random, Items const& items) {
    return *(std::begin(items) + random.below(std::size(items)));
}

constexpr auto names = {"JC",         "k80",     "F81",  "HKY",       "TN93",       "TIM2uf",
                        "TVM",        "SYM",     "GTR",  "DNA012321", "LG",         "FLU",
                        "WAG",        "LG4M",    "LG4X", "BIN",       "MULTI3_MK",  "MULTI6_GTR",
                        "MULTI9_GTR", "Poisson", "C10",  "LG+C20",    "WAG+C30Opt", "PROTGTR+C10"};

std::string random_text(Random& random) {
    std::string const name = pick(random, names);
    bool const mixture = name.starts_with("LG4");
    std::string text = name;
    text += pick(random, mixture ? std::vector{"", "+FC", "+FE"} : std::vector{"", "+F", "+FC", "+FE", "+FO"});
    text += pick(random, std::vector{"", "+I", "+IC", "+I{0.125}", "+ASC_LEWIS", "+ASC_FELS{12}"});
    text +=
        pick(random, mixture ? std::vector{"", "+G", "+R4"} : std::vector{"", "+G", "+G7a", "+G2m{0.3}", "+R", "+R9"});
    text += pick(random, std::vector{"", "+B", "+BU{3}"});
    return text;
}

/// A number drawn over many orders of magnitude.
double random_size(Random& random) {
    return std::exp(20 * random.unit() - 10);
}

std::vector<double> random_frequencies(Random& random, std::uint32_t num_states) {
    std::vector<double> frequencies;
    double sum = 0;
    for (std::uint32_t i = 0; i < num_states; ++i) sum += frequencies.emplace_back(random_size(random));
    for (double& f : frequencies) f /= sum;
    return frequencies;
}

/// A model of the spec with random values of all parameters that are optimised.
Model random_model(Random& random, ModelSpec const& spec) {
    auto const frequencies = random_frequencies(random, spec.num_states());
    auto model = start_model(spec, {.frequencies = frequencies, .invariant = random.unit()});
    if (spec.rates_from == Origin::optimised) {
        for (double& rate : model.rates) rate = random_size(random);
    }
    if (spec.alpha_from == Origin::optimised) model.alpha = min_alpha * std::exp(8.5 * random.unit());
    if (spec.scaler_from == Origin::optimised) model.scaler = random_size(random);
    if (spec.free_rates_from == Origin::optimised) {
        for (double& rate : model.category_rates) rate = random_size(random);
        for (double& weight : model.category_weights) weight = random.unit();
    }
    if (spec.class_weights_from == Origin::optimised) {
        for (double& weight : model.class_weights) weight = random.unit();
    }
    return model;
}

TEST(Models, ComeBackFromTheirText) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const spec = parse_model(random_text(random));
        auto const model = random_model(random, spec);
        auto const text = to_string(spec, model);
        auto const again = parse_model(text);
        ASSERT_EQ(start_model(again, {}), model) << text;
        EXPECT_EQ(free_parameters(again), 0u) << text;
        EXPECT_EQ(again.name, spec.name);
        EXPECT_EQ(again.ascertainment, spec.ascertainment);
    }
}

TEST(Models, GiveKernelsTheirRateMatrix) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Random random(seed);
        auto const spec = parse_model(random_text(random));
        auto const model = random_model(random, spec);
        SCOPED_TRACE(std::to_string(seed) + ' ' + to_string(spec, model));
        auto const sites = site_model(spec, model);
        double mean = 0;
        double weight = sites.invariant;
        for (auto const& category : sites.categories) {
            mean += category.weight * category.rate;
            weight += category.weight;
        }
        EXPECT_NEAR(mean, 1, 1e-12);
        EXPECT_NEAR(weight, 1, 1e-14);

        for (std::size_t s = 0; s < sites.systems.size(); ++s) {
            auto const& system = sites.systems[s];
            std::vector<double> exchangeabilities;
            for (auto const rate_class : spec.rate_classes) exchangeabilities.push_back(model.rates[rate_class]);
            if (!spec.matrices.empty()) {
                auto const& own = spec.matrices[spec.matrices.size() == 1 ? 0 : s].exchangeabilities;
                exchangeabilities.assign(own.begin(), own.end());
            }
            auto const n = system.frequencies.size();
            auto const q = testing::rate_matrix(exchangeabilities, system.frequencies);
            auto const expected = testing::transition(q, n, 0.25L);
            auto const p = testing::transition_of(system, 0.25);
            for (std::size_t cell = 0; cell < n * n; ++cell) {
                ASSERT_NEAR(p[cell], static_cast<double>(expected[cell]), 1e-12) << cell;
            }
        }
    }
}

TEST(Models, AreReadOrRefusedWhateverTheText) {
    std::string const characters = "GTRFCIOU+{}/0123.eE-mMaASLX4_ ";
    for (std::uint64_t seed = 0; seed < 5000; ++seed) {
        Random random(seed);
        auto text = random_text(random);
        for (auto edits = 1 + random.below(3); edits > 0; --edits) {
            auto const at = random.below(text.size());
            text.replace(at, random.below(2), std::string(random.below(3), pick(random, characters)));
            if (text.empty()) text = "+";
        }
        SCOPED_TRACE(text);
        try {
            auto const spec = parse_model(text);
            auto const model = random_model(random, spec);
            site_model(spec, model);
            EXPECT_EQ(start_model(parse_model(to_string(spec, model)), {}), model);
        } catch (InputError const&) {  // a message, not a crash
        }
    }
}

}  // namespace
}  // namespace regraft::likelihood
