// What happened to the columns of an alignment along the tree, as few changes or as cheap ones as can be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/edge_weights.hpp"
#include "codec/history.hpp"
#include "codec/native_block.hpp"
#include "codec/native_source.hpp"
#include "regraft/codec/columns.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::codec {

/// The sites of a block and what happened to them.
struct BlockHistory {
    History classes;
    History residues;
    Csr<std::uint8_t> direct;  // per site the residues that show, if they are coded one by one; else none
};

/// Appends the sites of a block to out: the fewest changes of classes and of residues.
void find_fewest(Source const& source, std::size_t block, BlockHistory& out);

/// The fewest changes; then, with more effort, the cheapest, by what they cost given the histories so far.
std::vector<BlockHistory> find_histories(Source const& source, Effort effort);

/// What a change of residues costs, as the histories suggest.
ChangeCosts change_costs(Source const& source, std::vector<BlockHistory> const& histories);

/// How likely each edge is to be drawn: for residues that change,
EdgeWeights residue_weights(Source const& source, std::vector<BlockHistory> const& histories);
/// and for classes that change where they did not at the site before.
EdgeWeights class_weights(Source const& source, std::vector<BlockHistory> const& histories);

/// Calls take(step) for what is different at each site from the one before.
template <class Take>
void for_each_step(History const& classes, Take take) {
    ClassState state;
    for (std::size_t site = 0; site < classes.root.size(); ++site) {
        auto const step = state.step_to(classes.root[site], classes.changes[site]);
        take(step);
        state.apply(step);
    }
}

}  // namespace regraft::codec
