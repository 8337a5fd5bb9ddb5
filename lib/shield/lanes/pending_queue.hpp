// The nonblocking collectives of the program that are under way on one lane.
#pragma once

#include <mpi.h>

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "shield/lanes/deaths.hpp"
#include "shield/protocol/pending.hpp"

namespace regraft::shield {

struct Lane;

struct Nonblocking {
    /// Starts an attempt on a communicator and returns its code. Leaves MPI's request, or MPI_REQUEST_NULL if the
    /// attempt is over at once. Restores what an earlier attempt has destroyed.
    std::function<int(MPI_Comm, MPI_Request*)> start;
    /// Is called when the operation is over with this code and its results are final.
    std::function<void(int)> finish;
};

/// An attempt that has succeeded is confirmed in a round, so the program is not told that an operation is over before
/// it has succeeded everywhere. A process that polls drives both. Operations that are not settled when a repair comes
/// are attempted again.
class PendingQueue {
public:
    PendingCounts const& counts() const { return ledger_.counts(); }
    bool is_settled() const { return ledger_.is_settled(); }
    bool has_news() const { return ledger_.has_news(); }
    /// Whether nothing of it is under way, not even a message to others.
    bool is_idle() const { return is_settled() && !round_; }

    /// Starts an operation. Returns MPI_SUCCESS, or the code with which the attempt failed without any death; in the
    /// latter case the operation does not count.
    int start(Deaths& deaths, Lane const& lane, Nonblocking operation);
    /// Looks once at what is under way. Returns whether there was progress.
    bool progress(Deaths& deaths, Lane const& lane);
    /// Whether something has failed because of a death or a call for a repair.
    bool is_interrupted() const { return interrupted_; }

    /// These are called in a repair, in this order. The lane was revoked: waits for what is under way on it, which
    /// fails or succeeds.
    void end_attempts(Deaths& deaths);
    void settle(OperationNumber last);
    /// Attempts operations again on the renewed lane.
    void restart(Deaths& deaths, Lane const& lane);

private:
    struct Entry {
        OperationNumber number = 0;
        Nonblocking operation;
        MPI_Request native = MPI_REQUEST_NULL;
        int code = MPI_SUCCESS;
    };
    struct Told {
        OperationNumber succeeded = 0;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    enum class Test { under_way, over, failed };

    int attempt(Deaths& deaths, Lane const& lane, Entry& entry);
    bool look_at(Deaths& deaths, Entry& entry);
    Test test(Deaths& deaths, MPI_Request& request);
    bool advance_round(Deaths& deaths, Lane const& lane);
    void exchange(Deaths& deaths, Lane const& lane);

    PendingLedger ledger_;
    std::deque<Entry> entries_;  // not settled, ascending
    bool interrupted_ = false;
    std::optional<Round> round_;
    std::vector<Told> told_;
    OperationNumber heard_ = 0;
    MPI_Request hearing_ = MPI_REQUEST_NULL;
};

}  // namespace regraft::shield
