#include "shield/session/watchdog.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <utility>
#include <vector>

#include "shield/session/session.hpp"

namespace regraft::shield {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto idle = static_cast<std::uint32_t>(Repair::Step::done) + 1;  // phases are steps; 0: never in a repair

std::uint32_t phase_of(Repair::Step step) {
    return static_cast<std::uint32_t>(step) + 1;
}

char const* name_of(std::uint32_t phase) {
    constexpr char const* names[] = {
        "not in the repair",        "revoking communicators", "waiting for all ranks",
        "shrinking MPI_COMM_WORLD", "reporting outcomes",     "agreeing on the reports",
        "shrinking communicators",  "forwarding outcomes",    "revoking communicators again",
        "agreeing on the end",      "not in the repair"};
    return phase < std::size(names) ? names[phase] : "?";
}

std::atomic<bool> is_uninterruptible = false;
std::atomic<void const*> passed_from = nullptr;
std::atomic<std::uint64_t> passed = 0;  // number of calls that were passed on; the last one may not have returned

/// The program's call when the present repair, or the present call that cannot be interrupted, began. The program
/// writes it, the watchdog reads it.
std::mutex where_mutex;
std::string where;

/// Living ranks on this host that have not come to the repair in which this one is.
std::vector<int> missing(Board& board) {
    auto const repairs = board.mine().repairs.load();
    std::vector<int> ranks;
    for (int rank = 0; rank < board.size(); ++rank)
        if (board.place(rank).repairs < repairs && board.lives(rank)) ranks.push_back(rank);
    return ranks;
}

bool somebody_died(Board& board) {
    for (int rank = 0; rank < board.size(); ++rank)
        if (board.place(rank).process != 0 && !board.lives(rank)) return true;
    return false;
}

bool is_first_of_those_who_wait(Board& board) {
    for (int rank = 0; &board.place(rank) != &board.mine(); ++rank)
        if (board.place(rank).repairs >= board.mine().repairs && board.lives(rank)) return false;
    return true;
}

std::string list(Board& board, std::vector<int> const& ranks) {
    std::string text;
    for (auto const rank : ranks) {
        auto const family = static_cast<std::size_t>(board.place(rank).family.load());
        text += (text.empty() ? "rank " : ", rank ") + std::to_string(rank);
        if (family < families().size()) text += std::string(" (last call: ") + families()[family].name + ")";
    }
    return text;
}

void set_where() {
    auto const* const entry = Entry::current();
    std::lock_guard const lock(where_mutex);
    where = entry == nullptr ? "MPI" : located(entry->family().name);
}

std::string noted_call() {
    std::lock_guard const lock(where_mutex);
    return where;
}

/// Whether this process waits at a point where all must come, and one has not.
bool waits_for_others() {
    auto& board = *session().board;
    return board.mine().phase == phase_of(Repair::Step::vote) && (!board.is_shared() || !missing(board).empty());
}

void say_for_whom() {
    auto& board = *session().board;
    auto const absent = missing(board);
    if (is_first_of_those_who_wait(board))
        say(noted_call(), "a rank has died, and the repair waits for the next call of MPI of " +
                              (absent.empty() ? std::string("the others") : list(board, absent)));
}

}  // namespace

Watchdog::Watchdog(std::chrono::seconds limit) : limit_(limit) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the program
    thread_ = std::thread([this] { watch(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watchdog::~Watchdog() {
    {
        std::lock_guard const lock(mutex_);
        ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void Watchdog::note(Repair::Step step) {
    auto& mine = session().board->mine();
    if (mine.phase == idle || mine.phase == 0) {
        set_where();
        ++mine.repairs;
    }
    mine.phase = phase_of(step);
    ++mine.steps;
}

void Watchdog::note_uninterruptible(bool inside) {
    if (inside) set_where();
    is_uninterruptible = inside;
}

void Watchdog::note_passed(void const* caller) {
    passed_from.store(caller, std::memory_order_relaxed);
    if (caller != nullptr) passed.store(passed.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void Watchdog::watch() {
    auto& mine = session().board->mine();
    auto steps = mine.steps.load();
    auto last_step = Clock::now();
    auto last_excuse = last_step;  // a step, or a rank for which the repair waits
    auto last_free = last_step;    // when this process could last come to a repair
    auto last_passed = last_step;  // when it was in no passed-on call, or in a new one, or when all lived
    auto calls = passed.load();
    bool has_spoken = false;  // in this repair
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(200), [this] { return ends_; })) {
        auto const now = Clock::now();
        if (!is_uninterruptible) last_free = now;
        if (now - last_free >= limit_) end_stuck();
        if (passed_from == nullptr || passed != calls || !somebody_died(*session().board)) last_passed = now;
        calls = passed;
        if (now - last_passed >= limit_) end_passed();
        if (mine.phase == 0 || mine.phase == idle || mine.steps != steps) {
            steps = mine.steps;
            last_step = last_excuse = now;
            has_spoken = false;
        } else if (waits_for_others()) {
            if (now - last_step >= limit_ && !std::exchange(has_spoken, true)) say_for_whom();
            last_excuse = now;
        } else if (now - last_excuse >= limit_ && mine.steps == steps) {
            end();
        }
    }
}

void Watchdog::end_stuck() const {
    end_job(static_cast<int>(Exit::watchdog), noted_call(),
            "MPI has not returned from making the communicator for " + std::to_string(limit_.count()) +
                " s, though all members are in the call: it hangs if a member dies there; REGRAFT_SHIELD_WATCHDOG=N "
                "sets the seconds, and 0 waits for ever");
}

void Watchdog::end_passed() const {
    auto const family = static_cast<std::size_t>(session().board->mine().family.load());
    end_job(static_cast<int>(Exit::watchdog), located(families()[family].name, place_of(passed_from)),
            "a rank has died, and MPI has not returned from this call, which the shield passes on, for " +
                std::to_string(limit_.count()) +
                " s; REGRAFT_SHIELD_WATCHDOG=N sets the seconds, and 0 waits for ever");
}

void Watchdog::end() const {
    auto& board = *session().board;
    auto const phase = board.mine().phase.load();
    std::string others;
    for (int rank = 0; rank < board.size(); ++rank) {
        auto const theirs = board.place(rank).phase.load();
        if (theirs != phase && board.lives(rank)) others += "; rank " + std::to_string(rank) + " is " + name_of(theirs);
    }
    end_job(static_cast<int>(Exit::watchdog), noted_call(),
            "a repair has made no step for " + std::to_string(limit_.count()) + " s while " + name_of(phase) + others +
                "; REGRAFT_SHIELD_WATCHDOG=N sets the seconds, and 0 waits for ever");
}

}  // namespace regraft::shield
