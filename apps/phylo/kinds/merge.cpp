// The merging of partitions on the best tree.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "kinds/kinds.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/search/merging.hpp"

namespace regraft::phylo {
namespace {

std::vector<std::string> names_of(Dataset const& dataset, Subset const& subset) {
    std::vector<std::string> names;
    for (auto q : subset) names.push_back(dataset.partitions[q].name);
    return names;
}

std::string name_of_subset(Dataset const& dataset, Subset const& subset) {
    return fmt::format("{}", fmt::join(names_of(dataset, subset), "+"));
}

Json to_json(SchemeValue const& value, std::size_t num_subsets, std::uint64_t num_sites) {
    auto const all = scores(value, num_sites);
    return {{"subsets", num_subsets},
            {"log_likelihood", value.loglh},
            {"parameters", value.parameters},
            {"aic", all.aic},
            {"aicc", all.aicc},
            {"bic", all.bic}};
}

/// The best scheme as partitions, each named after those that became one, as in "gene1+gene2", with the model that they
/// had in the partition file.
std::vector<msa::PartitionSpec> best_scheme(Dataset const& dataset, Merging const& merging) {
    std::vector<msa::PartitionSpec> scheme;
    std::set<std::string> names;
    for (auto const& fit : merging.scheme) {
        auto& merged = scheme.emplace_back();
        merged.model = dataset.partitions[fit.subset.front()].model;
        merged.name = name_of_subset(dataset, fit.subset);
        while (!names.insert(merged.name).second) merged.name += '+';
        for (auto q : fit.subset) std::ranges::copy(dataset.partitions[q].sites, std::back_inserter(merged.sites));
    }
    return scheme;
}

/// What was merged, and the scores before and after it.
std::vector<std::string> merge_lines(Dataset const& dataset, Merging const& merging, Criterion criterion) {
    auto const num_sites = dataset.num_sites();
    auto const line = [&](std::string const& what, SchemeValue const& value) {
        return fmt::format("  {:<44}  {:>16.4f}  {:>10}  {:>14.4f}", what, value.loglh, value.parameters,
                           scores(value, num_sites).by(criterion));
    };
    std::vector<std::string> lines{
        fmt::format("{} partitions became {} subsets; {} unions tried", dataset.partitions.size(),
                    merging.scheme.size(), merging.num_tried),
        fmt::format("  {:<44}  {:>16}  {:>10}  {:>14}", "scheme", "log-likelihood", "parameters", name(criterion)),
        line("as given", merging.given)};
    for (auto const& [first, second, value] : merging.merges)
        lines.push_back(
            line(fmt::format("{} with {}", name_of_subset(dataset, first), name_of_subset(dataset, second)), value));
    lines.push_back(line("best, all optimised", merging.best));
    for (auto const& fit : merging.scheme) lines.push_back("  subset " + name_of_subset(dataset, fit.subset));
    return lines;
}

/// The values of both schemes, the rounds, and the subsets of the best scheme.
Json to_json(Dataset const& dataset, Merging const& merging, Options const& options) {
    auto const num_sites = dataset.num_sites();
    auto left = dataset.partitions.size();
    Json json{{"criterion", name(options.input.criterion)},
              {"share", options.merge.share},
              {"sites", num_sites},
              {"unions_tried", merging.num_tried},
              {"given", to_json(merging.given, left, num_sites)},
              {"best", to_json(merging.best, merging.scheme.size(), num_sites)},
              {"merges", Json::array()},
              {"scheme", Json::array()}};
    for (auto const& [first, second, value] : merging.merges) {
        auto merge = to_json(value, --left, num_sites);
        merge["first"] = names_of(dataset, first);
        merge["second"] = names_of(dataset, second);
        json["merges"].push_back(std::move(merge));
    }
    auto const scheme = best_scheme(dataset, merging);
    for (std::size_t i = 0; i < scheme.size(); ++i) {
        auto const& subset = merging.scheme[i].subset;
        json["scheme"].push_back(
            {{"name", scheme[i].name}, {"model", scheme[i].model}, {"partitions", names_of(dataset, subset)}});
    }
    return json;
}

class MergeKind final : public SingleKind {
public:
    using SingleKind::SingleKind;
    bool is_wanted() const override { return plan_.merges(); }
    std::string name(std::uint32_t) const override { return ""; }
    void change(SearchOptions& options, std::uint32_t, Progress const&) const override {
        options.merging = merge_options();
    }
    SearchState first_state(std::uint32_t, Progress const& progress, StartSites const*) const override {
        return start_merging(plan_.best(progress));
    }
    bool does(SearchState const& state) const override { return std::holds_alternative<Merging>(state.task); }
    void expect(Expected& expected, std::uint32_t) const override { expected.merging = merge_options(); }
    std::vector<std::string> lines(std::span<Item const>, Progress const& progress) override {
        return merge_lines(plan_.dataset, merging(progress), plan_.options.input.criterion);
    }
    void add_to(Result& result, Progress const& progress) override {
        if (!is_wanted()) return;
        auto const& found = merging(progress);
        result.citations.emplace_back("merging of partitions: Lanfear et al. 2012, 2014");
        result.files.push_back(
            {".bestScheme", [this, &found](Result const&) { return msa::to_text(best_scheme(plan_.dataset, found)); }});
        result.json.emplace_back([this, &found](Json& json, Result const&) {
            json["merging"] = to_json(plan_.dataset, found, plan_.options);
        });
    }

private:
    static Merging const& merging(Progress const& progress) { return progress.find({Purpose::merge})->as<Merging>(); }
    /// The options of merging. Partitions may be merged if they have the same model, or both have `auto`. A partition
    /// with a correction for sites that were left out stays alone, because the number of those sites belongs to it.
    MergeOptions merge_options() const {
        auto const& dataset = plan_.dataset;
        MergeOptions result{.share = plan_.options.merge.share, .kinds = {}, .work = {}};
        std::map<std::string, std::uint32_t> kinds;
        auto const specs = plan_.first_specs();
        for (std::uint32_t q = 0; q < specs.size(); ++q) {
            auto const& spec = specs[q];
            auto name = (is_automatic(dataset.partitions[q]) ? "auto " : "") + spec.text;
            if (spec.ascertainment != likelihood::Ascertainment::none) name += fmt::format(" {}", q);
            result.kinds.push_back(kinds.try_emplace(name, kinds.size()).first->second);
            auto const patterns = dataset.partition_begin[q + 1] - dataset.partition_begin[q];
            result.work.push_back(patterns * spec.num_states() * spec.num_site_categories());
        }
        return result;
    }
};

}  // namespace

std::unique_ptr<Kind> merge_kind(Plan const& plan) {
    return std::make_unique<MergeKind>(plan);
}

}  // namespace regraft::phylo
