// The situation in which a plan is made, and what members hold in it as planned so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "repair/pieces.hpp"
#include "repair/steps.hpp"

namespace regraft::repair {

/// The input of a plan and its intermediate state.
struct Situation {
    Units units;
    std::vector<std::uint32_t> node_of;  // by member, below num_nodes
    std::uint32_t num_nodes = 0;
    bool nodes_matter = false;
    std::size_t replicas = 0;
    Fill fill;
    /// Pieces in the order of the blocks: those with too few copies, or all.
    std::vector<PlannedBlocks> pieces;
};

/// The units that members hold, in a situation whose plan grows.
class Holdings {
public:
    explicit Holdings(Situation& situation);

    Situation const& situation() const { return situation_; }
    std::span<PlannedBlocks> pieces() { return situation_.pieces; }
    std::span<PlannedBlocks const> pieces() const { return situation_.pieces; }
    /// By member.
    std::span<std::uint64_t const> held() const { return held_; }
    /// The room for these units, by member. Without a limit it is the largest number.
    std::vector<std::uint64_t> const& room() const { return room_; }
    bool is_overfull() const;

    /// Whether the blocks of a piece have no bytes.
    bool is_weightless(PlannedBlocks const& piece) const { return situation_.units.of(piece.blocks) == 0; }
    /// The number of nodes without any of these holders.
    std::size_t new_nodes_for(MemberSet const& holders) const;

    /// What becomes of the units that holders lack of their pieces.
    enum class Lack { kept, dropped };
    /// Applies all groups to the plan. Shares of members that are not holders are new copies.
    void apply_all(std::span<Group const> groups, Lack lack);

private:
    Situation& situation_;
    std::vector<std::uint64_t> held_;
    std::vector<std::uint64_t> room_;
};

}  // namespace regraft::repair
