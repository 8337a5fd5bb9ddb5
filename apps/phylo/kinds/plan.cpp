#include "kinds/plan.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "common/words.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"

namespace regraft::phylo {
namespace {

/// The largest branch length to start from. Along a much longer branch the likelihood hardly depends on the length, so
/// that no optimiser finds the way back.
constexpr double longest_start = 10;

/// The tree with branch lengths of at most longest_start.
msa::Tree with_short_branches(msa::Tree tree) {
    for (auto const h : tree.edges()) {
        if (tree.length(h) > longest_start) tree.set_length(h, longest_start);
    }
    return tree;
}

}  // namespace

StartTrees read_start_trees(Options const& options, Dataset const& dataset) {
    StartTrees result;
    auto read = read_user_trees(options, dataset);
    result.warnings = warnings_of(read, options);
    if (options.input.fix_lengths && read.num_missing > 0) {
        throw InputError({options.input.tree.string()},
                         fmt::format("lacks {}, which --fix-lengths keeps; expected all",
                                     common::counted(read.num_missing, "branch length")));
    }
    if (options.command == Command::test) {
        auto equal = unite_equal_trees(read.trees, options);
        std::ranges::move(equal, std::back_inserter(result.warnings));
    }
    result.starts = starts_of(options, read.trees.size(), dataset.taxa.size());
    result.may_do_with_fewer = options.asks_for_difficulty() && options.search.starts.empty();
    result.constraint = read_constraint(options, dataset);
    if (result.constraint) check_user_trees(options, read, *result.constraint);
    result.user_trees = std::move(read.trees);
    return result;
}

/// The number of starts that are wanted now: all, or one more than are done as long as that is expected to pay. It
/// follows from the first of them, whichever else are done, so it is the same however items were dealt to groups.
std::uint32_t Plan::num_starts(Progress const& progress) const {
    auto const all = checked_cast<std::uint32_t>(start_trees.starts.size());
    if (!start_trees.may_do_with_fewer) return all;
    auto const least = std::max(1U, checked_cast<std::uint32_t>(start_trees.user_trees.size()));
    auto const num_taxa = checked_cast<std::uint32_t>(dataset.taxa.size());
    std::vector<double> loglh;
    for (std::uint32_t i = 0; i < all; ++i) {
        auto const difficulty = [&] { return progress.find({Purpose::start})->as<Climb>().difficulty; };
        if (i >= least && !another_start_pays(loglh, difficulty(), num_taxa)) return i;
        if (!progress.is_done({Purpose::start, i})) return std::max(least, i + 1);
        loglh.push_back(progress.find({Purpose::start, i})->loglh);
    }
    return all;
}

std::uint32_t Plan::num_pilots(Progress const& progress) const {
    auto const searches_done = searches() ? num_starts(progress) : 0;
    return std::max(searches_done, least_trees) - searches_done;
}

/// Whether there is a fusion. It also follows if one of several possible starts was enough; then it has only escapes.
bool Plan::fuses() const {
    return searches() && start_trees.starts.size() > 1 && options.search.effort != Effort::fast;
}

/// Whether models are chosen. For merging they are not: partitions with `auto` then have the model merging_model.
bool Plan::chooses() const {
    return !merges() && !dataset.automatic().empty();
}

/// The spec of each partition with which a job begins.
std::vector<ModelSpec> Plan::first_specs() const {
    auto specs = dataset.specs;
    if (!merges()) return specs;
    for (auto q : dataset.automatic()) specs[q] = merging_model(*dataset.candidates[q]);
    return specs;
}

Constraint const* Plan::constraint() const {
    return start_trees.constraint ? &*start_trees.constraint : nullptr;
}

std::vector<Item> Plan::starts(Progress const& progress) const {
    std::vector<Item> items;
    for (Item item{Purpose::start}; progress.find(item) != nullptr; ++item.number) items.push_back(item);
    return items;
}

Item Plan::best_start(Progress const& progress) const {
    Item best{Purpose::start, 0};
    auto const count = num_starts(progress);
    for (std::uint32_t i = 1; i < count; ++i) {
        Item const other{Purpose::start, i};
        if (progress.find(other)->loglh > progress.find(best)->loglh) best = other;
    }
    return best;
}

Item Plan::best_item(Progress const& progress) const {
    return fuses() ? Item{Purpose::fusion} : best_start(progress);
}

std::vector<msa::Tree> Plan::other_trees(Progress const& progress) const {
    std::vector<SearchState const*> others;
    auto const count = num_starts(progress);
    auto const best = best_start(progress);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (Item const item{Purpose::start, i}; item != best) others.push_back(progress.find(item));
    }
    std::ranges::stable_sort(others, std::greater<>(), &SearchState::loglh);
    std::vector<msa::Tree> trees;
    for (auto const* state : others) trees.push_back(state->tree);
    return trees;
}

msa::Tree Plan::tree_of(Start start, std::uint64_t seed, StartSites const* sites) const {
    auto tree = start_tree(start, seed, dataset, sites, start_trees.user_trees, constraint());
    if (options.command != Command::loglh && !options.input.fix_lengths) tree = with_short_branches(std::move(tree));
    return with_length_sets(std::move(tree), options.input.linkage, dataset.specs.size());
}

SearchState Plan::short_state(std::uint64_t seed, Progress const& progress, StartSites const* sites) const {
    REGRAFT_EXPECTS(constraint() != nullptr || sites != nullptr);
    auto const& from = best(progress);
    return start_state(Goal::tree, tree_of({Start::Kind::parsimony}, seed, sites), from.specs, from.models);
}

std::uint64_t Plan::seed_of_replicate(std::uint32_t number) const {
    return mix(options.search.seed) + number;
}

void search_shortly(SearchOptions& options, std::uint64_t seed) {
    options.seed = seed;
    options.patience = patience(Effort::fast, false);
    options.far_care = far_care(Effort::fast);
    options.saves = saves(Effort::fast);
    options.final_epsilon = options.least_gain;
}

}  // namespace regraft::phylo
