// Carries out in steps what pieces shall become, as far as room allows at every moment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "regraft/repair/plan.hpp"
#include "repair/pieces.hpp"

namespace regraft::repair {

/// How many bytes every member holds, and may.
struct Fill {
    std::vector<std::uint64_t> used;
    std::vector<std::uint64_t> room;  // empty: no limit

    std::uint64_t left(Member member) const {
        if (room.empty()) return std::numeric_limits<std::uint64_t>::max();
        return room[member] - std::min(room[member], used[member]);
    }
};

/// Who copies what, without senders.
struct Move {
    BlockRange blocks;
    MemberSet holders;  // before the step
    Member receiver = 0;
};

struct Moves {
    std::vector<Move> copies;
    std::vector<Drop> drops;
};

/// Makes `before` into `after`, step by step: in each all copies for which their receivers have room, then all drops
/// that leave a block as many copies as it has before or after, whichever is less. Ends when all is done or nothing can
/// be, and sets `after` to what was reached; cuts pieces where only some of the blocks can be moved. Updates fill.used.
std::vector<Moves> carry_out(std::vector<Piece>& pieces, Fill& fill, Units const& units, std::span<PeId const> members);

}  // namespace regraft::repair
