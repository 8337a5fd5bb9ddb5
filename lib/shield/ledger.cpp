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

Outcome& Ledger::record(OutcomeKind kind) {
    REGRAFT_EXPECTS(!tentative_);
    log_.push_back({++known_, kind, std::exchange(spare_, {})});
    log_.back().bytes.clear();
    return log_.back();
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
    forget_before(returned_);  // not itself: who completes it may be the only one so far
}

void Ledger::forget_returned() {
    forget_before(returned_ + 1);
}

void Ledger::forget_before(OperationNumber number) {
    auto const kept =
        std::find_if(log_.begin(), log_.end(), [&](auto const& outcome) { return outcome.number >= number; });
    for (auto dropped = log_.begin(); dropped != kept; ++dropped)
        if (dropped->bytes.capacity() > spare_.capacity()) spare_ = std::move(dropped->bytes);
    log_.erase(log_.begin(), kept);
}

}  // namespace regraft::shield
