#include "shield/ledger.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/contracts.hpp"

namespace regraft::shield {

Outcome const* Ledger::find(OperationNumber number) const {
    auto const found = std::lower_bound(log_.begin(), log_.end(), number,
                                        [](Outcome const& outcome, auto wanted) { return outcome.number < wanted; });
    return found != log_.end() && found->number == number ? &*found : nullptr;
}

Outcome* Ledger::find(OperationNumber number) {
    return const_cast<Outcome*>(std::as_const(*this).find(number));
}

Outcome& Ledger::record(OutcomeKind kind) {
    REGRAFT_EXPECTS(!tentative_);
    auto& outcome = log_.emplace_back();
    outcome.number = ++known_;
    outcome.kind = kind;
    bool const has_bytes = kind == OutcomeKind::data || kind == OutcomeKind::input;
    if (has_bytes && !spare_.empty()) {
        outcome.bytes = std::move(spare_.back());
        outcome.bytes.clear();
        spare_.pop_back();
    }
    return outcome;
}

void Ledger::settle(bool commit) {
    if (!std::exchange(tentative_, false)) return;
    if (commit) record(OutcomeKind::local);
}

void Ledger::finish(bool synchronised) {
    REGRAFT_EXPECTS(returned_ < known_);
    ++returned_;
    ++unsynchronised_;
    if (!synchronised) return;
    unsynchronised_ = 0;
    // Not itself: who completes it may be the only one so far.
    keep_if([&](Outcome const& outcome) { return outcome.number >= returned_; });
}

void Ledger::forget_returned() {
    keep_if([&](Outcome const& outcome) { return outcome.number > returned_ || outcome.kind == OutcomeKind::input; });
}

template <class IsLacked>
void Ledger::keep_if(IsLacked const& is_lacked) {
    std::erase_if(log_, [&](Outcome& outcome) {
        bool const dropped = !is_lacked(outcome);
        if (dropped && outcome.bytes.capacity() > 0) spare_.push_back(std::move(outcome.bytes));
        return dropped;
    });
}

}  // namespace regraft::shield
