#include "regraft/search/search.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/search/optimise.hpp"
#include "search/fuse.hpp"

namespace regraft::search {
namespace {

ft::FailPhase choice_phase("model_choice");

constexpr std::uint32_t near_radius = 5;
constexpr std::uint32_t wake_within = 2;  // in edges, from where the topology changed

void enter(SearchState& state, Stage stage) {
    state.stage = stage;
    state.round = 0;
    state.position = 0;
    state.waiting.clear();
    state.round_start = state.loglh;
}

Stage following(Stage stage) {
    return static_cast<Stage>(static_cast<int>(stage) + 1);
}

Stage first_stage(Goal goal) {
    switch (goal) {
        case Goal::tree:
            return Stage::rough_model;
        case Goal::evaluation:
            return Stage::final_model;
        case Goal::likelihood:
            break;
    }
    return Stage::done;
}

/// Ends a round after its last step. Another round follows as long as rounds pay; a gain of NaN never pays.
void end_round(SearchState& state, double least_gain) {
    bool const pays = state.loglh - state.round_start >= least_gain;
    if (!pays) return enter(state, following(state.stage));
    auto const next = state.round + 1;
    enter(state, state.stage);
    state.round = next;
}

/// Makes passes as long as they pay for now. When models have changed, gains much smaller than that of the first pass
/// are left to the next round.
void smooth_all_branches(DistributedLikelihood& likelihood, double epsilon) {
    constexpr int max_passes = 8;
    constexpr double least_share = 0.3;
    auto const first = smooth_branches(likelihood, epsilon);
    auto gain = first;
    for (int pass = 1; pass < max_passes && gain >= std::max(epsilon, least_share * first); ++pass) {
        gain = smooth_branches(likelihood, epsilon);
    }
}

/// The steps of a round: all branches, then all models. Returns whether this was the last one.
bool optimise_next(SearchState& state, DistributedLikelihood& likelihood, double epsilon) {
    if (state.position == 0) {
        smooth_all_branches(likelihood, epsilon);
    } else {
        optimise_models(likelihood, epsilon);
    }
    return ++state.position > 1;
}

void advance_model(SearchState& state, DistributedLikelihood& likelihood, double epsilon) {
    if (!optimise_next(state, likelihood, epsilon)) return;
    state.loglh = likelihood.loglh();
    end_round(state, epsilon);
}

template <class Choices>
auto unfinished(Choices& choices) {
    std::vector<decltype(&choices.front())> result;
    for (auto& choice : choices) {
        if (choice.running) result.push_back(&choice);
    }
    return result;
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

/// Keeps models and branch lengths of the running trials.
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
    bool const round_ended = optimise_next(state, likelihood, options.choice_epsilon);
    likelihood.reach(choice_phase.inside);
    keep_fits(state, likelihood);
    if (round_ended && keep_loglh(state, likelihood) >= options.choice_epsilon) {
        state.position = 0;
        ++state.round;
    } else if (round_ended) {
        end_trials(state, options);
    }
    likelihood.reach(choice_phase.after);
}

/// Appends the subtrees that are not waiting yet.
void wait_too(SearchState& state, std::vector<msa::HalfEdge> const& subtrees) {
    std::vector<bool> waits(state.tree.num_half_edges());
    for (auto h : state.waiting) waits[h] = true;
    std::copy_if(subtrees.begin(), subtrees.end(), std::back_inserter(state.waiting),
                 [&](auto h) { return !waits[h]; });
}

/// Moves the next waiting subtree. If the topology changes, subtrees near the change are worth another try. Returns
/// whether it did.
bool move_next(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options,
               std::uint32_t radius) {
    auto const h = state.waiting.front();
    state.waiting.erase(state.waiting.begin());
    auto const climb = try_spr(likelihood, h, radius, state.loglh, state.losses, options.constraint);
    state.loglh = climb.loglh;
    if (climb.places.empty()) return false;
    wait_too(state, subtrees_near(likelihood.tree(), climb.places, wake_within));
    return true;
}

/// The steps: all branches, then the subtrees one by one, until none can be moved.
void advance_spr(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options,
                 std::uint32_t radius) {
    if (state.position == 0) {
        smooth_branches(likelihood, options.least_gain);
        state.loglh = likelihood.loglh();
        state.waiting = all_subtrees(likelihood.tree());
    } else {
        move_next(state, likelihood, options, radius);
    }
    ++state.position;
    if (state.waiting.empty()) enter(state, following(state.stage));
}

/// The number of consecutive escapes that may fail.
std::uint64_t patience(Effort effort, std::uint32_t num_tips) {
    if (num_tips < 5) return 0;  // the climb has seen all topologies
    switch (effort) {
        case Effort::fast:
            return 0;
        case Effort::normal:
            return num_tips / 4;
        case Effort::thorough:
            return num_tips;
    }
    return 0;
}

/// The first step of a way out of a local maximum, which becomes `home`: `change` makes it.
template <class Change>
void leave_home(SearchState& state, DistributedLikelihood& likelihood, Change change) {
    auto const& tree = likelihood.tree();
    state.home = Home{tree, state.loglh, fingerprint(tree)};
    auto const climb = change();
    state.loglh = climb.loglh;
    state.waiting = subtrees_near(tree, climb.places, wake_within);
    ++state.position;
}

enum class Way : std::uint8_t { onward, to_higher_ground, back_home };

/// Keeps the new tree if it is better, or goes back.
Way end_way(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    auto const home = *std::exchange(state.home, std::nullopt);
    state.waiting.clear();
    state.position = 0;
    ++state.round;
    if (state.loglh - home.loglh >= options.least_gain) {
        ++state.successes;
        return Way::to_higher_ground;
    }
    likelihood.set_tree(home.tree);
    state.loglh = home.loglh;
    return Way::back_home;
}

/// The following steps: the subtrees around the change one by one until none can be moved, and all branches. Most ways
/// lead straight back, and end there.
Way go_on(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    constexpr double close = 2;  // to the old value: smoothing may make up for this difference
    if (!state.waiting.empty()) {
        ++state.position;
        bool const moved = move_next(state, likelihood, options, std::min(near_radius, options.spr_radius));
        if (!moved || fingerprint(likelihood.tree()) != state.home->fingerprint) return Way::onward;
    } else if (state.loglh > state.home->loglh - close) {
        smooth_branches(likelihood, options.least_gain);
        state.loglh = likelihood.loglh();
    }
    return end_way(state, likelihood, options);
}

bool allows(Constraint const* constraint, msa::Tree tree, SubtreeExchange const& exchange) {
    if (constraint == nullptr) return true;
    tree.undo(exchange.move);
    return constraint->allows(tree);
}

/// The first exchange with one of the donors that has not been tried, if any.
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

/// Leaves the maximum by exchanges with the donors, until all have been tried. If they led higher, subtrees are moved
/// far once more, and then new exchanges are tried.
void advance_fusing(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    if (state.position > 0) return static_cast<void>(go_on(state, likelihood, options));
    auto const exchange = next_exchange(state, likelihood.tree(), options);
    if (!exchange) {
        bool const paid = state.loglh - state.round_start >= options.least_gain;
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
    } else if (state.failures >= patience(options.effort, likelihood.tree().num_tips())) {
        enter(state, following(state.stage));
    } else {
        leave_home(state, likelihood,
                   [&] { return perturb(likelihood, mix(options.seed) + state.round, options.constraint); });
    }
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

void finish(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    if (likelihood.linkage() == BranchLinkage::scaled) normalise_scalers(likelihood, options.sites_per_partition);
    state.loglh = likelihood.loglh();
}

}  // namespace

std::string to_string(Stage stage) {
    switch (stage) {
        case Stage::model_choice:
            return "model choice";
        case Stage::rough_model:
            return "rough model";
        case Stage::near_spr:
            return "near SPR";
        case Stage::far_spr:
            return "far SPR";
        case Stage::model:
            return "model";
        case Stage::fusing:
            return "fusing";
        case Stage::escapes:
            return "escapes";
        case Stage::final_model:
            return "final model";
        case Stage::support:
            return "support";
        case Stage::done:
            return "done";
    }
    return "";
}

std::string describe(SearchState const& state) {
    switch (state.stage) {
        case Stage::near_spr:
        case Stage::far_spr:
        case Stage::support:
        case Stage::done:
            return to_string(state.stage);
        default:
            break;
    }
    if (state.stage == Stage::fusing || state.stage == Stage::escapes) {
        return to_string(state.stage) + ", " + std::to_string(state.successes) + " successful";
    }
    if (state.stage == Stage::model_choice) {
        auto const running = unfinished(state.choices);
        return to_string(state.stage) + ", candidate " + std::to_string(running.front()->trials.size() + 1) + " (" +
               (running.size() == 1 ? running.front()->running->candidate.name()
                                    : std::to_string(running.size()) + " partitions") +
               ")";
    }
    return to_string(state.stage) + " round " + std::to_string(state.round + 1);
}

std::vector<std::byte> SearchState::to_bytes() const {
    ByteWriter out;
    tree.write(out);
    out.put(std::uint64_t{models.size()});
    for (auto const& spec : specs) out.put_text(spec.text);
    for (auto const& model : models) model.write(out);
    out.put(std::uint64_t{choices.size()});
    for (auto const& choice : choices) choice.write(out);
    out.put(stage);
    out.put(round);
    out.put(position);
    out.put(loglh);
    out.put(round_start);
    out.put(steps);
    out.put(evaluations);
    out.put_all(std::span(waiting));
    out.put(losses);
    out.put(home.has_value());
    if (home) {
        home->tree.write(out);
        out.put(home->loglh);
        out.put(home->fingerprint);
    }
    out.put_all(std::span(tried));
    out.put(successes);
    out.put(failures);
    out.put_all(std::span(alrt));
    return out.take();
}

SearchState SearchState::from_bytes(std::span<std::byte const> bytes) {
    ByteReader in(bytes);
    SearchState state(msa::Tree::read(in));
    state.models.resize(in.get_count(1));
    for (std::size_t q = 0; q < state.models.size(); ++q) {
        state.specs.push_back(likelihood::parse_model(in.get_text()));
    }
    for (auto& model : state.models) model = Model::read(in);
    state.choices.resize(in.get_count(1));
    for (auto& choice : state.choices) choice = PartitionChoice::read(in);
    state.stage = in.get<Stage>();
    if (state.stage > Stage::done) throw InputError("there is no stage of a search with this number");
    state.round = in.get<std::uint32_t>();
    state.position = in.get<std::uint64_t>();
    state.loglh = in.get<double>();
    state.round_start = in.get<double>();
    state.steps = in.get<std::uint64_t>();
    state.evaluations = in.get<std::uint64_t>();
    state.waiting = in.get_all<msa::HalfEdge>();
    state.losses = in.get<Losses>();
    if (in.get_flag()) {
        auto tree = msa::Tree::read(in);
        auto const loglh = in.get<double>();
        state.home = Home{std::move(tree), loglh, in.get<std::uint64_t>()};
    }
    state.tried = in.get_all<std::uint64_t>();
    state.successes = in.get<std::uint64_t>();
    state.failures = in.get<std::uint64_t>();
    state.alrt = in.get_all<double>();
    return state;
}

SearchState start_state(Goal goal, msa::Tree tree, std::vector<ModelSpec> specs, std::vector<Model> models) {
    SearchState state(std::move(tree));
    state.specs = std::move(specs);
    state.models = std::move(models);
    state.stage = first_stage(goal);
    state.loglh = state.round_start = -std::numeric_limits<double>::infinity();
    return state;
}

void begin_model_choice(SearchState& state, std::span<std::size_t const> partitions,
                        std::span<CountedData const> counted) {
    for (auto q : partitions) {
        state.choices.push_back(begin_choice(q, state.specs[q].alphabet, counted[q], state.tree));
    }
    state.stage = Stage::model_choice;
}

Subject subject(SearchState const& state, BranchLinkage linkage) {
    if (state.stage != Stage::model_choice) {
        std::vector<std::size_t> all(state.specs.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        return {std::move(all), state.tree, state.specs, state.models, linkage};
    }
    auto const choices = unfinished(state.choices);
    auto const num_sets = checked_cast<std::uint32_t>(choices.size());
    Subject result{{}, state.tree.with_length_sets(num_sets), {}, {}, BranchLinkage::unlinked};
    auto const edges = state.tree.edges();
    for (std::uint32_t set = 0; set < num_sets; ++set) {
        auto const& fit = *choices[set]->running;
        result.partitions.push_back(choices[set]->partition);
        result.specs.push_back(likelihood::parse_model(fit.candidate.name()));
        result.models.push_back(fit.model);
        for (std::size_t i = 0; i < edges.size(); ++i) result.tree.set_length(edges[i], fit.lengths[i], set);
    }
    return result;
}

std::uint32_t default_starts(Effort effort, std::uint32_t num_tips) {
    if (num_tips < 5) return 1;
    switch (effort) {
        case Effort::fast:
            return 1;
        case Effort::normal:
            return num_tips < 20 ? 1 : num_tips < 100 ? 2 : 3;
        case Effort::thorough:
            return 10;
    }
    return 1;
}

SearchState start_fusing(SearchState best) {
    enter(best, Stage::fusing);
    best.successes = best.failures = 0;
    return best;
}

SearchState start_support(SearchState best) {
    enter(best, Stage::support);
    return best;
}

void advance(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    auto const evaluations_before = likelihood.evaluations();
    bool const chooses = state.stage == Stage::model_choice;
    switch (state.stage) {
        case Stage::model_choice:
            advance_choice(state, likelihood, options);
            break;
        case Stage::rough_model:
            advance_model(state, likelihood, options.rough_epsilon);
            break;
        case Stage::near_spr:
            advance_spr(state, likelihood, options, std::min(near_radius, options.spr_radius));
            break;
        case Stage::far_spr:
            advance_spr(state, likelihood, options, options.spr_radius);
            break;
        case Stage::model:
            advance_model(state, likelihood, options.least_gain);
            break;
        case Stage::fusing:
            advance_fusing(state, likelihood, options);
            break;
        case Stage::escapes:
            advance_escapes(state, likelihood, options);
            break;
        case Stage::final_model:
            advance_model(state, likelihood, options.final_epsilon);
            break;
        case Stage::support:
            advance_support(state, likelihood, options);
            break;
        case Stage::done:
            REGRAFT_EXPECTS(!"a step after the last one");
    }
    if (state.stage == Stage::support && options.rell_samples == nullptr) enter(state, Stage::done);
    if (!chooses) {
        if (state.stage == Stage::done) finish(state, likelihood, options);
        state.tree = likelihood.tree();
        state.models = likelihood.models();
    }
    ++state.steps;
    state.evaluations += likelihood.evaluations() - evaluations_before;
}

}  // namespace regraft::search
