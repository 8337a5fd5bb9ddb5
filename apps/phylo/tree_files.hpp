// The output files that contain trees.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "input.hpp"
#include "report.hpp"
#include "support_labels.hpp"

namespace regraft::phylo {

/// PREFIX + extension, and what is in it.
struct OutputFile {
    char const* extension;
    std::string text;
};

/// All that a job may write. Those it does not write it must not leave from an earlier one.
std::vector<char const*> output_extensions();

/// Whether the outgroup is one in the tree: an edge cuts it off from all others. Precondition: there is one.
bool is_clade(msa::Tree const& tree, Dataset const& dataset);

/// Newick text with mean branch lengths over the partitions' sites, rooted at the outgroup if there is one, or at the
/// first of it if it is no clade.
std::string newick(Dataset const& dataset, msa::Tree const& tree);

/// The same with a label per inner edge, as supports in the order of Tree::edges() say.
std::string labelled(Dataset const& dataset, msa::Tree const& tree, std::span<double const> supports, SupportForm form);

/// .bestTree, .svg; of several starts .mlTrees; of a bootstrap .bootstraps, .support (percent of the replicates, which
/// the picture shows, too), .supportTBE and .consensus (extended majority rule); .supportAlrt (percent).
std::vector<OutputFile> tree_files(Dataset const& dataset, Result const& result);

}  // namespace regraft::phylo
