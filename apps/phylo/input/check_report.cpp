#include "input/check_report.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "input/site_weights.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t line_width = 110;
constexpr std::size_t partitions_shown = 20;

std::string wrapped(std::string_view text, std::size_t indent) {
    std::string result;
    auto room = line_width - indent;
    while (text.size() > room) {
        auto const blank = text.rfind(' ', room);
        auto const end = blank == std::string_view::npos || blank == 0 ? text.find(' ', room) : blank;
        if (end == std::string_view::npos) break;
        result.append(text.substr(0, end)).append("\n").append(indent, ' ');
        text.remove_prefix(end + 1);
    }
    return result.append(text);
}

std::string to_text(msa::Finding const& finding) {
    constexpr std::size_t indent = 9;
    // The place is written as InputError writes it.
    auto const text =
        finding.where.file.empty() ? finding.text : std::string(InputError(finding.where, finding.text).what());
    return fmt::format("{:<{}}{}\n", name(finding.severity), indent, wrapped(text, indent));
}

/// A table of the first partitions, and the number of the others.
std::string partition_table(CheckedInput const& input) {
    auto const shown = std::span(input.partitions).first(std::min(input.partitions.size(), partitions_shown));
    std::size_t name_width = std::string_view("partition").size();
    std::size_t model_width = std::string_view("model").size();
    for (auto const& partition : shown) {
        name_width = std::max(name_width, partition.name.size());
        model_width = std::max(model_width, partition.model.size());
    }
    auto const row = [&](auto const& name, auto const& model, auto const& sites, auto const& patterns,
                         auto const& invariant) {
        return fmt::format("{:<{}}  {:<{}}  {:>9}  {:>9}  {:>9}\n", name, name_width, model, model_width, sites,
                           patterns, invariant);
    };
    auto text = row("partition", "model", "sites", "patterns", "invariant");
    for (std::size_t q = 0; q < shown.size(); ++q) {
        auto const& counts = input.census.partitions[q];
        text += row(shown[q].name, shown[q].model, weight_of(shown[q], input.site_weights), counts.num_patterns,
                    counts.invariant_sites);
    }
    auto const more = input.partitions.size() - shown.size();
    return more == 0 ? text : text + fmt::format("... and {} more\n", more);
}

std::string verdict(Options const& options, CheckedInput const& input) {
    auto const count = [&](msa::Severity severity) {
        return std::ranges::count(input.findings, severity, &msa::Finding::severity);
    };
    auto const warnings = count(msa::Severity::warning);
    if (!input.can_be_searched()) return "This cannot be searched: mend what is called an error first.\n";
    std::string text =
        warnings == 0 ? "This can be searched.\n" : "This can be searched, but read the warnings first.\n";
    bool const is_reducible =
        input.census.twins.size() + input.census.gap_taxa.size() + input.census.gap_sites.size() > 0;
    if (is_reducible && options.input.reduced.empty())
        text +=
            "--reduced FILE writes the alignment without duplicate sequences, and without taxa and sites that are all "
            "gaps.\n";
    return text;
}

template <class Taxa>
Json names(CheckedInput const& input, Taxa const& taxa) {
    auto list = Json::array();
    for (auto taxon : taxa) list.push_back(input.alignment.names[taxon]);
    return list;
}

Json to_json(msa::Finding const& finding) {
    Json json{{"severity", name(finding.severity)}, {"check", finding.check}, {"text", finding.text}};
    if (finding.where.line > 0) {
        json["line"] = finding.where.line;
        json["column"] = finding.where.column;
    }
    return json;
}

Json partition_to_json(CheckedInput const& input, std::size_t q) {
    auto const& counts = input.census.partitions[q];
    return {{"name", input.partitions[q].name},
            {"model", input.partitions[q].model},
            {"sites", weight_of(input.partitions[q], input.site_weights)},
            {"patterns", counts.num_patterns},
            {"invariant_sites", counts.invariant_sites},
            {"taxa_without_data", counts.empty_taxa.count + input.census.gap_taxa.size()},
            {"model_parameters", likelihood::free_parameters(input.specs[q])}};
}

}  // namespace

std::string check_text(Options const& options, CheckedInput const& input) {
    auto text = fmt::format("{}: {} taxa, {} sites{}\n\n", options.input.source().string(), input.alignment.num_taxa(),
                            input.census.num_sites, input.origin_of_sites);
    if (!input.partitions.empty()) text += partition_table(input) + '\n';
    if (options.input.model.empty() && !input.has_partitions && !input.partitions.empty())
        text += fmt::format("No --model was given: {} fits these characters.\n\n", input.partitions[0].model);
    for (auto const& finding : input.findings) text += to_text(finding);
    return text + (input.findings.empty() ? "" : "\n") + verdict(options, input);
}

std::string check_json(Options const& options, CheckedInput const& input) {
    Json json{{"program", "regraft-phylo"},
              {"version", REGRAFT_VERSION},
              {"command", "check"},
              {"msa", options.input.source().string()},
              {"taxa", input.alignment.num_taxa()},
              {"sites", input.census.num_sites},
              {"can_be_searched", input.can_be_searched()},
              {"findings", Json::array()},
              {"partitions", Json::array()},
              {"same_sequences", Json::array()},
              {"taxa_without_data", names(input, input.census.gap_taxa)},
              {"sites_without_data", Json::array()}};
    for (auto const& finding : input.findings) json["findings"].push_back(to_json(finding));
    for (std::size_t q = 0; q < input.partitions.size(); ++q) json["partitions"].push_back(partition_to_json(input, q));
    auto const& twins = input.census.twins;
    for (std::size_t i = 0; i < twins.size(); ++i) json["same_sequences"].push_back(names(input, twins[i]));
    for (auto site : input.census.gap_sites) json["sites_without_data"].push_back(site + 1);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace regraft::phylo
