#include "trees/tree_commands.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/output.hpp"
#include "common/program.hpp"
#include "files/file_texts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/compare.hpp"
#include "regraft/msa/newick.hpp"
#include "together/by_one.hpp"
#include "trees/concordance.hpp"
#include "trees/nexus_tree.hpp"
#include "trees/support_labels.hpp"

namespace regraft::phylo {
namespace {

using msa::GeneralTree;

/// The files of a command, and its line on standard output.
struct Outcome {
    FileTexts files;
    std::string summary;
};

/// The path of the main output file, whose name begins those of the others.
std::filesystem::path output(TreeOptions const& options) {
    bool const is_of_tree = options.command == TreeCommand::support || options.command == TreeCommand::concordance;
    auto const prefix = options.prefix.empty() ? (is_of_tree ? options.tree : options.trees).string() : options.prefix;
    switch (options.command) {
        case TreeCommand::support:
            return prefix + ".support";
        case TreeCommand::consensus:
            return prefix + ".consensus";
        case TreeCommand::concordance:
            return prefix + ".concordance";
        case TreeCommand::rfdist:
            break;
    }
    return prefix + ".rfDistances";
}

/// The paths of all output files.
std::vector<std::filesystem::path> outputs(TreeOptions const& options) {
    auto const main = output(options);
    std::vector<std::filesystem::path> paths{main};
    if (options.command == TreeCommand::concordance)
        paths.insert(paths.end(), {main.string() + "Edges", main.string() + "Table"});
    if (!options.json.empty()) paths.push_back(options.json);
    return paths;
}

void refuse_existing(TreeOptions const& options) {
    for (auto const& path : outputs(options)) {
        common::refuse_input(path.string(),
                             std::array{options.tree.string(), options.trees.string(), options.msa.string()});
        std::error_code error;
        if (options.redo || !std::filesystem::exists(path, error)) continue;
        throw InputError({path.string()}, "exists already; --redo overwrites it, --prefix chooses another name");
    }
}

/// Reads a file of one tree.
msa::NamedTrees read_reference(std::filesystem::path const& path) {
    auto named = msa::read_named_trees(path);
    if (named.trees.size() == 1) return named;
    throw InputError({path.string()}, "has " + std::to_string(named.trees.size()) + " trees, expected one");
}

/// The text of a tree in the format that was asked for.
std::string written(std::string const& newick, std::vector<std::string> const& taxa, TreeOptions const& options) {
    if (options.format == TreeFormat::newick) return newick + '\n';
    return nexus_tree(newick, taxa, options.command == TreeCommand::concordance ? "concordance" : "support");
}

std::string with_outgroup(GeneralTree const& tree, std::vector<std::string> const& taxa, TreeOptions const& options) {
    if (options.outgroup.empty()) return written(msa::to_newick(tree, taxa), taxa, options);
    std::vector<std::uint32_t> outgroup;
    for (auto const& name : options.outgroup) {
        auto const found = std::ranges::find(taxa, name);
        if (found == taxa.end()) throw InputError("--outgroup: taxon '" + name + "' is not in the tree");
        auto const taxon = static_cast<std::uint32_t>(found - taxa.begin());
        if (std::ranges::find(outgroup, taxon) != outgroup.end()) {
            throw InputError("--outgroup: taxon '" + name + "' is given twice");
        }
        outgroup.push_back(taxon);
    }
    return written(msa::to_newick(msa::hung_up_at(tree, outgroup, taxa), taxa), taxa, options);
}

Outcome make_support(TreeOptions const& options) {
    auto [taxa, trees] = read_reference(options.tree);
    auto& tree = trees[0];
    auto const replicates = msa::read_general_trees(options.trees, taxa, options.tree.string());
    auto const support = msa::edge_support(tree, replicates, options.metric);
    bool const is_share = options.metric == msa::SupportMetric::felsenstein;
    tree.label = support_labels(support, is_share ? SupportForm::percent : SupportForm::fraction);
    double sum = 0;
    std::size_t num_edges = 0;
    std::size_t num_good = 0;
    for (auto const v : inner_edges(tree)) {
        sum += support[v];
        ++num_edges;
        num_good += support[v] >= 0.7 ? 1 : 0;
    }
    auto summary = fmt::format("{} of {} inner edges by {} replicates", is_share ? "support" : "transfer support",
                               num_edges, replicates.size());
    if (num_edges > 0) {
        summary += fmt::format(": {:.1f} % on average, at least 70 % for {} of them",
                               100 * sum / static_cast<double>(num_edges), num_good);
    }
    return {{{output(options), with_outgroup(tree, taxa, options)}}, summary};
}

Outcome make_consensus(TreeOptions const& options) {
    auto const [taxa, trees] = msa::read_named_trees(options.trees);
    auto [tree, support] = msa::consensus(trees, options.threshold);
    tree.label = support_labels(support, SupportForm::percent);
    auto const summary = fmt::format("consensus of {} trees: {} of {} possible inner edges", trees.size(),
                                     inner_edges(tree).size(), taxa.size() - 3);
    return {{{output(options), with_outgroup(tree, taxa, options)}}, summary};
}

/// Distances: either one row from the reference to all trees, or row i from tree i to the trees behind it.
struct DistanceTable {
    std::size_t num_trees = 0;
    std::size_t num_taxa = 0;
    std::size_t num_topologies = 0;
    std::vector<std::vector<std::uint32_t>> rows;

    /// The largest possible distance of binary trees.
    std::size_t most() const { return 2 * (num_taxa - 3); }
    double normalised(double distance) const { return most() == 0 ? 0 : distance / static_cast<double>(most()); }
    /// The mean distance; 0 if there are none.
    double mean() const;
};

double DistanceTable::mean() const {
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
    for (auto const& row : rows) {
        for (auto const distance : row) sum += distance, ++count;
    }
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

std::size_t count_topologies(msa::SplitSets const& trees) {
    auto const first = msa::first_equals(trees);
    std::size_t count = 0;
    for (std::size_t i = 0; i < first.size(); ++i) count += first[i] == i ? 1 : 0;
    return count;
}

DistanceTable distances_to_reference(TreeOptions const& options) {
    auto const reference = read_reference(options.tree);
    auto const trees = msa::read_general_trees(options.trees, reference.taxa, options.tree.string());
    msa::SplitSets sets(static_cast<std::uint32_t>(reference.taxa.size()));
    for (auto const& tree : trees) sets.add(tree);
    DistanceTable table{trees.size(), reference.taxa.size(), count_topologies(sets), {}};
    sets.add(reference.trees[0]);
    auto distances = msa::robinson_foulds(sets, trees.size());
    distances.pop_back();  // the distance to itself
    table.rows.push_back(std::move(distances));
    return table;
}

DistanceTable all_distances(TreeOptions const& options) {
    constexpr std::size_t most_trees = 10'000;
    auto const [taxa, trees] = msa::read_named_trees(options.trees);
    if (trees.size() > most_trees) {
        throw InputError({options.trees.string()},
                         fmt::format("has {} trees, expected at most {} for the distances of all pairs; with --tree "
                                     "there may be any number",
                                     trees.size(), most_trees));
    }
    msa::SplitSets sets(static_cast<std::uint32_t>(taxa.size()));
    for (auto const& tree : trees) sets.add(tree);
    DistanceTable table{trees.size(), taxa.size(), count_topologies(sets), {}};
    for (std::size_t i = 0; i < trees.size(); ++i) table.rows.push_back(msa::robinson_foulds(sets, i, i + 1));
    return table;
}

std::string distance_lines(DistanceTable const& table, bool has_reference) {
    std::string text;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        for (std::size_t k = 0; k < table.rows[i].size(); ++k) {
            auto const distance = table.rows[i][k];
            if (has_reference) {
                fmt::format_to(std::back_inserter(text), "{}", k);
            } else {
                fmt::format_to(std::back_inserter(text), "{}\t{}", i, i + 1 + k);
            }
            fmt::format_to(std::back_inserter(text), "\t{}\t{:.6f}\n", distance, table.normalised(distance));
        }
    }
    return text;
}

std::string to_json(DistanceTable const& table, TreeOptions const& options) {
    using Json = nlohmann::ordered_json;
    Json const summary{{"program", "regraft-phylo"},
                       {"version", REGRAFT_VERSION},
                       {"command", "rfdist"},
                       {"trees", table.num_trees},
                       {"taxa", table.num_taxa},
                       {"reference", options.tree.empty() ? Json() : Json(options.tree.string())},
                       {"unique_topologies", table.num_topologies},
                       {"largest_possible", table.most()},
                       {"mean", table.mean()},
                       {"mean_normalised", table.normalised(table.mean())}};
    auto text = summary.dump(2, ' ', false, Json::error_handler_t::replace);  // paths need not be UTF-8
    text.erase(text.find_last_of('}') - 1);
    text += ",\n  \"distances\": ";
    if (!options.tree.empty()) return text + fmt::format("[{}]\n}}\n", fmt::join(table.rows[0], ","));
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        fmt::format_to(std::back_inserter(text), "{}\n    [{}]", i == 0 ? "[" : ",", fmt::join(table.rows[i], ","));
    }
    return text + "\n  ]\n}\n";
}

Outcome make_distances(TreeOptions const& options) {
    bool const has_reference = !options.tree.empty();
    auto const table = has_reference ? distances_to_reference(options) : all_distances(options);
    Outcome outcome;
    outcome.files.emplace_back(output(options), distance_lines(table, has_reference));
    if (!options.json.empty()) outcome.files.emplace_back(options.json, to_json(table, options));
    outcome.summary =
        fmt::format("{} trees, {} different; Robinson-Foulds distance {} {:.2f} on average ({:.4f} of {})",
                    table.num_trees, table.num_topologies, has_reference ? "to the reference" : "of pairs",
                    table.mean(), table.normalised(table.mean()), table.most());
    return outcome;
}

Outcome make_concordance(TreeOptions const& options) {
    auto [taxa, trees] = read_reference(options.tree);
    auto& tree = trees[0];
    auto const found = find_concordance(options, tree, taxa);
    auto const paths = outputs(options);
    Outcome outcome{{}, concordance_summary(found)};
    tree.label = factor_labels(tree, found);
    outcome.files.emplace_back(paths[0], with_outgroup(tree, taxa, options));
    tree.label = number_labels(tree);
    outcome.files.emplace_back(paths[1], with_outgroup(tree, taxa, options));
    outcome.files.emplace_back(paths[2], concordance_table(tree, found));
    if (!options.json.empty()) outcome.files.emplace_back(options.json, concordance_json(options, tree, taxa, found));
    return outcome;
}

Outcome make_outcome(TreeOptions const& options) {
    switch (options.command) {
        case TreeCommand::support:
            return make_support(options);
        case TreeCommand::consensus:
            return make_consensus(options);
        case TreeCommand::concordance:
            return make_concordance(options);
        case TreeCommand::rfdist:
            break;
    }
    return make_distances(options);
}

void make(TreeOptions const& options) {
    auto const outcome = common::naming_files({options.tree.string(), options.trees.string(), options.msa.string()},
                                              [&] { return make_outcome(options); });
    write_files(outcome.files);
    auto lines = outcome.summary + '\n';
    for (auto const& [path, text] : outcome.files) lines += "written: " + path.string() + '\n';
    common::print(lines);
}

}  // namespace

void run(ft::Communicator* comm, TreeOptions const& options) {
    do_by_one(
        comm, [&] { refuse_existing(options); }, [&] { make(options); });
}

}  // namespace regraft::phylo
