// Finds histories of the columns of an alignment along the tree, with as few or as cheap changes as possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/native/edge_weights.hpp"
#include "codec/native/history.hpp"
#include "codec/native/native_block.hpp"
#include "codec/native/native_input.hpp"
#include "regraft/codec/columns.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::codec {

/// The sites of a block and their histories.
struct BlockHistory {
    History classes;
    History residues;
    Csr<std::uint8_t> direct;  // per site the visible residues, if they are coded one by one; otherwise empty
};

/// Appends histories of the sites of a block to out, with the fewest changes of classes and of residues.
void find_fewest(NativeInput const& input, std::size_t block, BlockHistory& out);

/// Finds histories with the fewest changes and then, with more effort, the cheapest ones, by the costs that follow from
/// the histories so far.
std::vector<BlockHistory> find_histories(NativeInput const& input, Effort effort);

/// The costs of changes of residues that follow from the histories.
ChangeCosts change_costs(NativeInput const& input, std::vector<BlockHistory> const& histories);

/// The probability of each edge for a change of residues.
EdgeWeights residue_weights(NativeInput const& input, std::vector<BlockHistory> const& histories);
/// The probability of each edge for a change of classes where the site before has none.
EdgeWeights class_weights(NativeInput const& input, std::vector<BlockHistory> const& histories);

/// Calls take(step) for each site with its differences from the one before.
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
