#include "trees/concordance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/alignment_input.hpp"
#include "common/input.hpp"
#include "common/words.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/newick.hpp"

namespace regraft::phylo {
namespace {

using msa::GeneralTree;
using Json = nlohmann::ordered_json;

/// Numbers of gene trees: all decisive ones, and those that are concordant, discordant in one of two ways, or
/// otherwise.
struct GeneNumbers {
    explicit GeneNumbers(msa::GeneCounts const& counts)
        : decisive(counts.decisive),
          parts{counts.concordant, counts.alternative[0], counts.alternative[1],
                counts.decisive - counts.concordant - counts.alternative[0] - counts.alternative[1]} {}

    std::optional<double> percent(std::size_t part) const {
        if (decisive == 0) return std::nullopt;
        return 100 * static_cast<double>(parts[part]) / static_cast<double>(decisive);
    }

    std::uint64_t decisive;
    std::array<std::uint64_t, 4> parts;
};
constexpr std::array gene_names{"gCF", "gDF1", "gDF2", "gDFP"};
constexpr std::array site_names{"sCF", "sDF1", "sDF2"};

/// The share of sites in percent, if there are any sites.
std::optional<double> percent(msa::SiteFactors const& factors, std::size_t part) {
    if (factors.decisive == 0) return std::nullopt;
    return 100 * factors.share[part];
}

double all_sites(msa::SiteFactors const& factors) {
    return factors.sites[0] + factors.sites[1] + factors.sites[2];
}

std::string label(std::optional<double> percent) {
    return percent ? fmt::format("{:.3g}", *percent) : "NA";
}

/// A number with two decimals at most.
std::string cell(std::optional<double> number) {
    return number ? fmt::format("{}", std::round(100 * *number) / 100) : "NA";
}

/// The states of the reference's taxa. found: gets the numbers of sites and of skipped records.
msa::SiteStates read_states(TreeOptions const& options, std::vector<std::string> const& taxa, Concordance& found) {
    auto const [alignment, partitions, skipped] = common::read_alignment(options.msa.string(), options.reading);
    auto const characters = msa::character_table(alignment);
    found.num_sites = alignment.num_sites();
    found.skipped = skipped;
    std::map<std::string_view, std::size_t> row_of;
    for (std::size_t i = 0; i < alignment.num_taxa(); ++i) row_of.emplace(alignment.names[i], i);
    std::vector<std::vector<msa::StateMask>> rows;
    for (auto const& taxon : taxa) {
        auto const place = row_of.find(taxon);
        if (place == row_of.end())
            throw InputError({options.msa.string()},
                             "lacks taxon '" + taxon + "', expected all taxa of " + options.tree.string());
        auto& row = rows.emplace_back();
        for (char const c : alignment.row(place->second))
            row.push_back(characters.states[static_cast<unsigned char>(c)]);
    }
    return msa::SiteStates(rows);
}

/// The taxa on the smaller side of the edge above each node; of equal sides, the one below.
std::vector<std::vector<std::uint32_t>> smaller_sides(GeneralTree const& tree) {
    std::vector<std::vector<std::uint32_t>> below(tree.num_nodes());
    for (auto v = tree.num_nodes(); v-- > 1;) {
        if (tree.is_tip(v)) below[v] = {tree.taxon[v]};
        auto& above = below[tree.parent[v]];
        above.insert(above.end(), below[v].begin(), below[v].end());
        std::ranges::sort(below[v]);
    }
    std::ranges::sort(below[0]);
    for (std::uint32_t v = 1; v < tree.num_nodes(); ++v) {
        if (2 * below[v].size() <= below[0].size()) continue;
        std::vector<std::uint32_t> others;
        std::ranges::set_difference(below[0], below[v], std::back_inserter(others));
        below[v] = std::move(others);
    }
    return below;
}

Json number_or_null(std::optional<double> number) {
    return number ? Json(std::stod(fmt::format("{:.6g}", *number))) : Json();
}

Json to_json(GeneNumbers const& genes) {
    Json json{{"decisive", genes.decisive}};
    for (std::size_t k = 0; k < gene_names.size(); ++k) {
        json[gene_names[k]] = number_or_null(genes.percent(k));
        json[std::string(gene_names[k]) + "_N"] = genes.parts[k];
    }
    return json;
}

Json to_json(msa::SiteFactors const& sites) {
    Json json{{"sites", number_or_null(all_sites(sites))}, {"quartets_with_sites", sites.decisive}};
    for (std::size_t k = 0; k < site_names.size(); ++k) {
        json[site_names[k]] = number_or_null(percent(sites, k));
        json[std::string(site_names[k]) + "_N"] = number_or_null(sites.sites[k]);
    }
    return json;
}

/// The mean over the edges of which it is known.
template <class Values, class PercentOf>
std::string mean_percent(Values const& values, PercentOf percent_of) {
    double sum = 0;
    std::size_t count = 0;
    for (auto const& value : values) {
        auto const known = percent_of(value);
        sum += known.value_or(0);
        count += known ? 1 : 0;
    }
    return count == 0 ? "no decisive ones" : fmt::format("{:.1f} % on average", sum / static_cast<double>(count));
}

}  // namespace

Concordance find_concordance(TreeOptions const& options, GeneralTree const& reference,
                             std::vector<std::string> const& taxa) {
    Concordance found;
    if (!options.trees.empty()) {
        msa::GeneConcordance genes(reference);
        auto const file = options.trees.string();
        msa::for_each_partial_tree(common::read_text(file), file, taxa, options.tree.string(),
                                   [&](msa::PartialTree const& gene) { genes.add(gene); });
        found.genes.assign(genes.counts().begin(), genes.counts().end());
        found.num_trees = genes.num_trees();
    }
    if (!options.msa.empty()) {
        auto const states = read_states(options, taxa, found);
        found.sites = msa::site_concordance(reference, states, {options.quartets, options.seed});
    }
    return found;
}

std::vector<std::string> factor_labels(GeneralTree const& reference, Concordance const& found) {
    std::vector<std::string> labels(reference.num_nodes());
    auto const edges = inner_edges(reference);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        auto& text = labels[edges[i]];
        if (found.num_trees) text = label(GeneNumbers(found.genes[i]).percent(0));
        if (found.num_sites) text += (text.empty() ? "" : "/") + label(percent(found.sites[i], 0));
    }
    return labels;
}

std::vector<std::string> number_labels(GeneralTree const& reference) {
    std::vector<std::string> labels(reference.num_nodes());
    std::size_t number = 0;
    for (auto const v : inner_edges(reference)) labels[v] = std::to_string(++number);
    return labels;
}

std::string concordance_table(GeneralTree const& reference, Concordance const& found) {
    std::string text = "ID";
    if (found.num_trees) {
        for (auto const* name : gene_names) text += fmt::format("\t{}\t{}_N", name, name);
        text += "\tgN";
    }
    if (found.num_sites) {
        for (auto const* name : site_names) text += fmt::format("\t{}\t{}_N", name, name);
        text += "\tsN";
    }
    text += "\tLength\n";
    auto const edges = inner_edges(reference);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        text += std::to_string(i + 1);
        if (found.num_trees) {
            GeneNumbers const genes(found.genes[i]);
            for (std::size_t k = 0; k < gene_names.size(); ++k)
                text += fmt::format("\t{}\t{}", cell(genes.percent(k)), genes.parts[k]);
            text += fmt::format("\t{}", genes.decisive);
        }
        if (found.num_sites) {
            auto const& sites = found.sites[i];
            for (std::size_t k = 0; k < site_names.size(); ++k)
                text += fmt::format("\t{}\t{}", cell(percent(sites, k)), cell(sites.sites[k]));
            text += "\t" + cell(all_sites(sites));
        }
        auto const length = reference.length[edges[i]];
        text += std::isnan(length) ? "\tNA\n" : fmt::format("\t{:.17g}\n", length);
    }
    return text;
}

std::string concordance_json(TreeOptions const& options, GeneralTree const& reference,
                             std::vector<std::string> const& taxa, Concordance const& found) {
    Json json{{"program", "regraft-phylo"},
              {"version", REGRAFT_VERSION},
              {"command", "concordance"},
              {"tree", options.tree.string()},
              {"taxa", taxa.size()}};
    if (!options.trees.empty()) json["gene_trees"] = *found.num_trees;
    if (!options.msa.empty()) {
        json["sites"] = *found.num_sites;
        if (found.skipped > 0) json["skipped_records"] = found.skipped;
        json["quartets"] = options.quartets;
        json["seed"] = options.seed;
    }
    auto& rows = json["edges"] = Json::array();
    auto const sides = smaller_sides(reference);
    auto const edges = inner_edges(reference);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        auto& row = rows.emplace_back(Json{{"id", i + 1}});
        auto& side = row["split"] = Json::array();
        for (auto const taxon : sides[edges[i]]) side.push_back(taxa[taxon]);
        auto const length = reference.length[edges[i]];
        row["length"] = std::isnan(length) ? Json() : Json(length);
        if (found.num_trees) row["genes"] = to_json(GeneNumbers(found.genes[i]));
        if (found.num_sites) row["sites"] = to_json(found.sites[i]);
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';  // paths need not be UTF-8
}

std::string concordance_summary(Concordance const& found) {
    auto const num_edges = std::max(found.genes.size(), found.sites.size());
    auto text = fmt::format("concordance of {} inner edges", num_edges);
    if (found.num_trees) {
        text += fmt::format(", with {} gene trees: {}", *found.num_trees,
                            mean_percent(found.genes, [](auto const& genes) { return GeneNumbers(genes).percent(0); }));
    }
    if (found.num_sites) {
        text += fmt::format(", with {} sites: {}", *found.num_sites,
                            mean_percent(found.sites, [](auto const& sites) { return percent(sites, 0); }));
    }
    if (found.skipped > 0)
        text += fmt::format(" ({} of VCF skipped that {})", common::counted(found.skipped, "record"),
                            found.skipped == 1 ? "is no SNP" : "are no SNPs");
    return text;
}

}  // namespace regraft::phylo
