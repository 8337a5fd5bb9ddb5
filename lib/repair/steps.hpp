// Turns pieces into what they shall become, in steps, as far as room allows at every moment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "regraft/repair/plan.hpp"
#include "repair/pieces.hpp"

namespace regraft::repair {

/// The bytes that every member holds, and that it may hold.
struct Fill {
    std::vector<std::uint64_t> used;
    std::vector<std::uint64_t> room;  // empty: no limit

    std::uint64_t left(Member member) const {
        if (room.empty()) return std::numeric_limits<std::uint64_t>::max();
        return room[member] - std::min(room[member], used[member]);
    }
};

/// Blocks and the members that get copies of them, without senders.
struct Move {  // NOLINT(bugprone-exception-escape): see MemberSet
    BlockRange blocks;
    MemberSet holders;  // before the step
    Member receiver = 0;
};

struct Moves {
    std::vector<Move> copies;
    std::vector<Drop> drops;
};

/// Turns `before` into `after` step by step. In each step come all copies for which their receivers have room, and then
/// all drops that leave a block at least as many copies as it has before or after, whichever is less. Ends when
/// everything is done or nothing more is possible, and sets `after` to what was reached. Cuts pieces if only some of
/// their blocks can be moved. Updates fill.used.
std::vector<Moves> carry_out(std::vector<PlannedBlocks>& pieces, Fill& fill, Units const& units,
                             std::span<PeId const> members);

}  // namespace regraft::repair
