#include "regraft/placement/loss.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/placement/loss_simulation.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/node_aware.hpp"
#include "regraft/placement/pairwise.hpp"

namespace regraft::placement {
namespace {

constexpr std::uint64_t largest = std::uint64_t{1} << 25;
constexpr double promised = 1e-12;

struct Known {
    std::uint64_t num_slots;
    std::uint64_t replicas;
    std::uint64_t failures;
    double loss;
    double survival;
};

// Inclusion-exclusion in arithmetic of at least 150 digits, twice as many as cancel (mpmath 1.4.1, Python): the sum
// over i, j of (-1)^(i+j) C(a, i) C(b, j) C(p - n, f - n) / C(p, f), n = i s + j (s + 1), for a groups of s and b of s
// + 1 slots. Those of p <= 1000 are also the coefficient of x^f in ((1+x)^s - x^s)^a ((1+x)^(s+1) - x^(s+1))^b by
// + 1 slots. Those of p <= 1000 are also the coefficient of x^f in ((1+x)^s - x^s)^a ((1+x)^(s+1) - x^(s+1))^b by
std::vector<Known> const known{
    {33554432, 2, 2, 2.980232327587375867e-8, 0.99999997019767672413},
    {33554432, 2, 100, 0.00014751105244534339, 0.99985248894755465661},
    {33554432, 2, 5000, 0.31099725792555090331, 0.68900274207444909669},
    {33554432, 2, 8191, 0.63207563613467629232, 0.36792436386532370768},
    {33554432, 2, 8193, 0.63225529766529243103, 0.36774470233470756897},
    {33554432, 2, 20000, 0.99742967100257316867, 0.0025703289974268313283},
    {33554432, 2, 80000, 1.0, 3.0475273756697562968e-42},
    {33554432, 3, 3, 1.7763565747024276264e-15, 0.99999999999999822364},
    {33554432, 3, 1000, 2.9517179977821879652e-7, 0.99999970482820022178},
    {33554432, 3, 100000, 0.25625309523877271213, 0.74374690476122728787},
    {33554432, 3, 148000, 0.61701963613491476403, 0.38298036386508523597},
    {33554432, 3, 150000, 0.63182998599927871559, 0.36817001400072128441},
    {33554432, 3, 400000, 0.99999999411976839889, 5.8802316011076144514e-9},
    {33554432, 3, 900000, 1.0, 1.4728845721968672533e-94},
    {33554432, 4, 4, 1.5881870600917742802e-22, 1.0},
    {33554432, 4, 335544, 0.080462489685355018144, 0.91953751031464498186},
    {33554432, 4, 565130, 0.49082741605594526612, 0.50917258394405473388},
    {33554432, 4, 600000, 0.57583048814386689715, 0.42416951185613310285},
    {33554432, 4, 630000, 0.64740929745266024264, 0.35259070254733975736},
    {33554432, 4, 900000, 0.98698745813519644452, 0.013012541864803555484},
    {33554432, 4, 1500000, 0.99999999999999719248, 2.8075238364843106239e-15},
    {33554432, 4, 3000000, 1.0, 7.9752201919890171285e-234},
    {1000000, 3, 6000, 0.069439141539482390688, 0.93056085846051760931},
    {1000000, 3, 9000, 0.21568777934338805102, 0.78431222065661194898},
    {1000000, 3, 40000, 0.99999999948236254442, 5.1763745558288445545e-10},
    {99991, 4, 5000, 0.14455125947461976828, 0.85544874052538023172},
    {99991, 4, 18610, 0.99999999999993219038, 6.7809618555994305223e-14},
    {1000, 2, 500, 1.0, 1.2110739987970639794e-149},
    {1000, 2, 499, 1.0, 3.0337403669866452683e-147},
    {1000, 4, 230, 0.50314493759694675974, 0.49685506240305324026},
    {512, 3, 80, 0.47379372067535906329, 0.52620627932464093671},
    {512, 3, 342, 1.0, 2.8474503116311816367e-59},
    {24576, 4, 2000, 0.23586365547488886278, 0.76413634452511113722},
    {24576, 7, 9000, 0.95542413513813671055, 0.044575864861863289452},
};

void expect_near(double computed, double exact, double relative) {
    EXPECT_NEAR(computed, exact, relative * exact);
}

std::vector<std::uint32_t> nodes_of(std::uint32_t num_slots, std::uint32_t node_size) {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t slot = 0; slot < num_slots; ++slot) nodes.push_back(slot / node_size);
    return nodes;
}

TEST(LossModel, IsExactToTwelveDigitsFromTheFirstFailureToTheLast) {
    for (auto const& [num_slots, replicas, failures, loss, survival] : known) {
        SCOPED_TRACE(testing::Message() << num_slots << " slots, " << replicas << " replicas, " << failures);
        auto const model = mod_k_groups(num_slots, replicas);
        expect_near(model.loss_probability(failures), loss, promised);
        expect_near(model.survival_probability(failures), survival, promised);
    }
}

TEST(LossModel, IsCertainAtBothEnds) {
    for (auto const& model : {LossModel(12, {{3, 4}}), LossModel(12, {{3, 1}}), LossModel(1, {{1, 1}}),
                              LossModel(12, {{1, 2}, {3, 3}}), mod_k_groups(largest, 4)}) {
        SCOPED_TRACE(model.num_slots());
        EXPECT_EQ(model.loss_probability(0), 0);
        EXPECT_EQ(model.survival_probability(0), 1);
        EXPECT_EQ(model.loss_probability(model.most_survivable() + 1), 1);
        EXPECT_EQ(model.survival_probability(model.num_slots()), 0);
    }
}

TEST(LossModel, OneGroupIsLostAsALotteryIsWon) {
    LossModel const model(49, {{6, 1}});
    expect_near(model.loss_probability(6), 1 / 13983816.0, 1e-14);
    expect_near(model.loss_probability(48), 43 / 49.0, 1e-14);
    EXPECT_EQ(model.num_free(), 43u);
}

TEST(LossModel, GroupsOfOneLoseAtTheFirstFailure) {
    auto const model = mod_k_groups(1000, 1);
    EXPECT_EQ(model.loss_probability(1), 1);
    EXPECT_EQ(model.quantile(0.01), 1u);
    expect_near(model.expected_failures(), 1, 1e-14);
}

// k groups of g: (k g + 1) Gamma(1 + 1/g) Gamma(k + 1) / Gamma(k + 1 + 1/g), and k * sum of B(j/g, k) over j = 1 .. g
// if failures hit the dead again; with 40 digits. Uneven groups: the integrals in docs/mpi/loss.md, with 40 digits.
TEST(LossModel, MeansAreTheKnownOnes) {
    auto const of = [](std::uint64_t num_slots, std::uint64_t replicas) { return mod_k_groups(num_slots, replicas); };
    expect_near(of(384, 3).expected_failures(), 68.099911928715019, 1e-14);
    expect_near(of(384, 3).expected_hits(), 75.930162592322116, 1e-14);
    expect_near(of(512, 3).expected_failures(), 82.852155259274642, 1e-14);  // 168 groups of 3, 2 of 4
    expect_near(of(512, 3).expected_hits(), 91.450973466581289, 1e-14);
    expect_near(of(largest, 2).expected_failures(), 7259.9710273999927, 1e-13);
    expect_near(of(largest, 2).expected_hits(), 7260.9710273999927, 1e-13);
    expect_near(of(largest, 3).expected_failures(), 133982.64464259083, 1e-13);
    expect_near(of(largest, 4).expected_failures(), 565130.18557467904, 1e-13);
    expect_near(of(largest, 4).expected_hits(), 570330.7090631434, 1e-13);
    EXPECT_NEAR(of(largest, 4).expected_failures() / static_cast<double>(largest), 0.01684, 5e-6);
}

TEST(LossModel, QuantilesAreTheSmallestNumbersThatReachThem) {
    for (auto const& [num_slots, replicas] :
         {std::pair<std::uint64_t, std::uint64_t>{largest, 4}, {largest, 2}, {1000, 3}, {512, 3}, {10, 5}}) {
        auto const model = mod_k_groups(num_slots, replicas);
        for (auto const q : {1e-6, 0.01, 0.1, 0.5, 0.9, 0.999}) {
            SCOPED_TRACE(testing::Message() << num_slots << " slots, " << replicas << " replicas, q = " << q);
            auto const failures = model.quantile(q);
            EXPECT_GE(model.loss_probability(failures), q * (1 - 1e-13));
            EXPECT_LT(model.loss_probability(failures - 1), q);
        }
        EXPECT_EQ(model.quantile(1), model.most_survivable() + 1);
    }
    EXPECT_EQ(LossModel(6, {{3, 2}}).quantile(0.1), 3u) << "2 of 20 choices of 3 slots";
    EXPECT_EQ(LossModel(2, {{1, 1}}).quantile(0.5), 1u);
    EXPECT_NEAR(static_cast<double>(mod_k_groups(largest, 4).quantile(0.01)) / static_cast<double>(largest), 0.00588,
                5e-6);
}

TEST(ModKGroups, AreThoseOfThePlacement) {
    for (std::uint32_t num_slots = 1; num_slots <= 40; ++num_slots) {
        for (std::uint32_t replicas = 1; replicas <= num_slots; ++replicas) {
            SCOPED_TRACE(testing::Message() << num_slots << " slots, " << replicas << " replicas");
            auto const model = HolderSets(ModK(num_slots, num_slots, replicas)).model();
            ASSERT_TRUE(model);
            ASSERT_EQ(model->groups(), mod_k_groups(num_slots, replicas).groups());
            ASSERT_EQ(model->num_free(), 0u);
        }
    }
}

//  12 slots, 3 replicas, nodes of 2: k = 4 groups
//  slot   0  1  2  3  4  5  6  7  8  9  10 11
//  group  0  1  2  3  0  1  2  3  0  1  2  3
//  node   0  0  1  1  2  2  3  3  4  4  5  5     groups 0 and 1 are on the nodes 0, 2, 4
TEST(ModKNodes, GroupsOnTheSameNodesAreOneGroup) {
    auto const model = mod_k_nodes(12, 3, 2);
    ASSERT_TRUE(model);
    EXPECT_EQ(model->groups(), (std::vector<GroupKind>{{3, 2}}));
    EXPECT_EQ(model->num_slots(), 6u);
    EXPECT_FALSE(mod_k_nodes(12, 3, 3)) << "4 groups, nodes of 3: a node has parts of different sets of groups";
}

TEST(ModKNodes, AreThoseOfThePlacement) {
    int num_uneven = 0;
    for (std::uint32_t num_slots = 1; num_slots <= 40; ++num_slots) {
        for (std::uint32_t replicas = 1; replicas <= num_slots; ++replicas) {
            for (std::uint32_t node_size = 1; node_size <= num_slots / replicas; ++node_size) {
                SCOPED_TRACE(testing::Message() << num_slots << " slots, " << replicas << ", nodes of " << node_size);
                auto const model = mod_k_nodes(num_slots, replicas, node_size);
                ASSERT_EQ(model.has_value(), num_slots / replicas % node_size == 0);
                if (!model) continue;
                // A group with a node more than another that is a part of it is never lost first: the sets need not be
                // disjoint, but the model's mean has to be theirs.
                HolderSets const sets(ModK(num_slots, num_slots, replicas), nodes_of(num_slots, node_size));
                ASSERT_EQ(model->num_slots(), sets.num_nodes());
                auto const same = sets.model();
                if (same) {
                    ASSERT_EQ(same->groups(), model->groups());
                } else {
                    ++num_uneven;
                }
            }
        }
    }
    EXPECT_GT(num_uneven, 0);
}

TEST(HolderSets, CountsEverySetOnce) {
    // Pairs {0, 4}, {1, 5}, {2, 6}, {3, 7}, each for two parts of the blocks.
    HolderSets const pairs(Pairwise(80, 8));
    EXPECT_EQ(pairs.size(), 4u);
    ASSERT_TRUE(pairs.model());
    EXPECT_EQ(pairs.model()->groups(), (std::vector<GroupKind>{{2, 4}}));

    HolderSets const overlapping(Pairwise(70, 7));
    EXPECT_EQ(overlapping.size(), 7u);
    EXPECT_FALSE(overlapping.model());

    EXPECT_EQ(HolderSets(Pairwise(0, 8)).size(), 0u);
    EXPECT_FALSE(HolderSets(Pairwise(0, 8)).model());
}

TEST(HolderSets, OfEqualNodesAreGroupsOfNodesIfReplicasDivideThem) {
    for (std::uint32_t num_nodes = 1; num_nodes <= 12; ++num_nodes) {
        for (std::uint32_t replicas = 1; replicas <= num_nodes; ++replicas) {
            for (std::uint32_t node_size = 1; node_size <= 5; ++node_size) {
                if (num_nodes % replicas != 0) continue;
                SCOPED_TRACE(testing::Message() << num_nodes << " nodes of " << node_size << ", " << replicas);
                auto const nodes = nodes_of(num_nodes * node_size, node_size);
                for (std::uint64_t const num_blocks : {num_nodes * node_size, 1000U}) {
                    auto const model = HolderSets(NodeAware(num_blocks, nodes, replicas), nodes).model();
                    ASSERT_TRUE(model);
                    ASSERT_EQ(model->groups(), mod_k_groups(num_nodes, replicas).groups());
                }
            }
        }
    }
}

TEST(HolderSets, SlotsThatHoldNothingAreFree) {
    HolderSets const one(ModK(1, 12, 3));  // 4 groups, one block
    ASSERT_TRUE(one.model());
    EXPECT_EQ(one.model()->groups(), (std::vector<GroupKind>{{3, 1}}));
    EXPECT_EQ(one.model()->num_free(), 9u);
}

TEST(HolderSets, ANodeThatHoldsAllCopiesLosesAlone) {
    HolderSets const sets(ModK(100, 4, 2), std::vector<std::uint32_t>{0, 1, 0, 1});
    EXPECT_EQ(sets.num_nodes(), 2u);
    EXPECT_EQ(sets.simulate(10, 1), std::vector<std::uint32_t>(10, 1));
}

struct Moments {
    double mean = 0;
    double standard_error = 0;
};

Moments moments(std::vector<double> const& values) {
    auto sum = 0.0;
    for (auto const value : values) sum += value;
    auto const mean = sum / static_cast<double>(values.size());
    auto squares = 0.0;
    for (auto const value : values) squares += (value - mean) * (value - mean);
    return {mean, std::sqrt(squares) / static_cast<double>(values.size())};
}

/// The empirical loss curve lies on the computed one, and so does the mean: all within 4 standard errors.
void expect_fits(std::vector<double> const& failures, LossModel const& model) {
    auto const [mean, standard_error] = moments(failures);
    EXPECT_NEAR(mean, model.expected_failures(), 4 * standard_error);
    for (auto const q : {0.05, 0.25, 0.5, 0.75, 0.95}) {
        auto const at = model.quantile(q);
        auto const exact = model.loss_probability(at);
        std::size_t lost = 0;
        for (auto const value : failures) lost += value <= static_cast<double>(at) ? 1 : 0;
        auto const n = static_cast<double>(failures.size());
        EXPECT_NEAR(static_cast<double>(lost) / n, exact, 4 * std::sqrt(exact * (1 - exact) / n)) << "q = " << q;
    }
}

TEST(SampleFailuresUntilLoss, FitsTheComputedCurve) {
    for (auto const& model :
         {mod_k_groups(largest, 2), mod_k_groups(largest, 3), mod_k_groups(largest, 4), mod_k_groups(1000, 3),
          mod_k_groups(20, 6), LossModel(500, {{1, 1}, {2, 3}, {5, 40}}), LossModel(49, {{6, 1}})}) {
        SCOPED_TRACE(testing::Message() << model.num_slots() << " slots, " << model.num_groups() << " groups");
        Random random(17);
        std::vector<double> failures;
        for (int i = 0; i < 5000; ++i)
            failures.push_back(static_cast<double>(sample_failures_until_loss(model, random)));
        expect_fits(failures, model);
    }
}

TEST(HolderSets, SimulationFitsTheComputedCurve) {
    auto const simulated = [](HolderSets const& sets) {
        auto const failures = sets.simulate(5000, 3);
        return std::vector<double>(failures.begin(), failures.end());
    };
    expect_fits(simulated(HolderSets(ModK(1 << 20, 1000, 3))), mod_k_groups(1000, 3));
    expect_fits(simulated(HolderSets(ModK(1 << 20, 1000, 3, {.seed = 5}))), mod_k_groups(1000, 3));
    expect_fits(simulated(HolderSets(ModK(1 << 20, 20000, 4))), mod_k_groups(20000, 4));
    // Nodes of 10 slots; the last group on each node has one more, which does not help the others.
    expect_fits(simulated(HolderSets(ModK(1 << 20, 1205, 4), nodes_of(1205, 7))), *mod_k_nodes(1205, 4, 7));
}

TEST(HolderSets, SimulationIsTheSameForTheSameSeedAndItsBeginIsThatOfALongerOne) {
    HolderSets const sets(NodeAware(3000, nodes_of(100, 4), 3), nodes_of(100, 4));
    auto const failures = sets.simulate(100, 1);
    EXPECT_EQ(failures, sets.simulate(100, 1));
    EXPECT_NE(failures, sets.simulate(100, 2));
    auto longer = sets.simulate(200, 1);
    longer.resize(100);
    EXPECT_EQ(failures, longer);
    for (auto const count : failures) {
        EXPECT_GE(count, 3u) << "copies are on 3 different nodes";
        EXPECT_LE(count, 25u);
    }
    EXPECT_TRUE(sets.simulate(0, 1).empty());
}

TEST(LossDeathTest, RefusesWhatMakesNoSense) {
    EXPECT_DEATH(LossModel(10, {}), "num_groups_ > 0");
    EXPECT_DEATH(LossModel(10, {{3, 4}}), "count <= num_free_ / size");
    EXPECT_DEATH(LossModel(10, {{3, 1}, {3, 1}}), "precondition");
    EXPECT_DEATH(LossModel(10, {{0, 1}}), "precondition");
    EXPECT_DEATH(LossModel(10, {{3, 1}}).loss_probability(11), "failures <= num_slots_");
    EXPECT_DEATH(LossModel(10, {{3, 1}}).quantile(0), "0 < q");
    EXPECT_DEATH(mod_k_groups(3, 4), "precondition");
    EXPECT_DEATH(HolderSets(ModK(0, 3, 1)).simulate(1, 1), "size\\(\\) > 0");
}

}  // namespace
}  // namespace regraft::placement
