// The account of the nonblocking operations of one lane, and the rounds in which its members confirm them. Pure.
#pragma once

#include <vector>

#include "shield/protocol/ledger.hpp"

namespace regraft::shield {

/// Nonblocking operations count from 1 in the order of their start, alike on all members and apart from the numbers of
/// the others. settled <= succeeded <= started.
struct PendingCounts {
    OperationNumber started = 0;
    OperationNumber succeeded = 0;  // the attempts of this and of all before it have succeeded here
    OperationNumber settled = 0;    // this and all before it have succeeded everywhere: their results are final
    friend bool operator==(PendingCounts const&, PendingCounts const&) = default;
};

/// None returns to the program before all members have succeeded in it, so whoever has not when somebody dies has its
/// arguments still, and all do it again.
class PendingLedger {
public:
    PendingCounts const& counts() const { return counts_; }
    bool is_settled() const { return counts_.settled == counts_.started; }
    /// Whether something has succeeded here that is not known to have succeeded everywhere.
    bool has_news() const { return counts_.succeeded > counts_.settled; }

    /// Its number.
    OperationNumber start();
    /// In any order. Precondition: it is started and has not succeeded.
    void succeed(OperationNumber number);
    /// Precondition: last <= counts().succeeded.
    void settle(OperationNumber last);
    /// What is not settled will be attempted again, in the order of the numbers.
    void restart();

private:
    PendingCounts counts_;
    std::vector<OperationNumber> early_;  // succeeded before one that was started earlier
};

/// Members of a lane tell each other how far they have succeeded, and all come to know the least: a dissemination
/// barrier (Hensgen, Finkel, Manber 1988) that carries a minimum. Who goes by it needs no order among rounds and
/// operations but that each member takes part in one round after the other.
class Round {
public:
    /// position: among size members. succeeded: see PendingCounts.
    Round(int position, int size, OperationNumber succeeded);

    /// Whether least() is the least of all.
    bool is_over() const { return distance_ >= size_; }
    OperationNumber least() const { return least_; }
    /// To whom least() is to be told now, and who tells its own. Precondition: !is_over().
    int to() const { return (position_ + distance_) % size_; }
    int from() const { return (position_ - distance_ + size_) % size_; }
    /// from() has told; on to the next.
    void hear(OperationNumber told);

private:
    int position_;
    int size_;
    int distance_ = 1;
    OperationNumber least_;
};

}  // namespace regraft::shield
