#include "progress/state_check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>

#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

void require(bool good, char const* what) {
    if (!good) throw InputError(std::string("has a search ") + what);
}

void check_tree(msa::Tree const& tree, Expected const& expected) {
    auto const sets = expected.linkage == BranchLinkage::unlinked ? expected.dataset.specs.size() : 1;
    require(tree.num_tips() == expected.dataset.taxa.size(), "whose tree has other taxa");
    require(tree.num_length_sets() == sets, "whose tree has lengths of other partitions");
    require(tree.is_complete(), "whose tree is none");
    for (auto const h : tree.edges()) {
        for (std::uint32_t set = 0; set < sets; ++set)
            require(std::isfinite(tree.length(h, set)), "whose tree has a length that is no number");
    }
    require(expected.constraint == nullptr || expected.constraint->allows(tree), "whose tree breaks the constraint");
}

/// Checks that values equal those at the start, which the user may have given, or are values that an optimiser may
/// find.
void check_values(std::vector<double> const& values, std::vector<double> const& start) {
    require(values.size() == start.size(), "whose model has more or fewer values than it needs");
    // Beyond these bounds products of some of them are 0 or infinite.
    auto const is_positive = [](double value) { return 1e-50 <= value && value <= 1e50; };
    require(values == start || std::ranges::all_of(values, is_positive), "whose model has impossible values");
}

void check_model(ModelSpec const& spec, Model const& model, CountedData const& counted) {
    auto const start = start_model(spec, counted);
    check_values(model.rates, start.rates);
    check_values(model.frequencies, start.frequencies);
    check_values(model.category_rates, start.category_rates);
    check_values(model.category_weights, start.category_weights);
    check_values(model.class_weights, start.class_weights);
    check_values({model.scaler}, {start.scaler});
    require(
        model.alpha == start.alpha || (likelihood::min_alpha <= model.alpha && model.alpha <= likelihood::max_alpha),
        "whose alpha is impossible");
    bool const may_be_invariant = spec.ascertainment == likelihood::Ascertainment::none;
    require(model.invariant == start.invariant ||
                (may_be_invariant && 0 <= model.invariant && model.invariant <= likelihood::max_invariant),
            "whose proportion of invariant sites is impossible");
}

void check_models(SearchState const& state, Expected const& expected) {
    auto const& dataset = expected.dataset;
    require(state.specs.size() == dataset.specs.size() && state.models.size() == dataset.specs.size(),
            "with models of other partitions");
    auto const automatic = dataset.automatic();
    for (std::size_t q = 0; q < state.specs.size(); ++q) {
        auto const& spec = state.specs[q];
        bool const is_chosen = std::ranges::binary_search(automatic, q);
        bool const fits = is_chosen ? spec.alphabet == dataset.specs[q].alphabet && !spec.scaler_from &&
                                          spec.ascertainment == likelihood::Ascertainment::none
                                    : spec.text == dataset.specs[q].text;
        require(fits, "with another model than this job");
        check_model(spec, state.models[q], dataset.counted[q]);
    }
}

void check_fit(Fit const& fit, std::size_t partition, msa::Tree const& tree, Expected const& expected) {
    check_model(likelihood::parse_model(fit.candidate.name()), fit.model, expected.dataset.counted[partition]);
    require(fit.lengths.size() == tree.num_edges(), "that tries a model with more or fewer branches");
    require(std::ranges::all_of(fit.lengths, [](double length) { return std::isfinite(length) && length >= 0; }),
            "that tries a model with an impossible branch length");
}

/// Checks a choice. The order in which candidates are tried follows from the results of earlier ones.
void check_choice(PartitionChoice const& choice, msa::Tree const& tree, Expected const& expected) {
    auto const q = choice.partition;
    auto const alphabet = expected.dataset.specs[q].alphabet;
    Measure const measure{expected.criterion, expected.dataset.sites_per_partition[q]};
    auto const trials = std::span(choice.trials);
    auto const next_after = [&](std::size_t tried) { return next_candidate(alphabet, trials.first(tried), measure); };
    for (std::size_t i = 0; i < trials.size(); ++i)
        require(next_after(i) == trials[i].candidate, "that has tried models in another order");
    auto const running = choice.running ? std::optional(choice.running->candidate) : std::nullopt;
    require(running == next_after(trials.size()), "that tries another model than is next");
    if (!running) return require(!choice.best, "whose choice has ended, and has not");
    check_fit(*choice.running, q, tree, expected);
    require(choice.best.has_value() == !trials.empty(), "that has tried models without a best one");
    if (!choice.best) return;
    require(choice.best->candidate == trials[best_trial(trials, measure)].candidate,
            "whose best model is not the best");
    check_fit(*choice.best, q, tree, expected);
}

void check_choices(SearchState const& state, Purpose purpose, Expected const& expected) {
    auto const automatic = expected.dataset.automatic();
    require(state.choices.empty() || purpose == Purpose::model_choice, "that chooses models, but has another purpose");
    std::vector<std::size_t> partitions;
    for (auto const& choice : state.choices) partitions.push_back(choice.partition);
    require(purpose != Purpose::model_choice || partitions == automatic, "that chooses models of other partitions");
    for (auto const& choice : state.choices) check_choice(choice, state.tree, expected);
    bool const chooses =
        std::ranges::any_of(state.choices, [](auto const& choice) { return choice.running.has_value(); });
    require((state.stage == Stage::model_choice) == chooses, "whose models are chosen in another stage");
}

/// Checks the fit of a subset, whose partitions then are known to be of one kind.
void check_subset(SubsetFit const& fit, SearchState const& state, Expected const& expected) {
    auto const& subset = fit.subset;
    bool const is_increasing = std::ranges::adjacent_find(subset, std::greater_equal<>()) == subset.end();
    auto const num_partitions = expected.dataset.specs.size();
    require(!subset.empty() && is_increasing && subset.back() < num_partitions, "with a subset that is none");
    auto const& kinds = expected.merging->kinds;
    require(std::ranges::all_of(subset, [&](auto q) { return kinds[q] == kinds[subset.front()]; }),
            "that merges partitions with different models");
    std::vector<CountedData> counted;
    for (auto q : subset) counted.push_back(expected.dataset.counted[q]);
    auto const& spec = state.specs[subset.front()];
    check_model(spec, fit.model, counted_together(counted, spec.num_states()));
    require(fit.lengths.size() == (expected.linkage == BranchLinkage::unlinked ? state.tree.num_edges() : 0),
            "with a subset of more or fewer branches");
    require(std::ranges::all_of(fit.lengths, [](double length) { return std::isfinite(length) && length >= 0; }),
            "with a subset of an impossible branch length");
}

/// Whether a subset is the union of two subsets of the scheme.
bool is_union(Subset const& subset, std::vector<SubsetFit> const& scheme) {
    std::size_t parts = 0;
    std::size_t size = 0;
    for (auto const& fit : scheme) {
        if (!std::ranges::includes(subset, fit.subset)) continue;
        ++parts;
        size += fit.subset.size();
    }
    return parts == 2 && size == subset.size() && std::ranges::is_sorted(subset);
}

/// Checks what a merging of partitions relies on.
void check_merging(SearchState const& state, Purpose purpose, Expected const& expected) {
    bool const merges = purpose == Purpose::merge;
    require(state.merging.has_value() == merges, "that merges partitions, but has another purpose");
    require((state.stage == Stage::merging) <= merges, "that merges partitions in another stage");
    require(!merges || state.stage == Stage::merging || state.stage == Stage::done, "that merges nothing");
    if (!merges) return;
    auto const& [phase, scheme, tried, waiting, running, merges_made, num_tried, given, best] = *state.merging;
    std::vector<std::uint32_t> all;
    for (auto const& fit : scheme) {
        check_subset(fit, state, expected);
        all.insert(all.end(), fit.subset.begin(), fit.subset.end());
    }
    std::ranges::sort(all);
    std::vector<std::uint32_t> each(expected.dataset.specs.size());
    std::iota(each.begin(), each.end(), 0U);
    require(all == each, "with a scheme that lacks partitions, or has one twice");
    for (auto const* fits : {&tried, &running}) {
        for (auto const& fit : *fits) {
            check_subset(fit, state, expected);
            require(is_union(fit.subset, scheme), "with a union of other subsets");
        }
    }
    require(std::ranges::is_sorted(tried, {}, &SubsetFit::subset), "with unions in another order");
    auto const is_known = [&](Subset const& subset) {
        auto const& kinds = expected.merging->kinds;
        return is_union(subset, scheme) && subset.back() < kinds.size() &&
               std::ranges::all_of(subset, [&](auto q) { return kinds[q] == kinds[subset.front()]; });
    };
    require(std::ranges::all_of(waiting, is_known), "that waits for a union of other subsets");
    require(phase <= Merging::Phase::scheme, "in an unknown phase of a merging");
    require((phase == Merging::Phase::pairs) == !running.empty(), "that tries no unions, or in another phase");
    require(phase != Merging::Phase::partitions || scheme.size() == each.size(), "that has merged partitions before");
    auto const is_named = [&](Subset const& subset) {
        return !subset.empty() && std::ranges::all_of(subset, [&](auto q) { return q < each.size(); });
    };
    require(std::ranges::all_of(merges_made, [&](Merge const& m) { return is_named(m.first) && is_named(m.second); }),
            "that has merged what is no partition");
}

/// Checks what the steps of each stage rely on.
void check_stage(SearchState const& state, Purpose purpose) {
    auto const stage = state.stage;
    bool const supports = purpose == Purpose::support;
    require((stage == Stage::support) <= supports, "for support, but with another purpose");
    require(!supports || stage == Stage::support || stage == Stage::done, "for support in another stage");
    require(purpose != Purpose::model_choice || stage == Stage::model_choice || stage == Stage::done,
            "that chooses models in another stage");
    bool const moves = (stage == Stage::near_spr || stage == Stage::far_spr) && state.position > 0;
    require(!moves || !state.waiting.empty(), "without subtrees that could be moved");
    bool const leaves = (stage == Stage::fusing || stage == Stage::escapes) && state.position > 0;
    require(leaves == state.home.has_value(), "that left a local maximum, or has not");
    auto const is_subtree = [&](auto h) { return h < state.tree.num_half_edges() && !state.tree.is_tip(h); };
    require(std::ranges::all_of(state.waiting, is_subtree), "with a subtree that is not in the tree");
}

void check_supports(SearchState const& state, Purpose purpose) {
    auto const num_edges = state.tree.num_edges();
    bool const has_begun = purpose == Purpose::support && (state.stage == Stage::done || state.position > 0);
    require(state.alrt.size() == (has_begun ? num_edges : 0), "with supports of more or fewer edges");
    require(state.stage != Stage::support || state.position <= num_edges, "for the support of an edge too many");
    auto const is_support = [](double support) { return std::isnan(support) || (0 <= support && support <= 1); };
    require(std::ranges::all_of(state.alrt, is_support), "with a support that is no share");
}

/// Checks the trees of the ultrafast bootstrap.
void check_replicates(SearchState const& state, Purpose purpose, Expected const& expected) {
    bool const is_ultrafast = purpose == Purpose::ultrafast;
    require((state.stage == Stage::ultrafast) <= is_ultrafast, "for the ultrafast bootstrap, but with another purpose");
    require(!is_ultrafast || state.stage == Stage::ultrafast || state.stage == Stage::done,
            "for the ultrafast bootstrap in another stage");
    bool const has_begun = is_ultrafast && (state.stage == Stage::done || state.position > 0);
    require(state.replicates.size() == (has_begun ? expected.num_replicates : 0), "with more or fewer replicates");
    for (auto const& [tree, waiting] : state.replicates) {
        check_tree(tree, expected);
        auto const is_inner = [&tree = tree](auto h) {
            return h < tree.num_half_edges() && !tree.is_tip(h) && !tree.is_tip(tree.back(h));
        };
        require(std::ranges::all_of(waiting, is_inner), "with an edge of a replicate that is not in its tree");
    }
}

/// Checks what is counted in samples for tests of trees.
void check_counts(SearchState const& state, Item item, Expected const& expected) {
    auto const& counts = state.counts;
    bool const tests = item.purpose == Purpose::test;
    require((state.stage == Stage::tests) <= tests, "for tests, but with another purpose");
    require(!tests || state.stage == Stage::tests || state.stage == Stage::done, "for tests in another stage");
    require(state.stage != Stage::tests || state.position < expected.num_samples, "of more samples than this job has");
    bool const has_begun = tests && (state.stage == Stage::done || state.position > 0);
    auto const all = has_begun ? expected.num_trees : 0;
    auto const usual = item.number == usual_size ? all : 0;
    auto const is_count = [&](auto number) { return 0 <= number && number <= expected.num_samples; };
    auto const require_counts = [&](auto const& numbers, std::size_t size) {
        require(numbers.size() == size, "with counts of more or fewer trees");
        require(std::ranges::all_of(numbers, is_count), "with a count of more samples than there are");
    };
    require_counts(counts.wins, all);
    for (auto const* numbers : {&counts.kh, &counts.sh, &counts.weighted_kh, &counts.weighted_sh})
        require_counts(*numbers, usual);
    for (auto const* sums : {&counts.shares, &counts.weights}) require_counts(*sums, usual);
}

}  // namespace

void check_state(SearchState const& state, Item item, Expected const& expected) {
    auto const purpose = item.purpose;
    check_tree(state.tree, expected);
    if (state.home) check_tree(state.home->tree, expected);
    check_models(state, expected);
    check_choices(state, purpose, expected);
    check_stage(state, purpose);
    check_merging(state, purpose, expected);
    require(0 <= state.difficulty && state.difficulty <= 1, "for data of an impossible difficulty");
    check_supports(state, purpose);
    check_replicates(state, purpose, expected);
    check_counts(state, item, expected);
}

}  // namespace regraft::phylo
