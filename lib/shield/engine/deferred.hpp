// Actions after nonblocking operations.
#pragma once

#include <functional>
#include <utility>

#include "shield/engine/lane.hpp"

namespace regraft::shield {

/// An action that all members of a lane carry out together after a nonblocking operation of theirs.
struct Deferred {
    using Place = std::pair<LaneId, OperationNumber>;  // defines an order that is the same on all members

    Lane const* lane = nullptr;
    OperationNumber after = 0;
    bool is_due = false;  // all members know that all have come to it, or will
    std::function<void()> action;

    Place place() const { return {lane->id, after}; }
};

}  // namespace regraft::shield
