// To which members blocks go that a member gives: to those that hold them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regraft/ft/communicator.hpp"
#include "regraft/placement/directory.hpp"

namespace regraft::store {

/// Calls visit(rank, blocks) for what the sender gives to each holder, itself included; touching blocks are joined.
/// What goes to one member ascends. Blocks that nobody holds go to the sender itself. given: ascending, disjoint.
template <class Visit>
void visit_outgoing(ft::Communicator const& comm, placement::Directory const& directory, std::size_t sender,
                    std::span<BlockRange const> given, Visit visit) {
    std::vector<BlockRange> open(comm.size());  // for each member: the piece that may still grow
    auto const give = [&](std::size_t rank, BlockRange blocks) {
        auto& piece = open[rank];
        if (piece.last == blocks.first && !piece.empty()) {
            piece.last = blocks.last;
            return;
        }
        if (!piece.empty()) visit(rank, piece);
        piece = blocks;
    };
    for (auto const& range : given) {
        directory.visit(range, [&](placement::Run const& run) {
            for (auto const holder : run.holders) give(comm.position(holder), run.blocks);
            if (run.holders.empty()) give(sender, run.blocks);
        });
    }
    for (std::size_t rank = 0; rank < open.size(); ++rank) {
        if (!open[rank].empty()) visit(rank, open[rank]);
    }
}

}  // namespace regraft::store
