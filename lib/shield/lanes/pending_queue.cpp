#include "shield/lanes/pending_queue.hpp"

#include <utility>

#include "shield/lanes/fail_points.hpp"
#include "shield/lanes/lane.hpp"

namespace regraft::shield {
namespace {

constexpr std::size_t most_stages = 31;

}  // namespace

/// In an attempt that is not the first, errors other than a death are the outcome of the operation.
int PendingQueue::attempt(Deaths& deaths, Lane const& lane, Entry& entry) {
    entry.native = MPI_REQUEST_NULL;
    entry.code = entry.operation.start(lane.comm, &entry.native);
    if (entry.code == MPI_SUCCESS) return entry.code;
    entry.native = MPI_REQUEST_NULL;
    if (!deaths.explain(entry.code)) return entry.code;
    interrupted_ = true;
    return MPI_SUCCESS;
}

int PendingQueue::start(Deaths& deaths, Lane const& lane, Nonblocking operation) {
    Entry entry{0, std::move(operation), MPI_REQUEST_NULL, MPI_SUCCESS};
    if (int const code = attempt(deaths, lane, entry); code != MPI_SUCCESS) return code;
    entry.number = ledger_.start();
    bool const is_over = entry.native == MPI_REQUEST_NULL && entry.code == MPI_SUCCESS;
    entries_.push_back(std::move(entry));
    if (is_over) ledger_.succeed(entries_.back().number);
    return MPI_SUCCESS;
}

PendingQueue::Test PendingQueue::test(Deaths& deaths, MPI_Request& request) {
    int over = 0;
    int const code = PMPI_Test(&request, &over, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS) return over != 0 ? Test::over : Test::under_way;
    request = MPI_REQUEST_NULL;
    interrupted_ = interrupted_ || deaths.explain(code);
    return Test::failed;
}

/// Returns whether it has succeeded just now.
bool PendingQueue::look_at(Deaths& deaths, Entry& entry) {
    if (entry.native == MPI_REQUEST_NULL) return false;
    int over = 0;
    entry.code = PMPI_Test(&entry.native, &over, MPI_STATUS_IGNORE);
    if (entry.code == MPI_SUCCESS && over == 0) return false;
    entry.native = MPI_REQUEST_NULL;
    if (entry.code != MPI_SUCCESS && deaths.explain(entry.code)) {
        interrupted_ = true;
        return false;
    }
    ledger_.succeed(entry.number);
    return true;
}

bool PendingQueue::progress(Deaths& deaths, Lane const& lane) {
    bool moved = false;
    for (auto& entry : entries_) moved = look_at(deaths, entry) || moved;
    return advance_round(deaths, lane) || moved;
}

/// Exchanges the messages of one stage of the round.
void PendingQueue::exchange(Deaths& deaths, Lane const& lane) {
    if (round_->is_over()) return;
    auto& told = told_.emplace_back(Told{round_->least(), MPI_REQUEST_NULL});
    int code = PMPI_Irecv(&heard_, 1, MPI_UINT64_T, round_->from(), round_tag, lane.comm, &hearing_);
    if (code == MPI_SUCCESS)
        code = PMPI_Isend(&told.succeeded, 1, MPI_UINT64_T, round_->to(), round_tag, lane.comm, &told.request);
    interrupted_ = interrupted_ || (code != MPI_SUCCESS && deaths.explain(code));
}

bool PendingQueue::advance_round(Deaths& deaths, Lane const& lane) {
    if (interrupted_ || (!round_ && !ledger_.has_news())) return false;
    bool moved = false;
    if (!round_) {
        reach(call_points.confirm, lane.member(lane.self));
        told_.clear();
        told_.reserve(most_stages);  // MPI holds addresses of its elements
        round_.emplace(lane.position(lane.self), static_cast<int>(lane.living.size()), counts().succeeded);
        exchange(deaths, lane);
        moved = true;
    }
    for (; !round_->is_over(); moved = true) {
        if (interrupted_ || test(deaths, hearing_) != Test::over) return moved;
        round_->hear(heard_);
        exchange(deaths, lane);
    }
    settle(round_->least());
    for (auto& told : told_)
        if (test(deaths, told.request) != Test::over) return moved;
    round_.reset();
    return true;
}

void PendingQueue::settle(OperationNumber last) {
    ledger_.settle(last);
    while (!entries_.empty() && entries_.front().number <= last) {
        auto const entry = std::move(entries_.front());
        entries_.pop_front();
        entry.operation.finish(entry.code);
    }
}

void PendingQueue::end_attempts(Deaths& deaths) {
    for (auto& entry : entries_)
        while (entry.native != MPI_REQUEST_NULL) look_at(deaths, entry);
    auto const end = [&](MPI_Request& request) {
        while (test(deaths, request) == Test::under_way) {
        }
    };
    end(hearing_);
    for (auto& told : told_) end(told.request);
    told_.clear();
    round_.reset();
}

void PendingQueue::restart(Deaths& deaths, Lane const& lane) {
    interrupted_ = false;
    ledger_.restart();
    for (auto& entry : entries_) {
        attempt(deaths, lane, entry);
        bool const is_over = entry.native == MPI_REQUEST_NULL && !interrupted_;
        if (is_over) ledger_.succeed(entry.number);
    }
}

}  // namespace regraft::shield
