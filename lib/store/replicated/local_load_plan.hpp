// The transfers of one member in a load that is not planned as a whole.
#pragma once

#include "regraft/core/block_sizes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/placement/directory.hpp"
#include "regraft/schedule/local_senders.hpp"

namespace regraft::store {

/// wanted: row i for PE i. Both ends cut a transfer at seams, if there are any.
inline schedule::LocalSenders plan_load_locally(placement::Directory const& directory, BlockSizes const& sizes,
                                                PeId self, CsrView<BlockRange> wanted, schedule::LocalRule rule = {}) {
    rule.node_of = directory.node_of();
    auto const held = directory.held(self);
    auto const holders_of = [&](BlockRange blocks, schedule::VisitHolders const& visit) {
        directory.visit(blocks, [&](placement::Run const& run) { visit(run.blocks, run.holders); });
    };
    return schedule::choose_senders_locally(self, wanted, held, holders_of, sizes, rule);
}

}  // namespace regraft::store
