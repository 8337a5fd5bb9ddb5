// The account of the nonblocking operations of one lane, and the rounds in which its members confirm them. Pure.
#pragma once

#include <vector>

#include "shield/protocol/ledger.hpp"

namespace regraft::shield {

/// Nonblocking operations are counted from 1 in the order of their start, alike on all members and separately from
/// other operations. settled <= succeeded <= started.
struct PendingCounts {
    OperationNumber started = 0;
    OperationNumber succeeded = 0;  // the attempts of this operation and of all before it have succeeded here
    OperationNumber settled = 0;    // this operation and all before it have succeeded everywhere: their results are
                                    // final
    friend bool operator==(PendingCounts const&, PendingCounts const&) = default;
};

/// No operation returns to the program before all members have succeeded in it. So if a process dies, a member that has
/// not succeeded still has its arguments, and all attempt the operation again.
class PendingLedger {
public:
    PendingCounts const& counts() const { return counts_; }
    bool is_settled() const { return counts_.settled == counts_.started; }
    /// Whether something has succeeded here that is not known to have succeeded everywhere.
    bool has_news() const { return counts_.succeeded > counts_.settled; }

    /// Counts a new operation and returns its number.
    OperationNumber start();
    /// Marks an operation as succeeded, in any order. Precondition: it is started and has not succeeded.
    void succeed(OperationNumber number);
    /// Marks all operations up to last as settled. Precondition: last <= counts().succeeded.
    void settle(OperationNumber last);
    /// Forgets the success of operations that are not settled; they will be attempted again, in the order of their
    /// numbers.
    void restart();

private:
    PendingCounts counts_;
    std::vector<OperationNumber> early_;  // operations that succeeded before one that was started earlier
};

/// A round in which members of a lane tell each other how far they have succeeded, until all know the least number: a
/// dissemination barrier (Hensgen, Finkel, Manber 1988) that carries a minimum. Each member takes part in one round
/// after the other; rounds and operations need no other order.
class Round {
public:
    /// position: that of this member among size members. succeeded: see PendingCounts.
    Round(int position, int size, OperationNumber succeeded);

    /// Whether least() is the minimum over all members.
    bool is_over() const { return distance_ >= size_; }
    OperationNumber least() const { return least_; }
    /// The members to which least() is to be told now, and from which a number comes. Precondition: !is_over().
    int to() const { return (position_ + distance_) % size_; }
    int from() const { return (position_ - distance_ + size_) % size_; }
    /// Takes the number from from() and goes on to the next.
    void hear(OperationNumber told);

private:
    int position_;
    int size_;
    int distance_ = 1;
    OperationNumber least_;
};

}  // namespace regraft::shield
