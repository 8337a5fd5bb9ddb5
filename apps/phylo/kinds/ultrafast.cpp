// The ultrafast bootstrap of the best tree.
#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "kinds/kinds.hpp"
#include "regraft/core/random.hpp"
#include "regraft/msa/support.hpp"
#include "report/agreement.hpp"
#include "report/tree_files.hpp"

namespace regraft::phylo {
namespace {

class UltrafastKind final : public SingleKind {
public:
    using SingleKind::SingleKind;
    bool is_wanted() const override { return plan_.options.supports.ultrafast_replicates > 0; }
    std::string name(std::uint32_t) const override { return "ultrafast bootstrap"; }
    void change(SearchOptions& options, std::uint32_t, Progress const& progress) const override {
        options.others = plan_.other_trees(progress);
        auto const& base = base_of(progress);
        if (&base != &plan_.best(progress)) options.others.push_back(plan_.best(progress).tree);
        for (auto const* pilot : pilots(progress)) {
            if (pilot != &base) options.others.push_back(pilot->tree);
        }
    }
    SearchState first_state(std::uint32_t, Progress const& progress, StartSites const*) const override {
        return start_ultrafast(base_of(progress));
    }
    bool needs_samples() const override { return true; }
    /// The replicates of the bootstrap with the same numbers.
    void sample(Samples& samples, SiteSampler const& sites,
                std::vector<std::vector<std::uint64_t>> mine) const override {
        samples.replicates.emplace(sites, std::move(mine), plan_.options.supports.ultrafast_replicates,
                                   mix(plan_.options.search.seed));
    }
    bool does(SearchState const& state) const override { return std::holds_alternative<Ultrafast>(state.task); }
    void expect(Expected& expected, std::uint32_t) const override {
        expected.num_replicates = plan_.options.supports.ultrafast_replicates;
    }
    void add_to(Result& result, Progress const& progress) override {
        if (!is_wanted()) return;
        auto const trees = trees_of(progress);
        auto const supports = msa::edge_support(result.state.tree, trees, msa::SupportMetric::felsenstein);
        auto const agreement = agreement_of_halves(trees);
        bool const is_enough = agreement >= enough_agreement;
        auto const high = std::ranges::count_if(supports, [](double support) { return support >= 0.95; });
        result.lines.push_back(fmt::format(
            "{} inner edges have ultrafast support of 95 % and more, by {} replicates, halves of which correlate by "
            "{:.4f}{}",
            high, trees.size(), agreement, is_enough ? ": these suffice" : ": more are needed"));
        result.citations.emplace_back("ultrafast bootstrap: Minh et al. 2013, Hoang et al. 2018");
        result.json.emplace_back([count = trees.size(), agreement, is_enough](Json& json, Result const&) {
            json["ultrafast_bootstrap"] = {
                {"replicates", count}, {"halves_correlation", agreement}, {"converged", is_enough}};
        });
        add_support(result, plan_.dataset,
                    {"ultrafast", ".supportUltrafast", SupportForm::percent,
                     "percentage of ultrafast bootstrap trees with this branch", supports});
        result.files.push_back(
            {".ufboot", [this, &progress](Result const&) { return newick_lines(plan_.dataset, trees_of(progress)); }});
    }

private:
    std::vector<SearchState const*> pilots(Progress const& progress) const {
        std::vector<SearchState const*> result;
        auto const count = plan_.num_pilots(progress);
        for (std::uint32_t i = 0; i < count; ++i) result.push_back(progress.find({Purpose::pilot, i}));
        return result;
    }
    /// The search whose tree the replicates rearrange: the best one. If trees were only evaluated, a pilot may be
    /// better, and rearrangements of a bad tree lead to no good ones.
    SearchState const& base_of(Progress const& progress) const {
        auto const* base = &plan_.best(progress);
        if (plan_.searches()) return *base;
        for (auto const* pilot : pilots(progress)) {
            if (pilot->loglh > base->loglh) base = pilot;
        }
        return *base;
    }
    static std::vector<msa::Tree> trees_of(Progress const& progress) {
        std::vector<msa::Tree> trees;
        for (auto const& one : progress.find({Purpose::ultrafast})->as<Ultrafast>().replicates)
            trees.push_back(one.tree);
        return trees;
    }
};

}  // namespace

std::unique_ptr<Kind> ultrafast_kind(Plan const& plan) {
    return std::make_unique<UltrafastKind>(plan);
}

}  // namespace regraft::phylo
