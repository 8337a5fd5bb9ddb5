// The command concordance: how many gene trees and sites agree with each edge of a tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "regraft/msa/concordance.hpp"
#include "regraft/msa/general_tree.hpp"
#include "trees/tree_options.hpp"

namespace regraft::phylo {

/// What is known of the inner edges of a reference, in the order of msa::inner_edges.
struct Concordance {
    std::vector<msa::GeneCounts> genes;
    std::vector<msa::SiteFactors> sites;
    std::optional<std::uint64_t> num_trees;  // none: there are no gene trees
    std::optional<std::uint64_t> num_sites;  // none: there is no alignment
    std::uint64_t skipped = 0;               // number of records of VCF that are no SNPs
};

/// Compares the reference with the gene trees and the alignment of the options. Throws InputError.
Concordance find_concordance(TreeOptions const& options, msa::GeneralTree const& reference,
                             std::vector<std::string> const& taxa);

/// The labels of the nodes below the edges: "gCF/sCF" in percent, or one of both.
std::vector<std::string> factor_labels(msa::GeneralTree const& reference, Concordance const& found);
/// The labels of the nodes below the edges: their numbers in the table.
std::vector<std::string> number_labels(msa::GeneralTree const& reference);

/// The table, with the columns of IQ-TREE: a line per inner edge, and one above them.
std::string concordance_table(msa::GeneralTree const& reference, Concordance const& found);
/// The same for programs.
std::string concordance_json(TreeOptions const& options, msa::GeneralTree const& reference,
                             std::vector<std::string> const& taxa, Concordance const& found);
/// One line for people.
std::string concordance_summary(Concordance const& found);

}  // namespace regraft::phylo
