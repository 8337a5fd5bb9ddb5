#include "search/models/model_box.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace regraft::phylo {

using namespace search;

namespace {

using likelihood::Model;
using likelihood::parse_model;

Model some_model(likelihood::ModelSpec const& spec) {
    std::vector<double> frequencies(spec.num_states());
    for (std::size_t i = 0; i < frequencies.size(); ++i) frequencies[i] = 1.0 + static_cast<double>(i);
    auto const sum = std::accumulate(frequencies.begin(), frequencies.end(), 0.0);
    for (auto& f : frequencies) f /= sum;
    return likelihood::start_model(spec, {frequencies, 0.2});
}

TEST(ModelBox, HasOneVariableForWhatEachFreeParameterIs) {
    struct Case {
        char const* model;
        std::size_t variables;
    };
    for (auto const& [text, variables] : {Case{"JC", 0},
                                          {"GTR+FC", 5},
                                          {"GTR+FO+G4m", 9},
                                          {"HKY+FE+I+G4m", 3},
                                          {"GTR+FC+R4", 11},
                                          {"TN93+FO+R2+I", 8},
                                          {"LG+G4m", 1},
                                          {"LG+FO", 19},
                                          {"GTR{1/2/3/4/5/1}+FC+G4m{0.5}", 0}}) {
        auto const spec = parse_model(text);
        EXPECT_EQ(ModelBox(spec, some_model(spec), Variables::model).box().start.size(), variables) << text;
        EXPECT_EQ(ModelBox(spec, some_model(spec), Variables::model_and_scaler).box().start.size(), variables + 1)
            << text;
    }
}

TEST(ModelBox, HasOnlyFreeRatesIfAskedForThem) {
    for (auto const& [text, variables] : {std::pair{"GTR+FO+I+G4m", 0}, {"HKY+FO+I+R3", 4}}) {
        auto const spec = parse_model(text);
        ModelBox const box(spec, some_model(spec), Variables::categories);
        EXPECT_EQ(box.box().start.size(), static_cast<std::size_t>(variables)) << text;
        auto const model = box.model(box.box().low);
        EXPECT_EQ(model.rates, some_model(spec).rates);
        EXPECT_EQ(model.frequencies, some_model(spec).frequencies);
        EXPECT_EQ(model.invariant, some_model(spec).invariant);
    }
}

TEST(ModelBox, LetsASlowestRateBeThatOfSitesThatNeverChange) {
    auto const spec = parse_model("JC+R2");
    auto model = some_model(spec);
    model.category_rates = {2e-6, 1};
    ModelBox const box(spec, model, Variables::model);
    EXPECT_NEAR(box.box().start.back(), std::log(2e-6), 1e-9);
    EXPECT_LT(box.box().low.back(), box.box().start.back());
}

TEST(ModelBox, GivesTheStartBackBitForBit) {
    for (auto const* text : {"JC", "GTR+FO+I+G4m", "LG+FO+R4", "HKY+FC+R3+I"}) {
        auto const spec = parse_model(text);
        auto const model = some_model(spec);
        ModelBox const box(spec, model, Variables::model_and_scaler);
        EXPECT_EQ(box.model(box.box().start), model);
    }
}

TEST(ModelBox, ChangesWhatTheVariablesSay) {
    auto const spec = parse_model("GTR+FO+I+G4m");
    ModelBox const box(spec, some_model(spec), Variables::model_and_scaler);
    auto x = box.box().start;
    x[0] += std::log(2.0);            // a rate beside those that are 1, one of them the greatest
    x[x.size() - 3] = std::log(0.7);  // alpha
    x[x.size() - 2] = std::log(0.3 / 0.7);
    x[x.size() - 1] = std::log(1.5);
    auto const model = box.model(x);
    EXPECT_EQ(std::count(model.rates.begin(), model.rates.end(), 1.0), 5);
    EXPECT_NEAR(std::accumulate(model.rates.begin(), model.rates.end(), 0.0), 7, 1e-12);
    EXPECT_EQ(model.rates.back(), 1.0);
    EXPECT_NEAR(std::accumulate(model.frequencies.begin(), model.frequencies.end(), 0.0), 1, 1e-12);
    EXPECT_NEAR(model.frequencies[3], 0.4, 1e-12);
    EXPECT_NEAR(model.alpha, 0.7, 1e-12);
    EXPECT_NEAR(model.invariant, 0.3, 1e-12);
    EXPECT_NEAR(model.scaler, 1.5, 1e-12);
}

TEST(ModelBox, HoldsNothingThatAModelMayNotBe) {
    auto const spec = parse_model("GTR+FO+I+G4m");
    ModelBox const box(spec, some_model(spec), Variables::model_and_scaler);
    for (auto const& x : {box.box().low, box.box().high}) {
        auto const model = box.model(x);
        EXPECT_GE(model.alpha, likelihood::min_alpha);
        EXPECT_LE(model.alpha, likelihood::max_alpha);
        EXPECT_GT(model.invariant, 0);
        EXPECT_LE(model.invariant, likelihood::max_invariant);
        for (double rate : model.rates) EXPECT_GT(rate, 0);
    }
}

}  // namespace
}  // namespace regraft::phylo
