#include "report/tree_files.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "regraft/msa/consensus.hpp"
#include "regraft/msa/newick.hpp"
#include "trees/support_labels.hpp"
#include "trees/tree_picture.hpp"

namespace regraft::phylo {
namespace {

/// The tree with one length set: means over the partitions' sites.
msa::Tree with_mean_lengths(Dataset const& dataset, msa::Tree const& tree) {
    if (tree.num_length_sets() == 1) return tree;
    auto mean = tree;
    auto const sites = static_cast<double>(dataset.num_sites());
    for (auto h : mean.edges()) {
        double length = 0;
        for (std::uint32_t set = 0; set < mean.num_length_sets(); ++set) {
            length += tree.length(h, set) * static_cast<double>(dataset.sites_per_partition[set]);
        }
        mean.set_length(h, length / sites);
    }
    return mean;
}

/// The outgroup or, if that is no clade, its first taxon.
std::span<std::uint32_t const> usable_outgroup(msa::Tree const& tree, Dataset const& dataset) {
    std::span<std::uint32_t const> const outgroup = dataset.outgroup;
    return outgroup.size() > 1 && !is_clade(tree, dataset) ? outgroup.first(1) : outgroup;
}

/// The child of node 0 above all of the outgroup; none without one.
std::optional<std::uint32_t> stem_of(msa::GeneralTree const& tree, std::span<std::uint32_t const> outgroup) {
    if (outgroup.empty()) return std::nullopt;
    auto v = static_cast<std::uint32_t>(std::ranges::find(tree.taxon, outgroup.front()) - tree.taxon.begin());
    while (tree.parent[v] != 0) v = tree.parent[v];
    return v;
}

/// The text of the tree without inner branches whose mean length is at most `length`. The outgroup keeps its branch.
std::string text_of_collapsed(msa::Tree const& tree, msa::Tree const& with_means, double length,
                              std::span<std::string const> taxa, msa::NewickFeatures const& features) {
    auto [form, node_of_edge] = msa::to_general(tree, features.set);
    auto mean = msa::to_general(with_means).tree;  // the same nodes
    if (!features.labels.empty()) form.label.resize(form.num_nodes());
    for (std::size_t i = 0; i < features.labels.size(); ++i) {
        if (!form.is_tip(node_of_edge[i])) form.label[node_of_edge[i]] = features.labels[i];
    }
    if (!features.outgroup.empty()) {
        form = msa::hung_up_at(form, features.outgroup, taxa);
        mean = msa::hung_up_at(mean, features.outgroup, taxa);
    }
    auto removed = msa::inner_edges(form);
    auto const stem = stem_of(form, features.outgroup);
    std::erase_if(removed, [&](std::uint32_t v) { return v == stem || !(mean.length[v] <= length); });
    return msa::to_newick(msa::without_edges(form, removed), taxa);
}

/// The text of the tree, rooted at the outgroup.
std::string text_of(msa::Tree const& tree, Dataset const& dataset, msa::NewickFeatures features = {}) {
    features.outgroup = usable_outgroup(tree, dataset);
    if (!dataset.collapse) return msa::to_newick(tree, dataset.taxa, features);
    return text_of_collapsed(tree, with_mean_lengths(dataset, tree), *dataset.collapse, dataset.taxa, features);
}

/// The node that two edges share.
msa::Node common_node(msa::Tree const& tree, msa::HalfEdge a, msa::HalfEdge b) {
    auto const node = tree.node(a);
    return node == tree.node(b) || node == tree.node(tree.back(b)) ? node : tree.node(tree.back(a));
}

/// The nodes of a tree in the order of the nodes of its general form. Each label there is the position of an edge in
/// tree.edges().
std::vector<msa::Node> nodes_of(msa::Tree const& tree, msa::GeneralTree const& form) {
    auto const edges = tree.edges();
    auto const edge = [&](std::uint32_t v) { return edges[std::stoul(form.label[v])]; };
    auto const children = form.children();
    std::vector<msa::Node> nodes{common_node(tree, edge(children[0][0]), edge(children[0][1]))};
    for (std::uint32_t v = 1; v < form.num_nodes(); ++v) {
        auto const node = tree.node(edge(v));
        nodes.push_back(node == nodes[form.parent[v]] ? tree.node(tree.back(edge(v))) : node);
    }
    return nodes;
}

/// The tree with the lengths of each partition, in the order of the partitions.
std::string partition_trees(Dataset const& dataset, msa::Tree const& tree) {
    std::string lines;
    for (std::uint32_t set = 0; set < tree.num_length_sets(); ++set) {
        lines += text_of(tree, dataset, {.set = set}) + '\n';
    }
    return lines;
}

/// What stands at the inner edges of the best tree, and what it means.
struct TreeSupport {
    std::vector<std::string> labels;  // per edge; none without supports
    std::string meaning;
};

/// All supports in percent, divided by '/' as in IQ-TREE: SH-aLRT, ultrafast bootstrap, bootstrap.
TreeSupport support_of(Result const& result) {
    TreeSupport all;
    for (auto const& support : std::views::reverse(result.supports)) {
        if (support.meaning.empty()) continue;
        auto const labels = support_labels(support.values, SupportForm::percent);
        all.labels.resize(labels.size());
        for (std::size_t i = 0; i < labels.size(); ++i) {
            auto& label = all.labels[i];
            label += (label.empty() || labels[i].empty() ? "" : "/") + labels[i];
        }
        all.meaning += (all.meaning.empty() ? "" : " / ") + support.meaning;
    }
    return all;
}

/// The best tree with its supports.
std::string best_tree(Dataset const& dataset, Result const& result) {
    auto const support = support_of(result);
    return text_of(with_mean_lengths(dataset, result.state.tree), dataset, {.labels = support.labels}) + '\n';
}

std::string picture(Dataset const& dataset, Result const& result) {
    auto const title = fmt::format("{} taxa, {} sites, log-likelihood {:.4f}", dataset.taxa.size(), dataset.num_sites(),
                                   result.state.loglh);
    auto const [labels, meaning] = support_of(result);
    return tree_svg(with_mean_lengths(dataset, result.state.tree), dataset.taxa, labels,
                    {.title = title, .outgroup = dataset.outgroup, .numbers = meaning});
}

}  // namespace

bool is_clade(msa::Tree const& tree, Dataset const& dataset) {
    try {
        static_cast<void>(msa::hung_up_at(msa::to_general(tree).tree, dataset.outgroup, dataset.taxa));
        return true;
    } catch (InputError const&) {
        return false;
    }
}

std::string labelled(Dataset const& dataset, msa::Tree const& tree, std::span<double const> supports,
                     SupportForm form) {
    auto const labels = support_labels(supports, form);
    return text_of(with_mean_lengths(dataset, tree), dataset, {.labels = labels});
}

std::string newick(Dataset const& dataset, msa::Tree const& tree) {
    return text_of(with_mean_lengths(dataset, tree), dataset);
}

std::string newick_of_gene(Dataset const& dataset, std::size_t gene, msa::Tree const& tree,
                           std::span<double const> supports) {
    std::vector<std::string> names;
    for (auto const t : dataset.taxa_of_gene[gene]) names.push_back(dataset.taxa[t]);
    auto const labels = support_labels(supports, SupportForm::percent);
    msa::NewickFeatures const features{.labels = labels};
    return dataset.collapse ? text_of_collapsed(tree, tree, *dataset.collapse, names, features)
                            : msa::to_newick(tree, names, features);
}

std::string with_node_names(Dataset const& dataset, msa::Tree const& tree, std::span<std::string const> names) {
    auto [form, node_of_edge] = msa::to_general(with_mean_lengths(dataset, tree));
    form.label.resize(form.num_nodes());
    for (std::size_t i = 0; i < node_of_edge.size(); ++i) form.label[node_of_edge[i]] = std::to_string(i);
    auto const outgroup = usable_outgroup(tree, dataset);
    if (!outgroup.empty()) form = msa::hung_up_at(form, outgroup, dataset.taxa);
    auto const nodes = nodes_of(tree, form);
    for (std::uint32_t v = 0; v < form.num_nodes(); ++v)
        form.label[v] = form.is_tip(v) ? "" : names[nodes[v] - tree.num_tips()];
    return msa::to_newick(form, dataset.taxa);
}

std::string newick_lines(Dataset const& dataset, std::span<msa::Tree const> trees) {
    std::string lines;
    for (auto const& tree : trees) lines += newick(dataset, tree) + '\n';
    return lines;
}

std::string consensus(Dataset const& dataset, std::span<msa::Tree const> replicates) {
    std::vector<msa::GeneralTree> trees;
    for (auto const& tree : replicates) trees.push_back(msa::to_general(with_mean_lengths(dataset, tree)).tree);
    auto consensus = msa::consensus(trees, msa::extended_majority_rule);
    consensus.tree.label = support_labels(consensus.support, SupportForm::percent);
    return msa::to_newick(consensus.tree, dataset.taxa) + '\n';
}

void add_support(Result& result, Dataset const& dataset, Support support) {
    auto const number = result.supports.size();
    result.files.push_back({support.extension, [&dataset, number](Result const& r) {
                                auto const& one = r.supports[number];
                                return labelled(dataset, r.state.tree, one.values, one.form) + '\n';
                            }});
    result.supports.push_back(std::move(support));
}

std::vector<OutputFile> tree_files(Dataset const& dataset, Result const& result) {
    if (!result.has_tree) return {};
    std::vector<OutputFile> files{{".bestTree", [&dataset](Result const& r) { return best_tree(dataset, r); }},
                                  {".svg", [&dataset](Result const& r) { return picture(dataset, r); }}};
    if (result.state.tree.num_length_sets() > 1)
        files.push_back(
            {".bestPartitionTrees", [&dataset](Result const& r) { return partition_trees(dataset, r.state.tree); }});
    return files;
}

}  // namespace regraft::phylo
