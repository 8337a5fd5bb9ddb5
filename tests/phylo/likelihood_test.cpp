#include "likelihood.hpp"
#include <mpi.h>

#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "small_dataset.hpp"

namespace regraft::phylo {
namespace {

using msa::HalfEdge;
using test::small_dataset;

constexpr std::array linkages{BranchLinkage::linked, BranchLinkage::scaled, BranchLinkage::unlinked};
std::uint64_t bits(double x) {
    return std::bit_cast<std::uint64_t>(x);
}

struct Fixture {
    ft::Communicator comm{MPI_COMM_WORLD};
    test::SmallDataset data;
    BranchLinkage linkage;

    Fixture(std::uint64_t seed, BranchLinkage how) : data(small_dataset(seed)), linkage(how) {}
    /// With nothing valid yet, so that everything is computed anew.
    Likelihood fresh(msa::Tree const& tree, std::vector<Model> const& models,
                     InstructionSet set = best_instruction_set()) {
        return Likelihood(comm, tree, data.specs, models, linkage, test::my_sites(data, comm), set);
    }
};

/// P(t) = exp(Q t) by its series, with scaling and squaring: no eigenvectors, no libpll.
std::vector<double> transition_matrix(ModelSpec const& spec, Model const& model, double t) {
    auto const n = static_cast<std::size_t>(spec.num_states());
    auto const rates = exchangeabilities(spec, model);
    std::vector<double> q(n * n);
    std::size_t next = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j, ++next) {
            q[i * n + j] = rates[next] * model.frequencies[j];
            q[j * n + i] = rates[next] * model.frequencies[i];
        }
    }
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += i == j ? 0 : q[i * n + j];
        q[i * n + i] = -sum;
        mean += model.frequencies[i] * sum;
    }
    auto const multiply = [n](std::vector<double> const& a, std::vector<double> const& b) {
        std::vector<double> c(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < n; ++k)
                for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
        return c;
    };
    constexpr int squarings = 12;
    for (auto& x : q) x *= t / mean / (1 << squarings);
    std::vector<double> p(n * n);
    std::vector<double> term(n * n);
    for (std::size_t i = 0; i < n; ++i) p[i * n + i] = term[i * n + i] = 1;
    for (int k = 1; k < 12; ++k) {
        term = multiply(term, q);
        for (auto& x : term) x /= k;
        for (std::size_t i = 0; i < p.size(); ++i) p[i] += term[i];
    }
    for (int k = 0; k < squarings; ++k) p = multiply(p, p);
    return p;
}

/// Felsenstein's pruning of one column at one rate, by recursion.
std::vector<double> prune(msa::Tree const& tree, HalfEdge h, std::string const& column, ModelSpec const& spec,
                          Model const& model, auto const& length) {
    auto const n = static_cast<std::size_t>(spec.num_states());
    std::vector<double> result(n, 1);
    if (tree.is_tip(h)) {
        for (std::size_t s = 0; s < n; ++s) result[s] = (msa::state_mask(spec.alphabet, column[h]) >> s) & 1U;
        return result;
    }
    for (auto g = tree.next(h); g != h; g = tree.next(g)) {
        auto const child = prune(tree, tree.back(g), column, spec, model, length);
        auto const p = transition_matrix(spec, model, length(g));
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < n; ++j) sum += p[i * n + j] * child[j];
            result[i] *= sum;
        }
    }
    return result;
}

TEST(Likelihood, EqualsPruningWithoutAnyLibrary) {
    Fixture f(5, BranchLinkage::scaled);
    f.data.specs = {parse_model("GTR+FC"), parse_model("HKY+FO"),
                    parse_model("LG")};  // one rate: gamma rates are libpll's
    for (auto& columns : f.data.columns) columns.resize(6);
    for (auto& weights : f.data.weights) weights.resize(6);
    auto const tree = test::some_tree(f.data, 3, f.linkage);
    double expected = 0;
    for (std::size_t q = 0; q < 3; ++q) {
        auto const length = [&](HalfEdge h) { return tree.length(h) * f.data.models[q].scaler; };
        for (std::size_t i = 0; i < 6; ++i) {
            auto const root = tree.back(0);
            auto const rest = prune(tree, root, f.data.columns[q][i], f.data.specs[q], f.data.models[q], length);
            auto const p = transition_matrix(f.data.specs[q], f.data.models[q], length(0));
            double sum = 0;
            auto const n = rest.size();
            for (std::size_t a = 0; a < n; ++a) {
                double tip = 0;
                for (std::size_t b = 0; b < n; ++b) {
                    tip +=
                        p[a * n + b] * ((msa::state_mask(f.data.specs[q].alphabet, f.data.columns[q][i][0]) >> b) & 1U);
                }
                sum += f.data.models[q].frequencies[a] * rest[a] * tip;
            }
            expected += f.data.weights[q][i] * std::log(sum);
        }
    }
    EXPECT_NEAR(f.fresh(tree, f.data.models).loglh(), expected, 1e-8 * std::abs(expected));
}

TEST(Likelihood, IsTheSumOfItsPartitionsAndAlmostTheSameAtEveryEdge) {
    for (auto linkage : linkages) {
        Fixture f(1, linkage);
        auto likelihood = f.fresh(test::some_tree(f.data, 2, linkage), f.data.models);
        double const loglh = likelihood.loglh();
        double sum = 0;
        for (std::size_t q = 0; q < 3; ++q) {
            EXPECT_EQ(likelihood.partition_loglh(q), likelihood.partition_loglh()[q]);
            sum += likelihood.partition_loglh(q);
        }
        EXPECT_NEAR(sum, loglh, 1e-10 * std::abs(loglh));
        for (auto h : likelihood.tree().edges()) EXPECT_NEAR(likelihood.loglh(h), loglh, 1e-9 * std::abs(loglh));
    }
}

TEST(Likelihood, GivesTheBitsOfAFreshOneAfterAnyChanges) {
    for (auto linkage : linkages) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            SCOPED_TRACE(testing::Message() << "linkage " << static_cast<int>(linkage) << " seed " << seed);
            Fixture f(seed, linkage);
            auto likelihood = f.fresh(test::some_tree(f.data, seed, linkage), f.data.models);
            auto const& tree = likelihood.tree();
            Random random(seed);
            for (int step = 0; step < 40; ++step) {
                auto const edges = tree.edges();
                auto const h = edges[random.below(edges.size())];
                auto const inner =
                    f.data.num_taxa + static_cast<HalfEdge>(random.below(tree.num_half_edges() - f.data.num_taxa));
                switch (random.below(5)) {
                    case 0:
                        likelihood.set_length(h, random.unit(),
                                              static_cast<std::uint32_t>(random.below(tree.num_length_sets())));
                        break;
                    case 1: {
                        auto const q = random.below(3);
                        auto model = likelihood.model(q);
                        model.alpha = 0.1 + random.unit();
                        model.scaler = 0.5 + random.unit();
                        likelihood.set_model(q, model);
                        break;
                    }
                    case 2:
                        if (!tree.is_tip(h)) {
                            auto const undo = likelihood.nni(h, static_cast<std::uint32_t>(random.below(2)));
                            static_cast<void>(likelihood.loglh(edges[random.below(edges.size())]));
                            if (random.below(2) == 0) likelihood.undo(undo);
                        }
                        break;
                    case 3: {
                        auto const neighbour = tree.back(tree.next(inner));
                        auto const pruned = likelihood.prune(inner);
                        if (tree.is_tip(neighbour)) {
                            likelihood.undo(pruned);
                            break;
                        }
                        std::vector<HalfEdge> const targets{tree.next(neighbour), tree.next(tree.next(neighbour))};
                        auto const scores = likelihood.score_insertions(inner, targets);
                        auto const target = random.below(2);
                        auto const inserted = likelihood.regraft(inner, targets[target]);
                        EXPECT_NEAR(likelihood.loglh(inner), scores[target], 1e-9 * std::abs(scores[target]));
                        if (random.below(2) == 0) {
                            likelihood.undo(inserted);
                            likelihood.undo(pruned);
                        }
                        break;
                    }
                    default:
                        likelihood.focus(h);
                        break;
                }
                auto const where = edges[random.below(edges.size())];
                auto anew = f.fresh(tree, likelihood.models());
                ASSERT_EQ(bits(likelihood.loglh(where)), bits(anew.loglh(where))) << "step " << step;
            }
        }
    }
}

TEST(Likelihood, DoesNotDependOnHowSitesAreDealt) {
    Fixture f(4, BranchLinkage::linked);
    auto const tree = test::some_tree(f.data, 4, f.linkage);
    auto dealt = f.fresh(tree, f.data.models);
    double const loglh = dealt.loglh();
    // Everything on the first PE, and copies of patterns of higher weight apart.
    auto sites = test::my_sites(f.data, f.comm);
    if (f.comm.size() > 1) {
        test::SmallDataset split = f.data;
        for (std::size_t q = 0; q < 3; ++q) {
            for (std::size_t i = 0; i < test::num_patterns; ++i) {
                if (split.weights[q][i] < 2) continue;
                --split.weights[q][i];
                split.weights[q].push_back(1);
                split.columns[q].push_back(std::string(split.columns[q][i]));
            }
        }
        sites = test::my_sites(split, f.comm);
    }
    Likelihood other(f.comm, tree, f.data.specs, f.data.models, f.linkage, sites, best_instruction_set());
    EXPECT_EQ(bits(other.loglh()), bits(loglh));
}

TEST(Likelihood, DerivativesAgreeWithFiniteDifferences) {
    for (auto linkage : linkages) {
        Fixture f(7, linkage);
        auto likelihood = f.fresh(test::some_tree(f.data, 7, linkage), f.data.models);
        auto const sets = likelihood.tree().num_length_sets();
        for (auto h : likelihood.tree().edges()) {
            std::vector<double> lengths;
            for (std::uint32_t set = 0; set < sets; ++set) lengths.push_back(0.05 + 0.1 * set);
            likelihood.focus(h);
            auto const at = likelihood.branch_values(lengths);
            constexpr double step = 1e-5;
            auto const shifted = [&](double by) {
                auto moved = lengths;
                for (auto& t : moved) t += by;
                return likelihood.branch_values(moved);
            };
            auto const above = shifted(step);
            auto const below = shifted(-step);
            for (std::uint32_t set = 0; set < sets; ++set) {
                double const first = (above[set].loglh - below[set].loglh) / (2 * step);
                double const second = (above[set].first - below[set].first) / (2 * step);
                EXPECT_NEAR(at[set].first, first, 1e-4 * (1 + std::abs(first)));
                EXPECT_NEAR(at[set].second, second, 1e-4 * (1 + std::abs(second)));
            }
        }
    }
}

TEST(Likelihood, BranchValuesFollowTheLogLikelihood) {
    Fixture f(8, BranchLinkage::scaled);
    auto likelihood = f.fresh(test::some_tree(f.data, 8, f.linkage), f.data.models);
    auto const h = likelihood.tree().edges()[3];
    likelihood.focus(h);
    double const from = likelihood.tree().length(h);
    double const difference =
        likelihood.branch_values(std::array{0.7})[0].loglh - likelihood.branch_values(std::array{from})[0].loglh;
    double const before = likelihood.loglh(h);
    likelihood.set_length(h, 0.7);
    EXPECT_NEAR(likelihood.loglh(h) - before, difference, 1e-8);
}

TEST(Likelihood, IsNoProbabilityAboveOneForStatesThatNeverOccur) {
    Fixture f(10, BranchLinkage::linked);
    for (auto& column : f.data.columns[0]) column.assign(f.data.num_taxa, 'A');
    f.data.columns.resize(1);
    f.data.weights.resize(1);
    f.data.specs = {parse_model("GTR+FC+G4m")};
    std::vector<double> const only_a{1, 1e-12, 1e-12, 1e-12};
    f.data.models = {start_model(f.data.specs[0], only_a)};
    for (double length : {1e-6, 0.1, 100.0}) {
        auto tree = test::some_tree(f.data, 3, f.linkage);
        for (auto h : tree.edges()) tree.set_length(h, length);
        EXPECT_NEAR(f.fresh(tree, f.data.models).loglh(), 0, 1e-6) << length;
        EXPECT_LE(f.fresh(tree, f.data.models).loglh(), 1e-9) << length;
    }
}

TEST(Likelihood, AgreesBetweenInstructionSets) {
    Fixture f(9, BranchLinkage::linked);
    auto const tree = test::some_tree(f.data, 9, f.linkage);
    auto const best = best_instruction_set();
    double const expected = f.fresh(tree, f.data.models, InstructionSet::plain).loglh();
    for (auto set : {InstructionSet::sse3, InstructionSet::avx, InstructionSet::avx2}) {
        if (set > best) continue;
        EXPECT_NEAR(f.fresh(tree, f.data.models, set).loglh(), expected, 1e-10 * std::abs(expected)) << name(set);
    }
}

}  // namespace
}  // namespace regraft::phylo
