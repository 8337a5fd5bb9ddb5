#include "report/tree_files.hpp"

#include <cmath>
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

/// The text of the tree, rooted at the outgroup or, if that is no clade, at its first taxon.
std::string text_of(msa::Tree const& tree, Dataset const& dataset, msa::NewickFeatures features = {}) {
    features.outgroup = dataset.outgroup;
    if (features.outgroup.size() > 1 && !is_clade(tree, dataset)) features.outgroup = features.outgroup.first(1);
    return msa::to_newick(tree, dataset.taxa, features);
}

/// The tree with the lengths of each partition, in the order of the partitions.
std::string partition_trees(Dataset const& dataset, msa::Tree const& tree) {
    std::string lines;
    for (std::uint32_t set = 0; set < tree.num_length_sets(); ++set) {
        lines += text_of(tree, dataset, {.set = set}) + '\n';
    }
    return lines;
}

template <class Trees>
std::string lines_of(Dataset const& dataset, Trees const& trees) {
    std::string lines;
    for (auto const& tree : trees) lines += newick(dataset, tree) + '\n';
    return lines;
}

std::string consensus_of(Dataset const& dataset, std::span<msa::Tree const> replicates) {
    std::vector<msa::GeneralTree> trees;
    for (auto const& tree : replicates) trees.push_back(msa::to_general(with_mean_lengths(dataset, tree)).tree);
    auto consensus = msa::consensus(trees, msa::extended_majority_rule);
    consensus.tree.label = support_labels(consensus.support, SupportForm::percent);
    return msa::to_newick(consensus.tree, dataset.taxa) + '\n';
}

std::string picture(Dataset const& dataset, Result const& result) {
    auto const title = fmt::format("{} taxa, {} sites, log-likelihood {:.4f}", dataset.taxa.size(), dataset.num_sites(),
                                   result.state.loglh);
    std::vector<double> percents;
    for (auto const support : result.supports.felsenstein) percents.push_back(std::round(100 * support));
    return tree_svg(
        with_mean_lengths(dataset, result.state.tree), dataset.taxa, percents,
        {.title = title, .outgroup = dataset.outgroup, .numbers = "percentage of bootstrap trees with this branch"});
}

}  // namespace

std::vector<char const*> output_extensions() {
    return {".bestTree",     ".bestPartitionTrees", ".svg",         ".bestModel", ".mlTrees", ".bootstraps",
            ".support",      ".supportTBE",         ".supportAlrt", ".consensus", ".test",    ".siteLH",
            ".profile.json", ".profile.svg",        ".json",        ".log"};
}

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

std::vector<OutputFile> tree_files(Dataset const& dataset, Result const& result) {
    std::vector<OutputFile> files{{".bestTree", newick(dataset, result.state.tree) + '\n'},
                                  {".svg", picture(dataset, result)}};
    if (result.state.tree.num_length_sets() > 1) {
        files.push_back({".bestPartitionTrees", partition_trees(dataset, result.state.tree)});
    }
    if (result.starts.size() > 1) {
        std::vector<msa::Tree> trees;
        for (auto const& start : result.starts) trees.push_back(start.state.tree);
        files.push_back({".mlTrees", lines_of(dataset, trees)});
    }
    if (!result.replicates.empty()) {
        files.push_back({".bootstraps", lines_of(dataset, result.replicates)});
        files.push_back(
            {".support",
             labelled(dataset, result.state.tree, result.supports.felsenstein, SupportForm::percent) + '\n'});
        files.push_back({".supportTBE",
                         labelled(dataset, result.state.tree, result.supports.transfer, SupportForm::fraction) + '\n'});
        files.push_back({".consensus", consensus_of(dataset, result.replicates)});
    }
    if (!result.supports.alrt.empty()) {
        files.push_back(
            {".supportAlrt", labelled(dataset, result.state.tree, result.supports.alrt, SupportForm::percent) + '\n'});
    }
    return files;
}

}  // namespace regraft::phylo
