// A tree as NEXUS, with supports that programs such as FigTree show.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace regraft::phylo {

/// A NEXUS text with blocks TAXA and TREES. newick: one tree, as msa::to_newick writes it. Labels of its inner nodes
/// become annotations: "95/99" is [&K="95/99",K1=95,K2=99], where K is key, and "95" is [&K=95].
std::string nexus_tree(std::string_view newick, std::span<std::string const> taxa, std::string_view key);

}  // namespace regraft::phylo
