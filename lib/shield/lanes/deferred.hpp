// Actions after nonblocking operations.
#pragma once

#include <functional>
#include <list>
#include <optional>
#include <utility>

#include "shield/lanes/lane.hpp"

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

/// The actions of one process. The caller starts the operations after which they come.
class DeferredActions {
public:
    bool empty() const { return all_.empty(); }
    /// Whether one is being carried out.
    bool is_acting() const { return acting_.has_value(); }
    /// Whether all members have come to defer something, as far as this process knows.
    bool has_due() { return !acting_ && !all_.empty() && next() != nullptr; }
    /// Adds an action. Valid until it is carried out or removed.
    Deferred& add(Lane const& lane, std::function<void()> action);
    void remove(Deferred const& action);
    /// Carries out the actions that are due, up to the one that calls this.
    void act_on_due();

private:
    Deferred* next();

    std::list<Deferred> all_;
    std::optional<Deferred::Place> acting_;
};

}  // namespace regraft::shield
