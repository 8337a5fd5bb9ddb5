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

/// Newick text of a tree of a gene, which has the taxa with data there. supports: per edge, in percent at inner edges;
/// empty: none.
std::string newick_of_gene(Dataset const& dataset, std::size_t gene, msa::Tree const& tree,
                           std::span<double const> supports);

/// Lines with the trees.
std::string newick_lines(Dataset const& dataset, std::span<msa::Tree const> trees);

/// The extended majority-rule consensus of the replicates, with percentages of these.
std::string consensus(Dataset const& dataset, std::span<msa::Tree const> replicates);

/// Adds supports, and the file with the best tree that has only these.
void add_support(Result& result, Dataset const& dataset, Support support);

/// The files with the best tree: .bestTree and .svg, both with all supports, and .bestPartitionTrees.
std::vector<OutputFile> tree_files(Dataset const& dataset, Result const& result);

}  // namespace regraft::phylo
