#include "shield/protocol/ledger.hpp"

#include <algorithm>
#include <utility>

#include "regraft/core/contracts.hpp"

namespace regraft::shield {

Outcome const* Ledger::search(OperationNumber number) const {
    auto const known = log();
    auto const found = std::lower_bound(known.begin(), known.end(), number,
                                        [](Outcome const& outcome, auto wanted) { return outcome.number < wanted; });
    return found != known.end() && found->number == number ? &*found : nullptr;
}

void Ledger::grow() {
    log_.emplace_back();
}

void Ledger::commit() {
    if (std::exchange(tentative_, false)) record(OutcomeKind::local);
}

void Ledger::synchronise() {
    unsynchronised_ = 0;
    unsynchronised_bytes_ = 0;
    // The operation itself is kept: the process that completes it may be the only one so far.
    keep_if([&](Outcome const& outcome) { return outcome.number >= returned_; });
}

void Ledger::forget_returned() {
    keep_if([&](Outcome const& outcome) { return outcome.number > returned_ || outcome.kind == OutcomeKind::input; });
}

template <class IsLacked>
void Ledger::keep_if(IsLacked const& is_lacked) {
    constexpr std::size_t most_spare_bytes = 1U << 16U;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < used_; ++i) {
        auto& outcome = log_[i];
        if (is_lacked(outcome)) {
            if (kept != i) std::swap(log_[kept], outcome);
            ++kept;
        } else if (spare_bytes_ + outcome.bytes.capacity() > most_spare_bytes) {
            outcome.bytes = std::vector<std::byte>();
        } else {
            spare_bytes_ += outcome.bytes.capacity();
        }
    }
    used_ = kept;
}

}  // namespace regraft::shield
