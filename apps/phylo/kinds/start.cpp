// The starts: searches, or evaluations, from the trees that a job begins with.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "kinds/kinds.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/msa/difficulty.hpp"
#include "report/tree_files.hpp"

namespace regraft::phylo {
namespace {

Goal goal_of(Command command) {
    switch (command) {
        case Command::search:
            return Goal::tree;
        case Command::evaluate:
        case Command::test:
        case Command::merge:
            return Goal::evaluation;
        case Command::loglh:
        case Command::genes:  // only models are chosen on it
        case Command::check:
            break;
    }
    return Goal::likelihood;
}

/// The sum of the branch lengths, as a mean over the partitions' sites.
double total_length(msa::Tree const& tree, Dataset const& dataset) {
    double sum = 0;
    double sites = 0;
    for (std::uint32_t set = 0; set < tree.num_length_sets(); ++set) {
        auto const weight = static_cast<double>(dataset.sites_per_partition[set]);
        for (auto const h : tree.edges()) sum += weight * tree.length(h, set);
        sites += weight;
    }
    return sum / sites;
}

/// A table of trees that were evaluated, with their differences to the likeliest.
std::string tree_table(std::span<SearchState const* const> found, Dataset const& dataset) {
    auto const best = std::ranges::max(found, {}, &SearchState::loglh)->loglh;
    std::string text = "tree\tlog_likelihood\tdifference\tlength\n";
    for (std::size_t i = 0; i < found.size(); ++i) {
        text += fmt::format("{}\t{:.17g}\t{:.6f}\t{:.6f}\n", i + 1, found[i]->loglh, best - found[i]->loglh,
                            total_length(found[i]->tree, dataset));
    }
    return text;
}

class StartKind final : public Kind {
public:
    using Kind::Kind;
    std::uint32_t wanted(Progress const& progress) override { return plan_.num_starts(progress); }
    std::uint32_t most() const override { return checked_cast<std::uint32_t>(starts().size()); }
    std::string name(std::uint32_t number) const override {
        if (most() == 1) return "";
        return (plan_.searches() ? "start " : "") + to_string(starts()[number]);
    }
    void change(SearchOptions& options, std::uint32_t number, Progress const&) const override {
        options.seed = seed_of(starts()[number], plan_.options.search.seed);
        options.patience = patience(plan_.options.search.effort, most() > 1);
        if (plan_.options.input.fix_lengths) options.lengths = Lengths::fixed;
    }
    bool needs_sites(std::uint32_t number, Progress const&) const override {
        bool const is_by_parsimony = plan_.constraint() == nullptr && starts()[number].kind == Start::Kind::parsimony;
        return is_by_parsimony || finds_difficulty(number);
    }
    SearchState first_state(std::uint32_t number, Progress const& progress, StartSites const* sites) const override {
        auto const start = starts()[number];
        auto specs = plan_.first_specs();
        if (auto const* const choice = progress.find({Purpose::model_choice})) specs = choice->specs;
        auto tree = plan_.tree_of(start, seed_of(start, plan_.options.search.seed), sites);
        auto models = start_models(specs, plan_.dataset.counted);
        auto state = start_state(goal_of(plan_.options.command), std::move(tree), std::move(specs), std::move(models));
        if (finds_difficulty(number))
            state.as<Climb>().difficulty = msa::difficulty(sites->patterns, plan_.options.search.seed, sites->sum);
        return state;
    }
    std::vector<std::string> lines(std::span<Item const> items, Progress const& progress) override {
        std::vector<std::string> lines;
        for (auto const item : items) {
            if (most() > 1) lines.push_back(fmt::format("{}: {:.6f}", name(item.number), progress.find(item)->loglh));
        }
        return lines;
    }
    void add_to(Result& result, Progress const& progress) override {
        if (plan_.finds_genes()) return;
        std::vector<SearchState const*> found;
        for (std::uint32_t i = 0; i < plan_.num_starts(progress); ++i)
            found.push_back(progress.find({Purpose::start, i}));
        if (found.size() > 1) {
            if (plan_.searches()) {
                auto const worst = std::ranges::min(found, {}, &SearchState::loglh)->loglh;
                result.lines.push_back(fmt::format("best of {} starts, of which the worst ended {:.3f} below",
                                                   found.size(), result.state.loglh - worst));
            }
            if (plan_.options.command == Command::evaluate) {
                result.files.push_back(
                    {".treeTable", [this, found](Result const&) { return tree_table(found, plan_.dataset); }});
            }
            result.files.push_back({".mlTrees", [this, found](Result const&) {
                                        std::vector<msa::Tree> trees;
                                        for (auto const* state : found) trees.push_back(state->tree);
                                        return newick_lines(plan_.dataset, trees);
                                    }});
        }
        if (plan_.options.asks_for_difficulty())
            result.lines.push_back(
                fmt::format("difficulty of the data {:.2f}, from 0 (all short trees are alike) to 1 (none are)",
                            found.front()->as<Climb>().difficulty));
        result.json.emplace_back([this, found](Json& json, Result const&) {
            for (std::size_t i = 0; i < found.size(); ++i) {
                Json start{{"start", to_string(starts()[i])}, {"log_likelihood", found[i]->loglh}};
                if (plan_.options.command == Command::evaluate)
                    start["length"] = total_length(found[i]->tree, plan_.dataset);
                start["evaluations"] = found[i]->evaluations;
                json["starts"].push_back(std::move(start));
            }
            if (plan_.options.asks_for_difficulty()) json["difficulty"] = found.front()->as<Climb>().difficulty;
        });
    }

private:
    std::vector<Start> const& starts() const { return plan_.start_trees.starts; }
    /// Whether this start finds the difficulty of the data, on which the number of starts depends.
    bool finds_difficulty(std::uint32_t number) const { return number == 0 && plan_.options.asks_for_difficulty(); }
};

}  // namespace

std::unique_ptr<Kind> start_kind(Plan const& plan) {
    return std::make_unique<StartKind>(plan);
}

}  // namespace regraft::phylo
