#include "regraft/placement/loss.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/placement/loss_simulation.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/permuted.hpp"

namespace regraft::placement {
namespace {

/// The exact chance of survival after f = 0, 1, ..., n failures among n slots, by trying all subsets of the slots: that
/// no group, as a set of bits, is a part of those that failed.
std::vector<double> survival_by_enumeration(std::uint32_t n, std::vector<std::uint32_t> const& groups) {
    std::vector<double> surviving(n + 1);
    std::vector<double> all(n + 1);
    for (std::uint32_t failed = 0; failed < 1U << n; ++failed) {
        auto lost = false;
        for (auto const group : groups) lost |= (group & failed) == group;
        auto const f = static_cast<std::size_t>(std::popcount(failed));
        ++all[f];
        surviving[f] += lost ? 0 : 1;
    }
    for (std::size_t f = 0; f <= n; ++f) surviving[f] /= all[f];
    return surviving;
}

/// Disjoint groups, as bits; those of the same size together are the kinds of a model.
struct Instance {
    std::uint32_t num_slots = 0;
    std::vector<std::uint32_t> groups;
    std::vector<GroupKind> kinds;
};

Instance random_instance(std::uint64_t seed) {
    Random random(seed);
    Instance instance;
    instance.num_slots = static_cast<std::uint32_t>(1 + random.below(12));
    std::vector<std::uint64_t> count(13);
    std::uint32_t used = 0;
    do {
        auto const size = static_cast<std::uint32_t>(1 + random.below(instance.num_slots - used));
        instance.groups.push_back(((1U << size) - 1) << used);
        used += size;
        ++count[size];
    } while (used < instance.num_slots && random.below(6) != 0);
    for (std::uint64_t size = 1; size < count.size(); ++size) {
        if (count[size] > 0) instance.kinds.push_back({size, count[size]});
    }
    return instance;
}

TEST(LossProperty, EqualsEnumeration) {
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        auto const [num_slots, groups, kinds] = random_instance(seed);
        auto const exact = survival_by_enumeration(num_slots, groups);
        LossModel const model(num_slots, kinds);
        auto mean = 0.0;
        auto hits = 0.0;
        for (std::uint64_t f = 0; f <= num_slots; ++f) {
            ASSERT_NEAR(model.survival_probability(f), exact[f], 1e-13 * exact[f]) << f << " failures";
            ASSERT_NEAR(model.loss_probability(f), 1 - exact[f], 1e-13) << f << " failures";
            mean += exact[f];
            // With f dead, a failure hits a living slot once in n / (n - f) times.
            if (f < num_slots) hits += exact[f] * num_slots / static_cast<double>(num_slots - f);
        }
        ASSERT_NEAR(model.expected_failures(), mean, 1e-13 * mean);
        ASSERT_NEAR(model.expected_hits(), hits, 1e-13 * hits);
    }
}

TEST(LossProperty, ModKEqualsEnumerationNodeByNode) {
    for (std::uint32_t num_slots = 1; num_slots <= 24; ++num_slots) {
        for (std::uint32_t replicas = 1; replicas <= num_slots; ++replicas) {
            for (std::uint32_t node_size = 1; node_size <= num_slots; ++node_size) {
                auto const num_nodes = (num_slots + node_size - 1) / node_size;
                auto const model = mod_k_nodes(num_slots, replicas, node_size);
                if (!model || num_nodes > 12) continue;
                SCOPED_TRACE(testing::Message() << num_slots << " slots, " << replicas << ", nodes of " << node_size);
                std::vector<std::uint32_t> groups(num_slots / replicas);
                for (std::uint32_t slot = 0; slot < num_slots; ++slot)
                    groups[slot % groups.size()] |= 1U << slot / node_size;
                auto const exact = survival_by_enumeration(num_nodes, groups);
                for (std::uint64_t f = 0; f <= num_nodes; ++f)
                    ASSERT_NEAR(model->survival_probability(f), exact[f], 1e-13 * exact[f]) << f << " failures";
            }
        }
    }
}

TEST(LossProperty, SimulationOfOverlappingSetsFitsEnumeration) {
    for (std::uint32_t num_slots = 1; num_slots <= 12; ++num_slots) {
        for (std::uint32_t replicas = 1; replicas <= std::min(num_slots, 4U); ++replicas) {
            SCOPED_TRACE(testing::Message() << num_slots << " slots, " << replicas << " replicas");
            Permuted const placement(num_slots * 3, num_slots, replicas, {});
            std::vector<std::uint32_t> groups;
            for (std::uint64_t block = 0; block < num_slots * 3; ++block) {
                groups.push_back(0);
                for (std::uint32_t copy = 0; copy < replicas; ++copy)
                    groups.back() |= 1U << value(placement.holder(BlockId{block}, copy));
            }
            auto const exact = survival_by_enumeration(num_slots, groups);
            constexpr std::size_t num_trials = 4000;
            std::vector<double> survived(num_slots + 1);
            for (auto const failures : HolderSets(placement).simulate(num_trials, 7)) {
                for (std::uint32_t f = 0; f < failures; ++f) ++survived[f];
            }
            for (std::uint64_t f = 0; f <= num_slots; ++f) {
                auto const sigma = std::sqrt(exact[f] * (1 - exact[f]) / num_trials);
                ASSERT_NEAR(survived[f] / num_trials, exact[f], 4.5 * sigma) << f << " failures";
            }
        }
    }
}

TEST(LossProperty, MoreFailuresLoseMoreAndMoreReplicasLoseLess) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const replicas = 1 + random.below(6);
        auto const k = 1 + random.below(std::uint64_t{1} << (1 + seed / 10));
        auto const num_slots = k * replicas * (replicas + 1);  // so that both make even groups
        auto const model = mod_k_groups(num_slots, replicas);
        auto const safer = mod_k_groups(num_slots, replicas + 1);
        ASSERT_LE(model.expected_failures(), safer.expected_failures() * (1 + 1e-13));
        ASSERT_LE(model.expected_failures(), model.expected_hits() * (1 + 1e-13));
        auto before = 0.0;
        auto alive = 1.0;
        for (std::uint64_t f = 0; f <= num_slots; f += 1 + num_slots / 40) {
            auto const loss = model.loss_probability(f);
            auto const survival = model.survival_probability(f);
            ASSERT_GE(loss * (1 + 1e-12), before) << f;
            ASSERT_LE(survival, alive * (1 + 1e-12)) << f;
            ASSERT_NEAR(loss + survival, 1, 1e-12) << f;
            ASSERT_LE(safer.loss_probability(f), loss * (1 + 1e-12)) << f;
            before = loss;
            alive = survival;
        }
    }
}

// The curve has no jump where inclusion-exclusion hands over to the integral: the curve of logarithms stays concave.
TEST(LossProperty, TheTwoFormulasMeet) {
    for (std::uint64_t const num_slots : {100U, 1000U, 10007U, 1U << 20, 1U << 25}) {
        for (std::uint64_t replicas = 2; replicas <= 5; ++replicas) {
            SCOPED_TRACE(testing::Message() << num_slots << " slots, " << replicas << " replicas");
            auto const model = mod_k_groups(num_slots, replicas);
            auto const near = model.quantile(0.6);
            auto const first = near - near / 10;
            auto const last = near + near / 5;
            auto const step = 1 + (last - first) / 200;
            for (auto f = first; f < last; f += step) {
                auto const slope = [&](std::uint64_t at) {
                    return std::log(model.survival_probability(at + step) / model.survival_probability(at));
                };
                ASSERT_LE(slope(f + step), slope(f) + 1e-13) << f;
            }
        }
    }
}

}  // namespace
}  // namespace regraft::placement
