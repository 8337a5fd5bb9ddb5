#include "search/models/minimise.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace regraft::phylo {

using namespace search;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A function of as many variables as x has, with the minimum 0 at (1, 1, ...) in a bent valley.
double rosenbrock(std::vector<double> const& x) {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        sum += 100 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(1 - x[i], 2);
    }
    return sum;
}

std::vector<double> answers(std::span<Question const> questions) {
    std::vector<double> values;
    for (auto const& question : questions) values.push_back(rosenbrock(question.x));
    return values;
}

Box cube(std::size_t variables, double start, double low, double high) {
    return {std::vector(variables, start), std::vector(variables, low), std::vector(variables, high)};
}

TEST(Minimise, FindsMinimaOfSeveralFunctions) {
    std::vector const boxes{cube(2, -1, -5, 5), cube(5, 0, -5, 5), cube(3, 4, -5, 5)};
    auto const best = minimise(boxes, 1e-10, answers);
    ASSERT_EQ(best.size(), 3U);
    for (std::size_t i = 0; i < best.size(); ++i) {
        ASSERT_EQ(best[i].size(), boxes[i].start.size());
        for (double x : best[i]) EXPECT_NEAR(x, 1, 1e-2);
    }
}

TEST(Minimise, StaysWithinTheBoxAndFindsMinimaAtItsBorder) {
    std::vector const boxes{cube(2, 0.2, -0.5, 0.5)};
    auto const best = minimise(boxes, 1e-10, [](std::span<Question const> questions) {
        for (auto const& question : questions) {
            for (double x : question.x) EXPECT_LE(std::abs(x), 0.5);
        }
        return answers(questions);
    });
    EXPECT_NEAR(best[0][0], 0.5, 1e-6);
    EXPECT_NEAR(best[0][1], 0.25, 1e-3);
}

TEST(Minimise, StartsAtABorder) {
    std::vector const boxes{cube(2, 2, -1, 2)};
    auto const best = minimise(boxes, 1e-10, answers);
    for (double x : best[0]) EXPECT_NEAR(x, 1, 1e-2);
}

TEST(Minimise, AsksInRoundsThatDoNotGrowWithTheNumberOfBoxes) {
    auto const count_rounds = [](std::size_t num_boxes) {
        std::vector const boxes(num_boxes, cube(2, -1, -5, 5));
        std::size_t rounds = 0;
        minimise(boxes, 1e-6, [&](std::span<Question const> questions) {
            ++rounds;
            EXPECT_LE(questions.size(), 5 * num_boxes);
            return answers(questions);
        });
        return rounds;
    };
    EXPECT_GT(count_rounds(1), 3U);
    EXPECT_EQ(count_rounds(50), count_rounds(1));
}

TEST(Minimise, DoesManyBoxesEachAsIfItWereAlone) {
    std::vector<Box> boxes;
    for (int i = 0; i < 150; ++i) boxes.push_back(cube(2, -1 + 0.01 * i, -5, 5));
    auto const together = minimise(boxes, 1e-6, answers);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        EXPECT_EQ(minimise(std::span(&boxes[i], 1), 1e-6, answers)[0], together[i]);
    }
}

TEST(Minimise, NeverEndsAboveTheStartWhateverTheValues) {
    std::vector const boxes{cube(2, 0.1, -5, 5)};
    for (double elsewhere : {infinity, 1e300}) {
        auto const best = minimise(boxes, 1e-6, [&](std::span<Question const> questions) {
            std::vector<double> values;
            for (auto const& question : questions) values.push_back(question.x == boxes[0].start ? 3 : elsewhere);
            return values;
        });
        EXPECT_EQ(best[0], boxes[0].start);
    }
}

TEST(Minimise, HasNothingToDoWithoutVariables) {
    std::vector const boxes{cube(0, 0, 0, 0), cube(2, 0, -5, 5)};
    auto const best = minimise(boxes, 1e-6, answers);
    EXPECT_TRUE(best[0].empty());
    EXPECT_EQ(best[1].size(), 2U);
    EXPECT_TRUE(minimise({}, 1e-6, answers).empty());
}

TEST(Minimise, PassesExceptionsThroughAtEveryRound) {
    std::vector const boxes(3, cube(2, -1, -5, 5));
    for (int last = 0; last < 5; ++last) {
        int rounds = 0;
        auto const fail = [&](std::span<Question const> questions) {
            if (rounds++ == last) throw std::runtime_error("somebody died");
            return answers(questions);
        };
        EXPECT_THROW(minimise(boxes, 1e-6, fail), std::runtime_error);
    }
}

}  // namespace
}  // namespace regraft::phylo
