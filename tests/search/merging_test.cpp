#include "regraft/search/merging.hpp"
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/msa/parsimony.hpp"
#include "regraft/search/search.hpp"
#include "search/tasks/merging/merging.hpp"

namespace regraft::phylo {

using namespace search;

namespace {

constexpr std::uint32_t num_taxa = 8;
constexpr std::array all_linkages{BranchLinkage::linked, BranchLinkage::scaled, BranchLinkage::unlinked};

/// How genes of a group evolve: HKY.
struct Group {
    std::array<double, 4> frequencies;  // of A, C, G, T
    double kappa;
};
constexpr Group first_group{{0.45, 0.05, 0.05, 0.45}, 8};
constexpr Group second_group{{0.1, 0.4, 0.4, 0.1}, 1};

/// The state at the end of a time: events come at rate 1 and choose a state; transitions are kept by kappa.
std::size_t evolved(std::size_t state, double time, Group const& group, Random& random) {
    for (time += std::log(1 - random.unit()) / group.kappa; time > 0;
         time += std::log(1 - random.unit()) / group.kappa) {
        std::size_t next = 0;
        for (auto left = random.unit(); next < 3 && left >= group.frequencies[next]; ++next)
            left -= group.frequencies[next];
        bool const is_transition = state % 2 == next % 2;  // A and G, C and T
        if (is_transition || random.unit() * group.kappa < 1) state = next;
    }
    return state;
}

/// Columns of a gene: the states at the tips of a tree.
std::vector<std::string> gene(msa::Tree const& tree, Group const& group, int num_sites, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::string> columns;
    for (int site = 0; site < num_sites; ++site) {
        std::string column(num_taxa, 'A');
        std::vector<std::pair<msa::HalfEdge, std::size_t>> seen_from{{tree.back(0), random.below(4)}};
        column[0] = "ACGT"[seen_from[0].second];
        while (!seen_from.empty()) {
            auto const [h, before] = seen_from.back();
            seen_from.pop_back();
            auto const state = evolved(before, tree.length(h), group, random);
            if (tree.is_tip(h)) {
                column[h] = "ACGT"[state];
                continue;
            }
            for (auto g = tree.next(h); g != h; g = tree.next(g)) seen_from.emplace_back(tree.back(g), state);
        }
        columns.push_back(column);
    }
    return columns;
}

/// Genes as partitions, and a machine that evaluates or merges them on the tree that they come from.
struct Genes {
    ft::Communicator comm{MPI_COMM_WORLD};
    msa::Tree tree = msa::random_tree(num_taxa, 5);
    std::vector<std::vector<std::string>> columns;
    BranchLinkage linkage;
    SearchOptions options;

    explicit Genes(BranchLinkage how) : linkage(how) {
        for (auto h : tree.edges()) tree.set_length(h, 0.15);
    }
    void add(std::vector<std::string> gene) {
        auto& count = options.counted.emplace_back();
        std::map<char, std::uint64_t> cells;
        std::uint64_t constant = 0;
        for (auto const& column : gene) {
            for (char c : column) ++cells[c];
            if (std::ranges::count(column, column[0]) == num_taxa) ++constant;
        }
        std::vector<msa::StateCount> counts;
        for (auto [symbol, number] : cells) counts.push_back({msa::state_mask(msa::Alphabet::dna, symbol), number});
        count = counted_from(counts, constant, gene.size(), 4);
        options.sites_per_partition.push_back(gene.size());
        columns.push_back(std::move(gene));
    }
    /// The machine that begins with an evaluation.
    SearchState start() const {
        std::vector<ModelSpec> specs(columns.size(), likelihood::parse_model("GTR+FC+G4m"));
        std::vector<Model> models;
        for (std::size_t q = 0; q < specs.size(); ++q) models.push_back(start_model(specs[q], options.counted[q]));
        auto const sets = linkage == BranchLinkage::unlinked ? static_cast<std::uint32_t>(columns.size()) : 1;
        return start_state(Goal::evaluation, tree.with_length_sets(sets), specs, models);
    }
    std::unique_ptr<DistributedLikelihood> likelihood_of(SearchState const& state) {
        auto const now = subject(state, linkage);
        std::vector<likelihood::Sites> sites;
        std::uint64_t total = 0;
        for (auto const& subset : now.subsets) {
            auto& mine = sites.emplace_back();
            mine.rows.resize(num_taxa);
            for (auto q : subset) {
                total += columns[q].size();
                for (std::size_t i = comm.position(comm.self()); i < columns[q].size(); i += comm.size()) {
                    mine.weights.push_back(1);
                    for (std::uint32_t t = 0; t < num_taxa; ++t) mine.rows[t].push_back(columns[q][i][t]);
                }
            }
        }
        return std::make_unique<DistributedLikelihood>(comm, now.tree, now.specs, now.models, now.linkage, sites,
                                                       likelihood::PartitionOptions{.total_weight = 10 * total});
    }
    /// Makes the steps that are left, as if a failure had happened every so many of them.
    SearchState finished(SearchState state, std::uint64_t interrupt_every = 0) {
        auto likelihood = likelihood_of(state);
        for (std::uint64_t step = 1; !state.is_done(); ++step) {
            auto const before = describe(state);
            advance(state, *likelihood, options);
            bool const interrupted = interrupt_every > 0 && step % interrupt_every == 0;
            if (interrupted) state = SearchState::from_bytes(state.to_bytes());
            if (!state.is_done() && (interrupted || describe(state) != before)) likelihood = likelihood_of(state);
        }
        return state;
    }
    SearchState merged(std::uint64_t interrupt_every = 0) {
        MergeOptions how{.share = 100, .kinds = std::vector<std::uint32_t>(columns.size(), 0), .work = {}};
        for (auto const& gene : columns) how.work.push_back(gene.size());
        options.merging = how;
        return finished(start_merging(finished(start())), interrupt_every);
    }
    double score(SchemeValue const& value) const {
        auto const sites =
            std::accumulate(options.sites_per_partition.begin(), options.sites_per_partition.end(), std::uint64_t{0});
        return scores(value, sites).bic;
    }
};

struct FourGenes : Genes {
    FourGenes(BranchLinkage how, int num_sites, std::uint64_t seed) : Genes(how) {
        for (std::uint64_t i = 0; i < 4; ++i)
            add(gene(tree, i % 2 == 0 ? first_group : second_group, num_sites, 4 * seed + i));
    }
};

std::vector<Subset> subsets_of(Merging const& merging) {
    std::vector<Subset> subsets;
    for (auto const& fit : merging.scheme) subsets.push_back(fit.subset);
    return subsets;
}

TEST(Merging, FindsTheTwoGroupsThatMadeTheGenes) {
    for (auto const linkage : all_linkages) {
        SCOPED_TRACE(static_cast<int>(linkage));
        FourGenes genes(linkage, 400, 1);
        auto const state = genes.merged();
        EXPECT_EQ(subsets_of(state.as<Merging>()), (std::vector<Subset>{{0, 2}, {1, 3}}));
        EXPECT_LT(genes.score(state.as<Merging>().best), genes.score(state.as<Merging>().given));
        EXPECT_EQ(state.as<Merging>().merges.size(), 2U);
    }
}

/// The value of a scheme that is evaluated alone, from models that know nothing.
SchemeValue value_alone(Genes const& genes, std::vector<Subset> const& scheme) {
    Genes alone(genes.linkage);
    for (auto const& subset : scheme) {
        std::vector<std::string> columns;
        for (auto q : subset) columns.insert(columns.end(), genes.columns[q].begin(), genes.columns[q].end());
        alone.add(std::move(columns));
    }
    auto const loglh = alone.finished(alone.start()).loglh;
    auto const edges = genes.tree.num_edges();
    // GTR+FC+G4m: 5 rates, 3 frequencies, alpha.
    auto const lengths = genes.linkage == BranchLinkage::linked   ? edges
                         : genes.linkage == BranchLinkage::scaled ? edges + scheme.size() - 1
                                                                  : edges * scheme.size();
    return {loglh, 9 * scheme.size() + lengths};
}

/// The scheme with the subset b merged into a.
std::vector<Subset> with_merge(std::vector<Subset> scheme, std::size_t a, std::size_t b) {
    scheme[a].insert(scheme[a].end(), scheme[b].begin(), scheme[b].end());
    std::ranges::sort(scheme[a]);
    scheme.erase(scheme.begin() + static_cast<std::ptrdiff_t>(b));
    return scheme;
}

TEST(Merging, GoesWhereSchemesThatAreEvaluatedAloneLead) {
    for (auto const linkage : all_linkages) {
        SCOPED_TRACE(static_cast<int>(linkage));
        FourGenes genes(linkage, 100, 2);
        auto const state = genes.merged();
        std::vector<Subset> scheme{{0}, {1}, {2}, {3}};
        auto value = value_alone(genes, scheme);
        EXPECT_NEAR(state.as<Merging>().given.loglh, value.loglh, 0.01);
        EXPECT_EQ(state.as<Merging>().given.parameters, value.parameters);
        for (auto const& merge : state.as<Merging>().merges) {
            std::vector<Subset> best;
            auto best_value = value;
            for (std::size_t a = 0; a < scheme.size(); ++a) {
                for (std::size_t b = a + 1; b < scheme.size(); ++b) {
                    auto next = with_merge(scheme, a, b);
                    auto const next_value = value_alone(genes, next);
                    if (genes.score(next_value) >= genes.score(best_value)) continue;
                    best = std::move(next);
                    best_value = next_value;
                }
            }
            auto both = merge.first;
            both.insert(both.end(), merge.second.begin(), merge.second.end());
            std::ranges::sort(both);
            EXPECT_TRUE(std::ranges::find(best, both) != best.end());
            // Lengths that partitions share are not optimised again for each scheme.
            EXPECT_NEAR(merge.value.loglh, best_value.loglh, linkage == BranchLinkage::unlinked ? 0.3 : 3);
            EXPECT_EQ(merge.value.parameters, best_value.parameters);
            scheme = std::move(best);
            value = best_value;
        }
        EXPECT_EQ(subsets_of(state.as<Merging>()), scheme);
        EXPECT_NEAR(state.as<Merging>().best.loglh, value.loglh, 0.01);
        for (std::size_t a = 0; a < scheme.size(); ++a) {
            for (std::size_t b = a + 1; b < scheme.size(); ++b)
                EXPECT_GT(genes.score(value_alone(genes, with_merge(scheme, a, b))), genes.score(value) - 0.3);
        }
    }
}

TEST(Merging, GoesOnFromItsBytesAsIfNothingHadHappened) {
    for (auto const linkage : all_linkages) {
        auto const whole = FourGenes(linkage, 60, 3).merged().to_bytes();
        for (std::uint64_t every : {1, 5}) EXPECT_EQ(FourGenes(linkage, 60, 3).merged(every).to_bytes(), whole);
    }
}

TEST(Merging, LeavesPartitionsOfDifferentKindsApart) {
    FourGenes genes(BranchLinkage::scaled, 60, 4);
    genes.options.merging = MergeOptions{.share = 100, .kinds = {0, 1, 2, 3}, .work = {1, 1, 1, 1}};
    auto const state = genes.finished(start_merging(genes.finished(genes.start())));
    EXPECT_EQ(subsets_of(state.as<Merging>()), (std::vector<Subset>{{0}, {1}, {2}, {3}}));
    EXPECT_EQ(state.as<Merging>().num_tried, 0U);
    EXPECT_EQ(state.as<Merging>().best.loglh, state.as<Merging>().given.loglh);
}

/// The fits of five subsets, of which the first and the fourth are the most similar, then the second and the third.
std::vector<SubsetFit> five_fits() {
    std::vector<SubsetFit> fits;
    std::array const alphas{1.0, 5.0, 6.0, 1.01, 40.0};
    for (std::uint32_t q = 0; q < 5; ++q) {
        fits.push_back({{q}, {}, {}, -100});
        fits.back().model.alpha = alphas[q];
    }
    return fits;
}

TEST(NearestPairs, AreAShareOfThoseOfAKindAndTheMostSimilarComeFirst) {
    std::vector<ModelSpec> const specs(5, likelihood::parse_model("JC+G4m"));
    SearchOptions options;
    options.merging = MergeOptions{.share = 20, .kinds = {0, 0, 0, 0, 0}, .work = {}};
    MergeData const data{specs, options, BranchLinkage::linked, 13};
    EXPECT_EQ(nearest_pairs(five_fits(), data), (std::vector<SubsetPair>{{0, 3}, {1, 2}}));  // 2 of 10
    options.merging->share = 1;                                                              // one at least
    EXPECT_EQ(nearest_pairs(five_fits(), data), (std::vector<SubsetPair>{{0, 3}}));
    options.merging->kinds = {0, 0, 0, 1, 0};
    EXPECT_EQ(nearest_pairs(five_fits(), data), (std::vector<SubsetPair>{{1, 2}}));
    options.merging->share = 100;
    EXPECT_EQ(nearest_pairs(five_fits(), data).size(), 6U);
    auto const equal = std::vector<SubsetFit>{five_fits()[0], five_fits()[0], five_fits()[0]};
    EXPECT_EQ(nearest_pairs(equal, data), (std::vector<SubsetPair>{{0, 1}, {0, 2}, {1, 2}}));
}

TEST(CountedTogether, AreAsCountedInOneGene) {
    Genes parts(BranchLinkage::linked);
    auto const one = gene(parts.tree, first_group, 37, 7);
    auto const other = gene(parts.tree, second_group, 11, 8);
    parts.add(one);
    parts.add(other);
    auto all = one;
    all.insert(all.end(), other.begin(), other.end());
    parts.add(all);
    auto const both = counted_together(std::span(parts.options.counted).first(2), 4);
    EXPECT_EQ(both.frequencies, parts.options.counted[2].frequencies);
    EXPECT_EQ(both.invariant, parts.options.counted[2].invariant);
}

}  // namespace
}  // namespace regraft::phylo
