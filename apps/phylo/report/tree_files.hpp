// The output files that contain trees.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "input/input.hpp"
#include "report/report.hpp"
#include "trees/support_labels.hpp"

namespace regraft::phylo {

/// An output file: PREFIX + extension, and its contents.
struct OutputFile {
    char const* extension;
    std::string text;
};

/// The extensions of all files that a job may write. Files that it does not write must not remain from an earlier job.
std::vector<char const*> output_extensions();

/// Whether the outgroup is a clade of the tree: an edge separates it from all other taxa. Precondition: there is an
/// outgroup.
bool is_clade(msa::Tree const& tree, Dataset const& dataset);

/// Newick text with mean branch lengths over the partitions' sites. It is rooted at the outgroup, if there is one, or
/// at its first taxon if it is no clade.
std::string newick(Dataset const& dataset, msa::Tree const& tree);

/// The same with a label per inner edge; supports are in the order of Tree::edges().
std::string labelled(Dataset const& dataset, msa::Tree const& tree, std::span<double const> supports, SupportForm form);

/// The same with a name at each inner node instead; names are in the order of the numbers of inner nodes.
std::string with_node_names(Dataset const& dataset, msa::Tree const& tree, std::span<std::string const> names);

/// The files with trees: .bestTree and .svg, both with all supports; for several starts .mlTrees; for a bootstrap
/// .bootstraps, .support (percent of the replicates, also in the picture), .supportTBE and .consensus (extended
/// majority rule); for the ultrafast bootstrap .ufboot and .supportUltrafast (percent); .supportAlrt (percent).
std::vector<OutputFile> tree_files(Dataset const& dataset, Result const& result);

}  // namespace regraft::phylo
