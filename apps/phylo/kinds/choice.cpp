// The choice of models.
#include "kinds/kinds.hpp"

namespace regraft::phylo {
namespace {

class ChoiceKind final : public Kind {
public:
    using Kind::Kind;
    std::uint32_t wanted(Progress const&) override { return most(); }
    std::uint32_t most() const override { return plan_.chooses() ? 1 : 0; }
    std::string name(std::uint32_t) const override { return ""; }
    bool needs_patterns(std::uint32_t, Progress const&) const override {
        return plan_.constraint() == nullptr && plan_.beginnings.starts.front().kind == Start::Kind::parsimony;
    }
    SearchState first_state(std::uint32_t, Progress const&, msa::Patterns const* patterns) const override {
        auto const& dataset = plan_.dataset;
        auto tree = plan_.tree_of(plan_.beginnings.starts.front(), plan_.options.search.seed, patterns);
        auto specs = plan_.first_specs();
        auto models = start_models(specs, dataset.counted);
        return start_choice(start_state(Goal::likelihood, std::move(tree), std::move(specs), std::move(models)),
                            dataset.automatic(), dataset.counted);
    }
    bool does(SearchState const& state) const override { return std::holds_alternative<Choice>(state.task); }
    std::vector<std::string> lines(std::span<Item const>, Progress const& progress) override {
        auto const& state = *progress.find({Purpose::model_choice});
        return choice_lines(plan_.dataset, state.as<Choice>().choices, state.specs, plan_.options.input.criterion);
    }
    void add_to(Result& result, Progress const& progress) override {
        if (most() > 0) result.choices = progress.find({Purpose::model_choice})->as<Choice>().choices;
    }
};

}  // namespace

std::unique_ptr<Kind> choice_kind(Plan const& plan) {
    return std::make_unique<ChoiceKind>(plan);
}

}  // namespace regraft::phylo
