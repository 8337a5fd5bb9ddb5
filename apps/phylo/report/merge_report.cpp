#include "report/merge_report.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace regraft::phylo {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> names_of(Dataset const& dataset, Subset const& subset) {
    std::vector<std::string> names;
    for (auto q : subset) names.push_back(dataset.partitions[q].name);
    return names;
}

std::string name_of(Dataset const& dataset, Subset const& subset) {
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

}  // namespace

std::vector<msa::PartitionSpec> best_scheme(Dataset const& dataset, Merging const& merging) {
    std::vector<msa::PartitionSpec> scheme;
    std::set<std::string> names;
    for (auto const& fit : merging.scheme) {
        auto& merged = scheme.emplace_back();
        merged.model = dataset.partitions[fit.subset.front()].model;
        merged.name = name_of(dataset, fit.subset);
        while (!names.insert(merged.name).second) merged.name += '+';
        for (auto q : fit.subset) std::ranges::copy(dataset.partitions[q].sites, std::back_inserter(merged.sites));
    }
    return scheme;
}

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
        lines.push_back(line(fmt::format("{} with {}", name_of(dataset, first), name_of(dataset, second)), value));
    lines.push_back(line("best, all optimised", merging.best));
    for (auto const& fit : merging.scheme) lines.push_back("  subset " + name_of(dataset, fit.subset));
    return lines;
}

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

}  // namespace regraft::phylo
