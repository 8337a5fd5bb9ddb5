// The choice of models.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "kinds/kinds.hpp"

namespace regraft::phylo {
namespace {

/// A trial of one partition with its scores; the best comes first.
struct RankedModel {
    TriedModel trial;
    Scores scores;
    double weight = 0;
};

std::vector<RankedModel> ranked(Dataset const& dataset, PartitionChoice const& choice, Criterion criterion) {
    auto const num_sites = dataset.sites_per_partition[choice.partition];
    auto const all_weights = weights(choice.trials, {criterion, num_sites});
    std::vector<RankedModel> result;
    for (std::size_t i = 0; i < choice.trials.size(); ++i) {
        result.push_back({choice.trials[i], scores(choice.trials[i], num_sites), all_weights[i]});
    }
    std::ranges::stable_sort(result, {}, [&](RankedModel const& r) { return r.scores.by(criterion); });
    return result;
}

/// Per partition the best ten of the models that were tried, and the number of trials.
std::vector<std::string> choice_lines(Dataset const& dataset, std::span<PartitionChoice const> choices,
                                      std::span<ModelSpec const> chosen, Criterion criterion) {
    constexpr std::size_t shown = 10;
    std::vector<std::string> lines;
    for (auto const& choice : choices) {
        auto const trials = ranked(dataset, choice, criterion);
        lines.push_back(fmt::format("partition {}: {} of {} models has the lowest {}",
                                    dataset.partitions[choice.partition].name, chosen[choice.partition].text,
                                    trials.size(), name(criterion)));
        lines.push_back(fmt::format("  {:<22}  {:>16}  {:>10}  {:>14}  {:>6}", "model", "log-likelihood", "parameters",
                                    name(criterion), "weight"));
        for (std::size_t i = 0; i < std::min(trials.size(), shown); ++i) {
            auto const& [trial, scores, weight] = trials[i];
            lines.push_back(fmt::format("  {:<22}  {:>16.4f}  {:>10}  {:>14.4f}  {:>6.3f}", trial.candidate.name(),
                                        trial.loglh, trial.parameters, scores.by(criterion), weight));
        }
    }
    return lines;
}

Json choice_to_json(Dataset const& dataset, SearchState const& state, PartitionChoice const& choice,
                    Criterion criterion) {
    Json json{{"partition", dataset.partitions[choice.partition].name},
              {"criterion", name(criterion)},
              {"chosen", state.specs[choice.partition].text},
              {"candidates", Json::array()}};
    for (auto const& [trial, scores, weight] : ranked(dataset, choice, criterion)) {
        json["candidates"].push_back({{"model", trial.candidate.name()},
                                      {"log_likelihood", trial.loglh},
                                      {"parameters", trial.parameters},
                                      {"aic", scores.aic},
                                      {"aicc", scores.aicc},
                                      {"bic", scores.bic},
                                      {"weight", weight}});
    }
    return json;
}

class ChoiceKind final : public SingleKind {
public:
    using SingleKind::SingleKind;
    bool is_wanted() const override { return plan_.chooses(); }
    std::string name(std::uint32_t) const override { return ""; }
    bool needs_sites(std::uint32_t, Progress const&) const override {
        return plan_.constraint() == nullptr && plan_.start_trees.starts.front().kind == Start::Kind::parsimony;
    }
    SearchState first_state(std::uint32_t, Progress const&, StartSites const* sites) const override {
        auto const& dataset = plan_.dataset;
        auto tree = plan_.tree_of(plan_.start_trees.starts.front(), plan_.options.search.seed, sites);
        auto specs = plan_.first_specs();
        auto models = start_models(specs, dataset.counted);
        return start_choice(start_state(Goal::likelihood, std::move(tree), std::move(specs), std::move(models)),
                            dataset.automatic(), dataset.candidates, dataset.counted);
    }
    bool does(SearchState const& state) const override { return std::holds_alternative<Choice>(state.task); }
    std::vector<std::string> lines(std::span<Item const>, Progress const& progress) override {
        auto const& state = *progress.find({Purpose::model_choice});
        return choice_lines(plan_.dataset, state.as<Choice>().choices, state.specs, plan_.options.input.criterion);
    }
    void add_to(Result& result, Progress const& progress) override {
        if (!is_wanted()) return;
        auto const& chosen = *progress.find({Purpose::model_choice});
        result.json.emplace_back([this, &chosen](Json& json, Result const& r) {
            for (auto const& choice : chosen.as<Choice>().choices)
                json["model_choice"].push_back(
                    choice_to_json(plan_.dataset, r.state, choice, plan_.options.input.criterion));
        });
    }
};

}  // namespace

std::unique_ptr<Kind> choice_kind(Plan const& plan) {
    return std::make_unique<ChoiceKind>(plan);
}

}  // namespace regraft::phylo
