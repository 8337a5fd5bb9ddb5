// The steps of the choice of models: rounds of optimisation for the candidates that are tried side by side.
#include "regraft/search/tasks/choice.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "regraft/search/search_options.hpp"
#include "search/tasks/checks.hpp"
#include "search/tasks/rounds.hpp"

namespace regraft::search {
namespace {

ft::FailPhase choice_phase("model_choice");

/// Pointers to the choices whose trials have not all ended, in their order. Choices: a vector of PartitionChoice.
template <class Choices>
auto unfinished(Choices& choices) {
    std::vector<decltype(&choices.front())> result;
    for (auto& choice : choices) {
        if (choice.running) result.push_back(&choice);
    }
    return result;
}

/// Applies the choices. What follows is the same as if the chosen models had been given, bit by bit.
void apply(std::vector<PartitionChoice> const& choices, Estimate& now, SearchOptions const& options) {
    for (auto const& choice : choices) {
        auto const q = choice.partition;
        auto const best = best_trial(choice.trials, {options.criterion, options.sites_per_partition[q]});
        now.specs[q] = likelihood::parse_model(choice.trials[best].candidate.name());
        now.models[q] = start_model(now.specs[q], options.counted[q]);
    }
}

void end_trials(Choice& task, Estimate& now, SearchOptions const& options) {
    for (auto* choice : unfinished(task.choices)) {
        auto const q = choice->partition;
        end_trial(*choice, *options.candidates[q], options.counted[q],
                  {options.criterion, options.sites_per_partition[q]});
    }
    task.round = 0;
    task.position = 0;
    if (task.is_done()) apply(task.choices, now, options);
}

/// Keeps the log-likelihoods of the running trials. Returns the greatest gain.
double keep_loglh(Choice& task, Estimate& now, DistributedLikelihood& likelihood) {
    auto const loglh = likelihood.partition_loglh();
    double gain = 0;
    auto next = loglh.begin();
    for (auto* choice : unfinished(task.choices)) {
        gain = std::max(gain, *next - choice->running->loglh);
        choice->running->loglh = *next++;
    }
    now.loglh = std::accumulate(loglh.begin(), loglh.end(), 0.0);
    return gain;
}

/// Copies the models and branch lengths of the likelihood into the running trials.
void keep_fits(Choice& task, Estimate const& now, DistributedLikelihood const& likelihood) {
    auto const edges = now.tree.edges();
    std::uint32_t set = 0;
    for (auto* choice : unfinished(task.choices)) {
        choice->running->model = likelihood.model(set);
        for (std::size_t i = 0; i < edges.size(); ++i)
            choice->running->lengths[i] = likelihood.tree().length(edges[i], set);
        ++set;
    }
}

void check_fit(Fit const& fit, std::size_t partition, msa::Tree const& tree, Expected const& expected) {
    check_model(likelihood::parse_model(fit.candidate.name()), fit.model, expected.counted[partition]);
    require(fit.lengths.size() == tree.num_edges(), "that tries a model with more or fewer branches");
    check_lengths(fit.lengths, "that tries a model with an impossible branch length");
}

/// Checks a choice. The order in which candidates are tried follows from the results of earlier ones.
void check_choice(PartitionChoice const& choice, msa::Tree const& tree, Expected const& expected) {
    auto const q = choice.partition;
    Measure const measure{expected.criterion, expected.num_sites[q]};
    auto const trials = std::span(choice.trials);
    auto const& candidates = *expected.candidates[q];
    auto const next_after = [&](std::size_t tried) { return next_candidate(candidates, trials.first(tried), measure); };
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

}  // namespace

bool Choice::is_done() const {
    return unfinished(choices).empty();
}

std::string Choice::describe() const {
    auto const running = unfinished(choices);
    if (running.empty()) return "done";
    return "model choice, candidate " + std::to_string(running.front()->trials.size() + 1) + " (" +
           (running.size() == 1 ? running.front()->running->candidate.name()
                                : std::to_string(running.size()) + " partitions") +
           ")";
}

/// The steps of a round are as for given models. Rounds continue as long as they pay for one of the candidates.
void Choice::step(Estimate& now, DistributedLikelihood& likelihood, SearchOptions const& options) {
    likelihood.reach(choice_phase.before);
    if (round == 0 && position == 0) static_cast<void>(keep_loglh(*this, now, likelihood));
    bool const round_ended = optimise_next(position, likelihood, options.choice_epsilon);
    likelihood.reach(choice_phase.inside);
    bool const goes_on = round_ended && (keep_loglh(*this, now, likelihood) >= options.choice_epsilon ||
                                         leave_maximum(likelihood, options.choice_epsilon));
    keep_fits(*this, now, likelihood);
    if (goes_on) {
        position = 0;
        ++round;
    } else if (round_ended) {
        end_trials(*this, now, options);
    }
    likelihood.reach(choice_phase.after);
}

Subject Choice::subject(Estimate const& now, BranchLinkage linkage) const {
    auto const running = unfinished(choices);
    if (running.empty()) return whole_subject(now, linkage);
    auto const num_sets = checked_cast<std::uint32_t>(running.size());
    Subject result{{}, now.tree.with_length_sets(num_sets), {}, {}, BranchLinkage::unlinked};
    auto const edges = now.tree.edges();
    for (std::uint32_t set = 0; set < num_sets; ++set) {
        auto const& fit = *running[set]->running;
        result.subsets.push_back({checked_cast<std::uint32_t>(running[set]->partition)});
        result.specs.push_back(likelihood::parse_model(fit.candidate.name()));
        result.models.push_back(fit.model);
        for (std::size_t i = 0; i < edges.size(); ++i) result.tree.set_length(edges[i], fit.lengths[i], set);
    }
    return result;
}

void Choice::check(Estimate const& now, Expected const& expected) const {
    std::vector<std::size_t> partitions;
    for (auto const& choice : choices) partitions.push_back(choice.partition);
    require(partitions == expected.automatic, "that chooses models of other partitions");
    for (auto const& choice : choices) check_choice(choice, now.tree, expected);
}

void Choice::write(ByteWriter& out) const {
    out.put(std::uint64_t{choices.size()});
    for (auto const& choice : choices) choice.write(out);
    out.put(round);
    out.put(position);
}

Choice Choice::read(ByteReader& in) {
    Choice task;
    task.choices.resize(in.get_count(1));
    for (auto& choice : task.choices) choice = PartitionChoice::read(in);
    task.round = in.get<std::uint32_t>();
    task.position = in.get<std::uint64_t>();
    return task;
}

}  // namespace regraft::search
