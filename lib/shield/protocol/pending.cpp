#include "shield/protocol/pending.hpp"

#include <algorithm>

#include "regraft/core/contracts.hpp"

namespace regraft::shield {

OperationNumber PendingLedger::start() {
    return ++counts_.started;
}

void PendingLedger::succeed(OperationNumber number) {
    REGRAFT_EXPECTS(counts_.succeeded < number && number <= counts_.started);
    early_.push_back(number);
    for (;;) {
        auto const next = std::find(early_.begin(), early_.end(), counts_.succeeded + 1);
        if (next == early_.end()) return;
        ++counts_.succeeded;
        early_.erase(next);
    }
}

void PendingLedger::settle(OperationNumber last) {
    REGRAFT_EXPECTS(last <= counts_.succeeded);
    counts_.settled = std::max(counts_.settled, last);
}

void PendingLedger::restart() {
    counts_.succeeded = counts_.settled;
    early_.clear();
}

Round::Round(int position, int size, OperationNumber succeeded) : position_(position), size_(size), least_(succeeded) {}

void Round::hear(OperationNumber told) {
    REGRAFT_EXPECTS(!is_over());
    least_ = std::min(least_, told);
    distance_ *= 2;
}

}  // namespace regraft::shield
