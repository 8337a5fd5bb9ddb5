// Guide trees: found by parsimony, or read from a Newick text.
#include "regraft/codec/guide_tree.hpp"

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/newick.hpp"
#include "regraft/msa/parsimony.hpp"

namespace regraft::codec {

RootedTree guide_tree(msa::Alignment const& alignment, GuideOptions const& options) {
    auto const num_taxa = checked_cast<std::uint32_t>(alignment.num_taxa());
    if (num_taxa < 3) return trivial_tree(num_taxa);
    msa::ParsimonySites const sites(alignment, character_table(alignment));
    auto const start = stepwise_addition(sites, options.seed);
    return hang_up(shorten_by_spr(start, sites, {.radius = options.spr_radius, .rounds = options.spr_rounds}));
}

RootedTree guide_tree_from_newick(std::string_view text, std::string const& file, std::span<std::string const> names) {
    REGRAFT_EXPECTS(!names.empty());
    msa::NewickOptions const options{.multifurcations = msa::Multifurcations::resolved};
    if (names.size() >= 3) return hang_up(parse_newick(text, file, names, options));
    check_newick(text, file, names, options);
    return trivial_tree(static_cast<std::uint32_t>(names.size()));
}

std::string to_newick(RootedTree const& tree, std::span<std::string const> names) {
    REGRAFT_EXPECTS(names.size() == tree.num_tips());
    std::string text;
    std::vector<std::uint32_t> open;  // inner nodes above the current one
    for (std::uint32_t v = 0; v < tree.num_nodes(); ++v) {
        for (; !open.empty() && open.back() != tree.parent[v]; open.pop_back()) text += ')';
        if (v > 0 && tree.parent[v] != v - 1) text += ',';
        if (tree.is_tip(v)) {
            text += msa::newick_label(names[tree.row_of_tip[tree.first_tip[v]]]);
        } else {
            text += '(';
            open.push_back(v);
        }
    }
    return text.append(open.size(), ')') + ';';
}

}  // namespace regraft::codec
