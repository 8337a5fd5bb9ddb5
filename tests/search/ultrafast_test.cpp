#include "regraft/search/ultrafast.hpp"
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/msa/splits.hpp"
#include "regraft/search/optimise.hpp"
#include "regraft/search/search.hpp"
#include "regraft/search/topology.hpp"
#include "search/tasks/ultrafast/quartets.hpp"
#include "small_job.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

/// All unrooted binary trees of n tips.
std::vector<msa::Tree> all_trees(std::uint32_t n) {
    msa::Tree first(n);
    for (msa::HalfEdge tip = 0; tip < 3; ++tip) first.connect(tip, n + tip);
    std::vector<msa::Tree> trees{first};
    for (msa::HalfEdge tip = 3; tip < n; ++tip) {
        std::vector<msa::Tree> larger;
        for (auto const& tree : trees) {
            for (msa::HalfEdge edge = 0; edge < tree.num_half_edges(); ++edge) {
                if (!tree.is_connected(edge) || tree.back(edge) < edge) continue;
                auto next = tree;
                auto const h = next.half_edge(n + tip - 2);
                next.connect(tip, h);
                next.regraft(h, edge);
                larger.push_back(std::move(next));
            }
        }
        trees = std::move(larger);
    }
    for (auto& tree : trees) {
        for (auto h : tree.edges()) tree.set_length(h, 0.1);
    }
    return trees;
}

/// An alignment that evolved along a tree under the model of Jukes and Cantor.
struct Evolved {
    test::SmallDataset data;
    msa::Tree tree;
    std::vector<std::uint64_t> begin;
    SiteSampler sampler;

    Evolved(msa::Tree along, std::uint32_t sites, std::uint64_t seed)
        : data(evolve(along, sites, seed)),
          tree(std::move(along)),
          begin{0, data.weights.front().size()},
          sampler(data.weights.front(), begin) {}

    static test::SmallDataset evolve(msa::Tree const& tree, std::uint32_t sites, std::uint64_t seed) {
        Random random(seed);
        std::map<std::string, std::uint32_t> counts;
        auto const changed = [&](std::uint64_t state, double length) {
            return random.unit() < 1 - std::exp(-4 * length / 3) ? random.below(4) : state;
        };
        for (std::uint32_t i = 0; i < sites; ++i) {
            std::string column(tree.num_tips(), ' ');
            std::vector<std::uint64_t> state(tree.num_half_edges());
            auto const first = random.below(4);
            column[0] = "ACGT"[first];
            auto order = msa::postorder(tree, tree.back(0));
            std::reverse(order.begin(), order.end());
            state[tree.back(0)] = changed(first, tree.length(0));
            for (auto h : order) {
                if (tree.is_tip(h)) column[h] = "ACGT"[state[h]];
                for (auto g = tree.next(h); g != h; g = tree.next(g))
                    state[tree.back(g)] = changed(state[h], tree.length(g));
            }
            ++counts[column];
        }
        test::SmallDataset data;
        data.num_taxa = tree.num_tips();
        data.specs.push_back(test::parse_model("JC"));
        data.models.push_back(test::start_model(data.specs.front(), {}));
        data.columns.emplace_back();
        data.weights.emplace_back();
        for (auto const& [column, count] : counts) {
            data.columns.front().push_back(column);
            data.weights.front().push_back(count);
        }
        return data;
    }

    DistributedLikelihood likelihood(ft::Communicator& comm, msa::Tree const& start,
                                     std::vector<std::uint32_t> const& weights = {}) const {
        auto resampled = data;
        if (!weights.empty()) resampled.weights.front() = weights;
        return {comm,
                start,
                data.specs,
                data.models,
                BranchLinkage::linked,
                test::my_sites(resampled, comm),
                test::partition_options(data)};
    }

    Replicates replicates(ft::Communicator const& comm, std::uint32_t count, std::uint64_t seed) const {
        auto const members = comm.members();
        auto const first = std::find(members.begin(), members.end(), comm.self()) - members.begin();
        std::vector<std::vector<std::uint64_t>> mine(1);
        for (auto i = static_cast<std::size_t>(first); i < data.weights.front().size(); i += comm.size())
            mine.front().push_back(i);
        return {sampler, std::move(mine), count, seed};
    }

    /// The tree with the greatest likelihood, found by looking at all.
    msa::Tree best(ft::Communicator& comm, std::vector<msa::Tree> const& trees,
                   std::vector<std::uint32_t> const& weights = {}) const {
        auto likelihood = this->likelihood(comm, trees.front(), weights);
        std::optional<msa::Tree> best;
        double most = 0;
        for (auto const& one : trees) {
            likelihood.set_tree(one);
            for (int pass = 0; pass < 20 && smooth_branches(likelihood, 1e-2) > 1e-2; ++pass) {
            }
            auto const loglh = likelihood.loglh();
            if (best && loglh <= most) continue;
            best = likelihood.tree();
            most = loglh;
        }
        return *best;
    }
};

std::vector<msa::Tree> ultrafast(DistributedLikelihood& likelihood, Replicates const& replicates,
                                 std::span<msa::Tree const> others = {}) {
    std::vector<ReplicateTree> trees;
    for (auto const& start : different_trees(likelihood.tree(), others))
        offer(trees, start, likelihood, replicates, others, nullptr);
    wait_everywhere(trees);
    for (std::uint32_t round = 0; round < most_rounds; ++round) improve(trees, likelihood, replicates, nullptr);
    std::vector<msa::Tree> result;
    for (auto& one : trees) result.push_back(std::move(one.tree));
    return result;
}

/// Shares of trees with each split that some tree of either set has: one set, then the other.
std::vector<std::array<double, 2>> shares(std::span<msa::Tree const> some, std::span<msa::Tree const> others) {
    msa::SplitSets sets(some.front().num_tips());
    for (auto const& tree : some) sets.add(tree);
    for (auto const& tree : others) sets.add(tree);
    std::vector<std::array<double, 2>> result(sets.table().size());
    for (std::size_t i = 0; i < sets.size(); ++i) {
        bool const is_other = i >= some.size();
        for (auto const id : sets[i])
            result[id][is_other] += 1.0 / static_cast<double>(is_other ? others.size() : some.size());
    }
    return result;
}

TEST(Quartets, HaveThreeResolutionsThatLeadToEachOther) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        auto const tree = msa::random_tree(12, seed);
        Clades const clades(tree);
        for (auto h : tree.edges()) {
            if (tree.is_tip(h) || tree.is_tip(tree.back(h))) continue;
            auto const quartet = quartet_at(tree, clades, h);
            for (std::uint32_t r = 0; r < num_resolutions; ++r) {
                auto next = tree;
                auto there = quartet;
                if (r != quartet.resolution) {
                    auto const move = next.nni(h, variant_towards(tree, quartet, r));
                    there = after(next, quartet, move, r);
                }
                Clades const now(next);
                auto const expected = quartet_at(next, now, h);
                EXPECT_EQ(expected.key(), quartet.key());
                EXPECT_EQ(expected.resolution, r);
                EXPECT_EQ(expected.face, there.face);
                EXPECT_EQ(expected.split(r), std::min(now[h], now[next.back(h)]));
            }
        }
    }
}

TEST(ReplicateWeights, AddTheValuesOfResampledSites) {
    // A weight that takes several columns, and partitions.
    std::vector<std::uint32_t> const weights{3, 5000, 5, 700, 2, 1};
    std::vector<std::uint64_t> const begin{0, 4, 6};
    SiteSampler const sampler(weights, begin);
    std::vector<std::vector<std::uint64_t>> const local{{0, 1, 2, 3}, {4, 5}};
    ReplicateWeights const some(sampler, local, 3, 7);
    std::vector<std::vector<double>> const values{{0.25, -1.5, 2, 0.125}, {-15, 1e9}};
    std::vector<std::vector<double>> const zero{{0, 0, 0, 0}, {0, 0}};
    auto const steps = some.difference(values, zero);
    auto const defined = [&](std::vector<std::uint32_t> const& w) {
        return w[0] * 0.25 - w[1] * 1.5 + w[2] * 2.0 + w[3] * 0.125 - w[4] * 15.0 +
               w[5] * std::round(GridValues::most * 2048) / 2048;
    };
    for (std::uint32_t i = 0; i < 3; ++i)
        EXPECT_EQ(GridValues::value(some.sum(steps, i)), defined(sampler.draw(7 + i)));
    auto const minus = some.difference(zero, values);
    for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(some.sum(minus, i), -some.sum(steps, i));
}

TEST(Ultrafast, HasTheSupportsOfExhaustiveSearches) {
    if (ft::Communicator(MPI_COMM_WORLD).size() > 1) GTEST_SKIP() << "all ranks would do the same";
    ft::Communicator self(MPI_COMM_SELF);
    constexpr std::uint32_t count = 100;
    auto const trees = all_trees(6);
    ASSERT_EQ(trees.size(), 105U);
    double sum = 0;
    double most = 0;
    double same = 0;
    int num_splits = 0;
    constexpr std::uint64_t num_seeds = 4;
    for (std::uint64_t seed = 0; seed < num_seeds; ++seed) {
        Random random(seed);
        auto along = trees[random.below(trees.size())];
        for (auto h : along.edges()) {
            bool const is_inner = !along.is_tip(h) && !along.is_tip(along.back(h));
            along.set_length(h, is_inner ? 0.02 * random.unit() : 0.05 + 0.2 * random.unit());
        }
        Evolved const evolved(along, 300, seed);
        auto const best = evolved.best(self, trees);
        auto likelihood = evolved.likelihood(self, best);
        auto const found = ultrafast(likelihood, evolved.replicates(self, count, seed));
        EXPECT_EQ(likelihood.tree(), best);
        std::vector<msa::Tree> searched;
        for (std::uint32_t i = 0; i < count; ++i) {
            searched.push_back(evolved.best(self, trees, evolved.sampler.draw(seed + i)));
            same += fingerprint(searched.back()) == fingerprint(found[i]) ? 1.0 / (count * num_seeds) : 0;
        }
        for (auto const& [ours, theirs] : shares(found, searched)) {
            sum += std::abs(ours - theirs);
            most = std::max(most, std::abs(ours - theirs));
            ++num_splits;
        }
    }
    RecordProperty("mean_difference", std::to_string(sum / num_splits));
    RecordProperty("largest_difference", std::to_string(most));
    RecordProperty("same_trees", std::to_string(same));
    // Branches that a replicate would change are not all changed, so the best trees differ where two are nearly as
    // good.
    EXPECT_LT(sum / num_splits, 0.045);
    EXPECT_LT(most, 0.28);
}

TEST(Ultrafast, HasTheBitsOfOneRankOnAll) {
    ft::Communicator all(MPI_COMM_WORLD);
    ft::Communicator self(MPI_COMM_SELF);
    auto const along = test::random_lengths(msa::random_tree(12, 3), 4);
    Evolved const evolved(along, 300, 5);
    auto here = evolved.likelihood(all, along);
    auto there = evolved.likelihood(self, along);
    auto other = along;
    for (auto h : along.edges()) {
        if (!other.is_tip(h) && !other.is_tip(other.back(h))) other.nni(h, h % 2);
    }
    std::array const others{other};
    auto const some = ultrafast(here, evolved.replicates(all, 40, 9), others);
    EXPECT_TRUE(some == ultrafast(there, evolved.replicates(self, 40, 9), others));
    EXPECT_TRUE(here.tree() == along);
    EXPECT_FALSE(ultrafast(here, evolved.replicates(all, 40, 10), others) == some);
}

TEST(Ultrafast, BeginsWithTheLikeliestOfSeveralTrees) {
    ft::Communicator self(MPI_COMM_SELF);
    auto const along = test::random_lengths(msa::random_tree(16, 3), 4);
    Evolved const evolved(along, 400, 5);
    std::array const others{test::random_lengths(msa::random_tree(16, 7), 4), along};
    auto here = evolved.likelihood(self, test::random_lengths(msa::random_tree(16, 6), 4));
    auto there = evolved.likelihood(self, along);
    std::vector<ReplicateTree> some;
    for (auto const& start : different_trees(here.tree(), others))
        offer(some, start, here, evolved.replicates(self, 50, 9), others, nullptr);
    std::vector<ReplicateTree> best;
    offer(best, along, there, evolved.replicates(self, 50, 9), {}, nullptr);
    std::size_t same = 0;
    for (std::size_t i = 0; i < some.size(); ++i) same += fingerprint(some[i].tree) == fingerprint(best[i].tree);
    EXPECT_GE(same, 40U);  // parts of the other trees make the rest better
}

TEST(Ultrafast, AnOfferOnlyRaisesReplicates) {
    ft::Communicator self(MPI_COMM_SELF);
    auto const along = test::random_lengths(msa::random_tree(16, 3), 4);
    Evolved const evolved(along, 400, 5);
    auto const replicates = evolved.replicates(self, 50, 9);
    auto likelihood = evolved.likelihood(self, test::random_lengths(msa::random_tree(16, 6), 4));
    std::vector<ReplicateTree> trees;
    offer(trees, likelihood.tree(), likelihood, replicates, {}, nullptr);
    auto const before = trees;
    auto const raised = offer(trees, along, likelihood, replicates, {}, nullptr);
    double sum = 0;
    for (std::size_t i = 0; i < trees.size(); ++i) {
        EXPECT_GE(trees[i].gain, before[i].gain);
        EXPECT_EQ(trees[i].gain > before[i].gain, !(trees[i].tree == before[i].tree));
        sum += trees[i].gain - before[i].gain;
    }
    EXPECT_DOUBLE_EQ(raised, sum / 50);
    EXPECT_GT(raised, 1);  // the data evolved along this tree
    EXPECT_EQ(offer(trees, along, likelihood, replicates, {}, nullptr), 0);
}

TEST(Ultrafast, TheTypicalTreeIsNearMostReplicatesThatAreFarFromStarts) {
    auto const start = msa::random_tree(16, 1);
    auto const common = msa::random_tree(16, 2);
    auto const seldom = msa::random_tree(16, 3);
    std::vector<ReplicateTree> replicates;
    for (int i = 0; i < 10; ++i) replicates.push_back({i < 5 ? start : i < 7 ? seldom : common, {}});
    EXPECT_EQ(fingerprint(*typical_tree(replicates, std::array{start})), fingerprint(common));
    EXPECT_EQ(fingerprint(*typical_tree(replicates, std::array{start, common})), fingerprint(seldom));
    EXPECT_FALSE(typical_tree(replicates, std::array{start, common, seldom}));
}

TEST(Ultrafast, RearrangementsThatCrossLeaveTreesWhole) {
    // Without a signal in the data, many moves raise the likelihood of a replicate.
    ft::Communicator self(MPI_COMM_SELF);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        auto along = msa::random_tree(20, seed);
        for (auto h : along.edges()) along.set_length(h, 2);
        Evolved const evolved(along, 60, seed);
        auto likelihood = evolved.likelihood(self, test::random_lengths(msa::random_tree(20, seed + 50), 4));
        std::array const others{msa::random_tree(20, seed + 100)};
        std::vector<ReplicateTree> trees;
        offer(trees, likelihood.tree(), likelihood, evolved.replicates(self, 60, seed), others, nullptr);
        for (auto const& one : trees) {
            auto const& tree = one.tree;
            EXPECT_EQ(msa::postorder(tree, tree.back(0)).size(), tree.num_nodes() - 1);
        }
    }
}

}  // namespace
}  // namespace regraft::phylo
