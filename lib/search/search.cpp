// The steps of each stage of a search.
#include "regraft/search/search.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "regraft/search/optimise.hpp"
#include "search/fuse.hpp"
#include "search/models/rate_categories.hpp"
#include "search/stages.hpp"

namespace regraft::search {
namespace {

ft::FailPhase choice_phase("model_choice");
ft::FailPhase test_phase("test");

constexpr std::uint32_t near_radius = 5;  // in edges, of near SPR
constexpr std::uint32_t way_radius = 3;   // in edges, of moves on the way out of a local maximum
constexpr std::uint32_t wake_within = 2;  // subtrees so many edges from a change of the topology wait again
constexpr std::uint32_t wake_on_way = 1;  // the same on the way out of a local maximum
constexpr double other_maximum = 1;  // in log-likelihood: what another maximum gains, not a better place near this one

Stage following(Stage stage) {
    return static_cast<Stage>(static_cast<int>(stage) + 1);
}

/// Whether the present round has gained enough for another one; a gain of NaN never pays.
bool pays(SearchState const& state, double least_gain) {
    return state.loglh - state.round_start >= least_gain;
}

/// Ends a round after its last step. Another round follows as long as rounds pay.
void end_round(SearchState& state, double least_gain) {
    if (!pays(state, least_gain)) return enter(state, following(state.stage));
    auto const next = state.round + 1;
    enter(state, state.stage);
    state.round = next;
}

/// The final model is optimised edge by edge: batches need more passes to come as close to the maximum.
Pace pace_of(Stage stage) {
    return stage == Stage::final_model ? Pace::one_by_one : Pace::by_batch;
}

/// Makes passes over all branches as long as each gains epsilon, and a share of what the first one gained: smaller
/// gains are left to the next round, because models change before it.
void smooth_all_branches(DistributedLikelihood& likelihood, double epsilon, Pace pace) {
    constexpr int max_passes = 8;
    constexpr double least_share = 0.3;
    auto const first = smooth_branches(likelihood, epsilon, pace);
    auto gain = first;
    for (int pass = 1; pass < max_passes && gain >= std::max(epsilon, least_share * first); ++pass) {
        gain = smooth_branches(likelihood, epsilon, pace);
    }
}

/// Keeps the tree as it is between two steps. O(tips), so it is not called after a step that changed nothing.
void keep_tree(SearchState& state, DistributedLikelihood const& likelihood) {
    state.tree = likelihood.tree();
}

/// Goes to a higher maximum, if there is one that no single length or parameter leads to. Returns whether there was.
bool leave_maximum(DistributedLikelihood& likelihood, double epsilon) {
    return rescale_branches(likelihood, other_maximum) || move_categories(likelihood, epsilon);
}

void advance_model(SearchState& state, DistributedLikelihood& likelihood, double epsilon) {
    bool const round_ended = optimise_next(state, likelihood, epsilon, pace_of(state.stage));
    if (round_ended) {
        state.loglh = likelihood.loglh();
        if (!pays(state, epsilon) && leave_maximum(likelihood, epsilon)) state.loglh = likelihood.loglh();
    }
    keep_tree(state, likelihood);
    state.models = likelihood.models();
    if (round_ended) end_round(state, epsilon);
}

/// Applies the choices. What follows is the same as if the chosen models had been given, bit by bit.
void apply_choices(SearchState& state, SearchOptions const& options) {
    for (auto const& choice : state.choices) {
        auto const q = choice.partition;
        auto const best = best_trial(choice.trials, {options.criterion, options.sites_per_partition[q]});
        state.specs[q] = likelihood::parse_model(choice.trials[best].candidate.name());
        state.models[q] = start_model(state.specs[q], options.counted[q]);
    }
    enter(state, first_stage(options.goal));
    state.round_start = -std::numeric_limits<double>::infinity();
}

void end_trials(SearchState& state, SearchOptions const& options) {
    for (auto* choice : unfinished(state.choices)) {
        auto const q = choice->partition;
        end_trial(*choice, state.specs[q].alphabet, options.counted[q],
                  {options.criterion, options.sites_per_partition[q]});
    }
    enter(state, Stage::model_choice);
    if (unfinished(state.choices).empty()) apply_choices(state, options);
}

/// Keeps the log-likelihoods of the running trials. Returns the greatest gain.
double keep_loglh(SearchState& state, DistributedLikelihood& likelihood) {
    auto const loglh = likelihood.partition_loglh();
    double gain = 0;
    auto next = loglh.begin();
    for (auto* choice : unfinished(state.choices)) {
        gain = std::max(gain, *next - choice->running->loglh);
        choice->running->loglh = *next++;
    }
    state.loglh = std::accumulate(loglh.begin(), loglh.end(), 0.0);
    return gain;
}

/// Copies the models and branch lengths of the likelihood into the running trials.
void keep_fits(SearchState& state, DistributedLikelihood const& likelihood) {
    auto const edges = state.tree.edges();
    std::uint32_t set = 0;
    for (auto* choice : unfinished(state.choices)) {
        choice->running->model = likelihood.model(set);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            choice->running->lengths[i] = likelihood.tree().length(edges[i], set);
        }
        ++set;
    }
}

/// The steps of a round are as for given models. Rounds continue as long as they pay for one of the candidates.
void advance_choice(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    likelihood.reach(choice_phase.before);
    if (state.round == 0 && state.position == 0) static_cast<void>(keep_loglh(state, likelihood));
    bool const round_ended = optimise_next(state, likelihood, options.choice_epsilon, Pace::by_batch);
    likelihood.reach(choice_phase.inside);
    bool const goes_on = round_ended && (keep_loglh(state, likelihood) >= options.choice_epsilon ||
                                         leave_maximum(likelihood, options.choice_epsilon));
    keep_fits(state, likelihood);
    if (goes_on) {
        state.position = 0;
        ++state.round;
    } else if (round_ended) {
        end_trials(state, options);
    }
    likelihood.reach(choice_phase.after);
}

/// Appends to state.waiting those of the subtrees that do not wait yet.
void wait_too(SearchState& state, std::vector<msa::HalfEdge> const& subtrees) {
    std::vector<bool> waits(state.tree.num_half_edges());
    for (auto h : state.waiting) waits[h] = true;
    std::copy_if(subtrees.begin(), subtrees.end(), std::back_inserter(state.waiting),
                 [&](auto h) { return !waits[h]; });
}

/// The reach of near SPR.
Reach near_reach(SearchState const& state, SearchOptions const& options) {
    return {std::min(near_radius, options.spr_radius), little_care, state.loglh, options.constraint};
}

/// The reach on the way out of a local maximum.
Reach way_reach(SearchState const& state, SearchOptions const& options) {
    return {std::min(way_radius, options.spr_radius), least_care, state.loglh, options.constraint};
}

/// The reach of far SPR.
Reach far_reach(SearchState const& state, SearchOptions const& options) {
    return {options.spr_radius, options.far_care, state.loglh, options.constraint};
}

/// Tries to move the first waiting subtree. If the topology changes, subtrees near the change wait again; on the way
/// out of a local maximum only the nearest, and only if least_gain was gained. Returns whether the topology has
/// changed.
bool move_next(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options,
               Reach const& reach) {
    Lookahead none;
    auto& ahead = options.lookahead != nullptr ? *options.lookahead : none;
    auto const climb = try_spr(likelihood, state.waiting, reach, state.losses, ahead);
    state.waiting.pop_front();
    auto const gain = climb.loglh - std::exchange(state.loglh, climb.loglh);
    if (climb.places.empty()) return false;
    keep_tree(state, likelihood);
    if (!state.home || gain >= options.least_gain) {
        auto const within = state.home ? wake_on_way : wake_within;
        wait_too(state, subtrees_near(likelihood.tree(), climb.places, within));
    }
    return true;
}

/// The steps: all branches, then the subtrees one by one, until none can be moved.
void advance_spr(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options,
                 Reach const& reach) {
    if (state.position == 0) {
        smooth_branches(likelihood, options.least_gain);
        state.loglh = likelihood.loglh();
        keep_tree(state, likelihood);
        wait_too(state, all_subtrees(likelihood.tree()));
    } else {
        move_next(state, likelihood, options, reach);
    }
    ++state.position;
    if (state.waiting.empty()) enter(state, following(state.stage));
}

/// The number of consecutive escapes that may fail.
std::uint64_t most_failures(SearchOptions const& options, std::uint32_t num_tips) {
    if (num_tips < 5) return 0;  // the climb has seen all topologies
    return static_cast<std::uint64_t>(options.patience * num_tips);
}

/// The subtrees near these places that are moved on a way out of a local maximum, the farthest first: the surroundings
/// adapt to the change before a move can take it back. Those with more than half of the tips are left out: to move one
/// is much like moving what is beside it.
std::vector<msa::HalfEdge> subtrees_on_way(msa::Tree const& tree, std::vector<msa::HalfEdge> const& places) {
    auto result = subtrees_near(tree, places, wake_on_way);
    auto const tips = msa::tips_behind(tree);
    std::erase_if(result, [&](auto h) { return tips[tree.back(h)] > tree.num_tips() / 2; });
    return result;
}

/// The first step of a way out of a local maximum, which becomes state.home. change() changes the tree and returns a
/// Climb.
template <class Change>
void leave_home(SearchState& state, DistributedLikelihood& likelihood, Change change) {
    auto const& tree = likelihood.tree();
    state.home = Home{tree, state.loglh, fingerprint(tree)};
    auto const climb = change();
    state.loglh = climb.loglh;
    keep_tree(state, likelihood);
    wait_too(state, subtrees_on_way(tree, climb.places));
    ++state.position;
}

/// What a step on a way out of a local maximum has led to: another step, a better tree, or the tree of state.home.
enum class Way : std::uint8_t { onward, to_higher_ground, back_home };

/// Ends the way: keeps the tree if it is better than that of state.home by least_gain, or goes back to that.
Way end_way(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    auto const home = *std::exchange(state.home, std::nullopt);
    state.waiting.clear();
    state.position = 0;
    ++state.round;
    bool const is_higher = state.loglh - home.loglh >= options.least_gain;
    if (is_higher) {
        ++state.successes;
    } else {
        likelihood.set_tree(home.tree);
        state.loglh = home.loglh;
    }
    keep_tree(state, likelihood);
    return is_higher ? Way::to_higher_ground : Way::back_home;
}

/// Where the topology of a tree differs from that of another one.
std::vector<msa::HalfEdge> differing(msa::Tree const& tree, msa::Tree const& other) {
    std::vector<msa::HalfEdge> places;
    for (msa::HalfEdge h = 0; h < tree.num_half_edges(); ++h) {
        if (tree.back(h) != other.back(h)) places.push_back(h);
    }
    return places;
}

/// Optimises the branches around the changes on a way, and all others if the tree is likelier than that of state.home.
void smooth_way(SearchState& state, DistributedLikelihood& likelihood, double least_gain) {
    constexpr std::uint32_t around = 2;  // in edges; branches farther away hardly gain from the changes
    auto const& tree = likelihood.tree();
    auto const places = differing(tree, state.home->tree);
    fit_lengths(likelihood, edges_near(tree, places, around));
    state.loglh = likelihood.loglh(places.empty() ? 0 : places.front());
    if (state.loglh <= state.home->loglh) return;
    smooth_branches(likelihood, least_gain);
    state.loglh = likelihood.loglh();
}

/// A later step on the way: tries the next waiting subtree, or, if none waits, optimises branches. Most ways lead
/// straight back to the topology of state.home, and end there.
Way go_on(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    constexpr double close = 2;  // to the old value: better branches may make up for this difference
    if (!state.waiting.empty()) {
        ++state.position;
        bool const moved = move_next(state, likelihood, options, way_reach(state, options));
        if (!moved || fingerprint(likelihood.tree()) != state.home->fingerprint) return Way::onward;
    } else if (state.loglh > state.home->loglh - close) {
        smooth_way(state, likelihood, options.least_gain);
    }
    return end_way(state, likelihood, options);
}

/// Whether the constraint allows the tree after the exchange.
bool allows(Constraint const* constraint, msa::Tree tree, SubtreeExchange const& exchange) {
    if (constraint == nullptr) return true;
    tree.undo(exchange.move);
    return constraint->allows(tree);
}

/// The first exchange with one of the donors (SearchOptions::others) that has not been tried, if any.
std::optional<SubtreeExchange> next_exchange(SearchState const& state, msa::Tree const& tree,
                                             SearchOptions const& options) {
    for (auto const& donor : options.others) {
        for (auto& exchange : exchanges(tree, donor)) {
            bool const is_new = std::find(state.tried.begin(), state.tried.end(), exchange.change) == state.tried.end();
            if (is_new && allows(options.constraint, tree, exchange)) return std::move(exchange);
        }
    }
    return std::nullopt;
}

/// Leaves the maximum by exchanges with the donors, until all have been tried. If they have raised the likelihood,
/// subtrees are moved far once more, and then new exchanges are tried.
void advance_fusing(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    if (state.position > 0) return static_cast<void>(go_on(state, likelihood, options));
    auto const exchange = next_exchange(state, likelihood.tree(), options);
    if (!exchange) {
        bool const paid = pays(state, options.least_gain);
        if (!paid) state.tried.clear();
        return enter(state, paid ? Stage::far_spr : following(state.stage));
    }
    state.tried.push_back(exchange->change);
    leave_home(state, likelihood, [&] { return make(likelihood, *exchange); });
}

/// Leaves the maximum by random changes, until too many in a row have failed.
void advance_escapes(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    if (state.position > 0) {
        auto const way = go_on(state, likelihood, options);
        if (way == Way::back_home) ++state.failures;
        if (way == Way::to_higher_ground) state.failures = 0;
    } else if (state.failures >= most_failures(options, likelihood.tree().num_tips())) {
        enter(state, following(state.stage));
    } else {
        leave_home(state, likelihood,
                   [&] { return perturb(likelihood, options.seed, state.round, options.constraint); });
    }
}

/// The steps: the trees from which replicates start, then rounds in which they improve.
void advance_ultrafast(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    auto const& replicates = *options.replicates;
    if (state.position == 0) {
        state.replicates = first_trees(likelihood, replicates, options.others, options.constraint);
    } else {
        improve(state.replicates, likelihood, replicates, options.constraint);
    }
    ++state.round;
    bool const is_over = std::ranges::all_of(state.replicates, [](auto const& one) { return one.waiting.empty(); });
    if (++state.position > most_rounds || is_over) enter(state, following(state.stage));
}

/// The steps: the inner edges one by one.
void advance_support(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    auto const& tree = likelihood.tree();
    auto const edges = tree.edges();
    if (state.position == 0) state.alrt.assign(edges.size(), std::numeric_limits<double>::quiet_NaN());
    auto const is_outer = [&](auto h) { return tree.is_tip(h) || tree.is_tip(tree.back(h)); };
    while (state.position < edges.size() && is_outer(edges[state.position])) ++state.position;
    if (state.position == edges.size()) return enter(state, following(state.stage));
    state.alrt[state.position] = sh_alrt(likelihood, edges[state.position], *options.rell_samples);
    ++state.position;
}

/// The steps: samples, a batch at a time.
void advance_tests(SearchState& state, DistributedLikelihood& likelihood, TestSamples const& samples) {
    likelihood.reach(test_phase.before);
    auto const& trees = *samples.trees;
    auto const first = checked_cast<std::uint32_t>(state.position);
    SampleNumbers const numbers{first, first + std::min(trees.batch(), samples.count - first), samples.seed,
                                samples.size};
    for (auto const& loglh : trees.resample(likelihood, numbers))
        state.counts.add(loglh, trees.contest(), samples.size);
    likelihood.reach(test_phase.inside);
    state.position = numbers.last;
    if (numbers.last == samples.count) enter(state, following(state.stage));
    likelihood.reach(test_phase.after);
}

/// The end of a search: the log-likelihood that is reported, with scalers normalised.
void finish(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    if (likelihood.linkage() == BranchLinkage::scaled) normalise_scalers(likelihood, options.sites_per_partition);
    state.loglh = likelihood.loglh();
    keep_tree(state, likelihood);
    state.models = likelihood.models();
}

void make_step(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    switch (state.stage) {
        case Stage::model_choice:
            return advance_choice(state, likelihood, options);
        case Stage::rough_model:
            return advance_model(state, likelihood, options.rough_epsilon);
        case Stage::near_spr:
            return advance_spr(state, likelihood, options, near_reach(state, options));
        case Stage::far_spr:
            return advance_spr(state, likelihood, options, far_reach(state, options));
        case Stage::model:
            return advance_model(state, likelihood, options.least_gain);
        case Stage::fusing:
            return advance_fusing(state, likelihood, options);
        case Stage::escapes:
            return advance_escapes(state, likelihood, options);
        case Stage::final_model:
            return advance_model(state, likelihood, options.final_epsilon);
        case Stage::ultrafast:
            return advance_ultrafast(state, likelihood, options);
        case Stage::support:
            return advance_support(state, likelihood, options);
        case Stage::tests:
            return advance_tests(state, likelihood, *options.test_samples);
        case Stage::merging:
            return advance_merging(state, likelihood, options);
        case Stage::done:
            REGRAFT_EXPECTS(!"a step after the last one");
    }
}

/// Leaves out the stages that the options do not ask for.
void skip_stages(SearchState& state, SearchOptions const& options) {
    if (options.last && state.stage > *options.last) enter(state, Stage::done);
    if (state.stage == Stage::ultrafast && options.replicates == nullptr) enter(state, Stage::support);
    if (state.stage == Stage::support && options.rell_samples == nullptr) enter(state, Stage::tests);
    if (state.stage == Stage::tests && !options.test_samples) enter(state, Stage::done);
}

}  // namespace

bool optimise_next(SearchState& state, DistributedLikelihood& likelihood, double epsilon, Pace pace) {
    if (state.position == 0) {
        smooth_all_branches(likelihood, epsilon, pace);
    } else {
        optimise_models(likelihood, epsilon);
    }
    return ++state.position > 1;
}

void advance(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    // Evaluations that are made ahead count in the steps that use them, so that state.evaluations does not depend on
    // it.
    auto const evaluations = [&] {
        return likelihood.evaluations() - (options.lookahead != nullptr ? options.lookahead->evaluations_ahead() : 0);
    };
    auto const evaluations_before = evaluations();
    bool const keeps_models = changes_subject(state.stage);
    make_step(state, likelihood, options);
    skip_stages(state, options);
    if (!keeps_models && state.stage == Stage::done) finish(state, likelihood, options);
    ++state.steps;
    state.evaluations += evaluations() - evaluations_before;
}

}  // namespace regraft::search
