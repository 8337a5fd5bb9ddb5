#include "shield/lanes/deferred.hpp"

namespace regraft::shield {

Deferred& DeferredActions::add(Lane const& lane, std::function<void()> action) {
    return all_.emplace_back(Deferred{&lane, 0, false, std::move(action)});
}

void DeferredActions::remove(Deferred const& action) {
    all_.remove_if([&](Deferred const& one) { return &one == &action; });
}

/// The first action for which all members have come. A process that knows that all have come tells the others in a
/// round, and after that begins no other call that blocks; processes that hear it from all rely on that. If some
/// processes carry out one action and others wait for another to become due, the waiting ones call for a repair, in
/// which all take part.
Deferred* DeferredActions::next() {
    Deferred* next = nullptr;
    for (auto& one : all_) {
        bool const have_come = one.is_due || (one.after != 0 && one.lane->pending.counts().succeeded >= one.after);
        if (have_come && (next == nullptr || one.place() < next->place())) next = &one;
    }
    return next;
}

void DeferredActions::act_on_due() {
    auto const outer = acting_;
    for (auto* due = next(); due != nullptr && due->is_due; due = next()) {
        if (outer && due->place() > *outer) break;
        acting_ = due->place();
        auto const action = std::move(due->action);
        remove(*due);
        action();
    }
    acting_ = outer;
}

}  // namespace regraft::shield
