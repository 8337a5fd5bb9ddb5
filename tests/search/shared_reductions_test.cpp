#include "search/likelihood/shared_reductions.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "search/likelihood/fiber.hpp"
#include "small_job.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

using Fixture = test::SmallJob;

/// Notes in a text when it goes.
struct Leaves {
    std::string& text;
    ~Leaves() { text += "left "; }
};

TEST(Fiber, TakesTurnsWithItsCaller) {
    std::string text;
    Fiber* self = nullptr;
    Fiber fiber([&] {
        text += "a ";
        self->pause();
        text += "b ";
    });
    self = &fiber;
    EXPECT_FALSE(fiber.has_ended());
    fiber.resume();
    text += "caller ";
    EXPECT_FALSE(fiber.has_ended());
    fiber.resume();
    EXPECT_TRUE(fiber.has_ended());
    EXPECT_EQ(text, "a caller b ");
}

TEST(Fiber, PassesOnWhatItsFunctionThrows) {
    Fiber* self = nullptr;
    Fiber fiber([&] {
        self->pause();
        throw std::runtime_error("thrown");
    });
    self = &fiber;
    fiber.resume();
    EXPECT_THROW(fiber.resume(), std::runtime_error);
    EXPECT_TRUE(fiber.has_ended());
}

TEST(Fiber, LeavesTheBlocksOfAFunctionThatPausesAtItsEnd) {
    std::string text;
    {
        Fiber* self = nullptr;
        Fiber fiber([&] {
            Leaves const leaves{text};
            self->pause();
            text += "never ";
        });
        self = &fiber;
        fiber.resume();
        Fiber const fresh([&] { text += "never "; });
    }
    EXPECT_EQ(text, "left ");
}

/// Another likelihood of the same tree.
std::unique_ptr<DistributedLikelihood> another(Fixture& f) {
    return std::unique_ptr<DistributedLikelihood>(new DistributedLikelihood(f.fresh(f.likelihood.tree())));
}

/// Counts the reductions of a likelihood.
struct Counter : ReductionObserver {
    int reductions = 0;
    void begin_reduction() override {}
    void end_reduction() override { ++reductions; }
};

TEST(SharedReductions, GiveEachComputationWhatItFindsAloneAndMakeAsManyAsTheLongestOne) {
    Fixture f(4, BranchLinkage::scaled, 10);
    auto const edges = f.likelihood.tree().edges();
    std::vector<std::vector<double>> alone;
    for (std::size_t i = 0; i < 3; ++i) {
        auto& values = alone.emplace_back();
        for (std::size_t k = 0; k <= 2 * i; ++k) values.push_back(f.likelihood.loglh(edges[k]));
    }
    std::vector<std::unique_ptr<DistributedLikelihood>> others;
    SharedReductions reductions(f.likelihood);
    std::vector<std::vector<double>> shared(alone.size());
    std::vector<std::function<void()>> computations;
    for (std::size_t i = 0; i < alone.size(); ++i) {
        auto& own = *others.emplace_back(another(f));
        own.reduce_by(&reductions);
        computations.push_back([&, i] {
            for (std::size_t k = 0; k <= 2 * i; ++k) shared[i].push_back(own.loglh(edges[k]));
        });
    }
    Counter counter;
    f.likelihood.tell(&counter);
    reductions.run(computations);
    f.likelihood.tell(nullptr);
    EXPECT_EQ(shared, alone);
    EXPECT_EQ(counter.reductions, 5);
}

TEST(SharedReductions, EndAllComputationsIfOneThrows) {
    Fixture f(4, BranchLinkage::linked, 10);
    auto const own = another(f);
    SharedReductions reductions(f.likelihood);
    own->reduce_by(&reductions);
    std::string text;
    std::vector<std::function<void()>> const computations{[&] {
                                                              Leaves const leaves{text};
                                                              for (;;) own->loglh();
                                                          },
                                                          [] { throw std::runtime_error("thrown"); },
                                                          [&] { text += "never "; }};
    EXPECT_THROW(reductions.run(computations), std::runtime_error);
    EXPECT_EQ(text, "left ");
}

}  // namespace
}  // namespace regraft::phylo
