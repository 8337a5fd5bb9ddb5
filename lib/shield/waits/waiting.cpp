#include "shield/waits/waiting.hpp"

#include <algorithm>
#include <ctime>
#include <vector>

#include <sys/resource.h>

#include "ft/backend.hpp"
#include "shield/protocol/quiescence.hpp"
#include "shield/waits/any_source.hpp"

namespace regraft::shield {
namespace {

constexpr double looks_per_wait = 20;

double seconds_of(clockid_t clock) {
    std::timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// How often this thread has waited for something, such as the end of a sleep.
long sleeps() {
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw;
}

/// Measures how much a process computes between calls that look for messages. Reading the CPU time takes as long as
/// some of those calls, so it is not read each time.
struct Between {
    static constexpr double loop = 5e-6;      // largest CPU time in seconds of a loop that makes only such calls
    static constexpr double sleep = 100e-6;   // the same for a loop that sleeps, or yields the processor
    static constexpr double reading = 50e-6;  // seconds of wall time between two readings

    double left = 0;      // time when the last call has returned
    double asked = 0;     // time when the CPU time was read last
    double cpu = 0;       // CPU time at that reading
    long slept = 0;       // sleeps() at that reading
    double computed = 0;  // total CPU time beyond these limits

    void ask(double now) {
        asked = now;
        cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        slept = sleeps();
    }
    void begin() {
        left = seconds_of(CLOCK_MONOTONIC);
        ask(left);
    }
    void enter() {
        double const now = seconds_of(CLOCK_MONOTONIC);
        double const away = now - left;
        if (away < loop) return;
        double const inside = left - asked;  // an upper bound: the process was in calls since the reading
        auto const before = *this;
        ask(now);
        double const spent = std::clamp(cpu - before.cpu - inside, 0.0, away);
        bool const gave_way = slept != before.slept || spent < away / 2;  // a short sleep may cost more than it lasts
        computed += std::max(0.0, spent - (gave_way ? sleep : loop));
    }
    void leave() {
        left = seconds_of(CLOCK_MONOTONIC);
        if (left - asked >= reading) ask(left);
    }
};

Between between;

/// Shows the waits that consist of rows of such calls. Never destroyed.
Waiting& row() {
    static auto& waiting = *new Waiting;
    return waiting;
}

/// The CPU time of a process in seconds; none: the process does not exist.
std::optional<double> cpu_seconds(pid_t process) {
    clockid_t clock{};
    std::timespec spent{};
    if (process == 0 || clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &spent) != 0) return {};
    return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
}

/// The state that a rank shows; none: it is on another host, or it is dead and MPI does not know that yet.
std::optional<Wait> wait_of(int rank) {
    Wait wait;
    wait.process = PeId{static_cast<std::uint32_t>(rank)};
    wait.is_dead = ft::backend::is_dead(MPI_COMM_WORLD, rank);
    if (wait.is_dead) return wait;
    auto const& place = session().board->place(rank);
    auto const cpu = cpu_seconds(place.process);
    if (!cpu) return {};
    wait.serial = place.waits.load(std::memory_order_acquire);
    wait.repairs = place.steps;
    wait.lane = LaneId{place.lane.load()};
    wait.members = place.members;
    wait.bytes = place.bytes;
    wait.starves = place.starves;
    wait.sketch = place.sketch;
    wait.looks = place.looks;
    wait.outside = 1e-9 * static_cast<double>(place.outside);
    wait.cpu = *cpu;
    return wait;
}

/// The states of all processes that no repair has left behind; none: the state of one is unknown.
std::optional<std::vector<Wait>> waits_of_all() {
    auto const& world = *lane_of(MPI_COMM_WORLD);
    std::vector<Wait> waits;
    for (int rank = 0; rank < static_cast<int>(world.size()); ++rank) {
        if (!world.lives(rank)) continue;
        auto const wait = wait_of(rank);
        if (!wait) return {};
        waits.push_back(*wait);
    }
    return waits;
}

}  // namespace

void Waiting::renew() {
    if (present_ != nullptr && present_->lane_ != nullptr) present_->show_members();
}

bool Looking::may_begin() {
    constexpr unsigned looks_between_questions = 64;
    static unsigned looks = 0;
    if (Waiting::present_ != nullptr || Waiting::place_ == nullptr || session().policy.starvation == 0) return false;
    return may_mourn() || (++looks % looks_between_questions == 0 && ft::backend::knows_of_deaths(MPI_COMM_WORLD));
}

void Looking::enter() {
    between.enter();
}

void Looking::show(std::size_t bytes) {
    if (session().shield->has_deferred()) return;
    is_in_vain_ = true;
    auto& place = *Waiting::place_;
    if (!is_in_row_) {
        between = {};
        between.begin();
        place.looks.store(1, std::memory_order_relaxed);
        place.outside.store(0, std::memory_order_relaxed);
        row().show(nullptr, bytes);
        is_in_row_ = true;
        Entry::tell_of_steps(end);
    }
    auto const most = std::max<std::uint64_t>(bytes, place.bytes.load(std::memory_order_relaxed));
    place.bytes.store(most, std::memory_order_relaxed);
}

void Looking::leave() const {
    if (!is_in_vain_) return end();
    between.leave();
    auto& place = *Waiting::place_;
    place.looks.store(place.looks.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    place.outside.store(static_cast<std::uint64_t>(1e9 * between.computed), std::memory_order_relaxed);
}

void Looking::end() {
    is_in_row_ = false;
    row().end();
    Entry::tell_of_steps(nullptr);
}

bool Waiting::is_in_vain() {
    static Quiescence quiescence(session().policy.starvation);
    static double next_look = 0;
    static std::uint32_t given = 0;
    double const patience = session().policy.starvation;
    if (present_ == nullptr || patience == 0) return false;
    auto const now = PMPI_Wtime();
    if (now < next_look) return false;
    next_look = now + patience / looks_per_wait;
    place_->starves.store(given + 1, std::memory_order_relaxed);
    auto waits = waits_of_all();
    bool const judges = waits && judge_of(*waits) == session().shield->self();
    if (!quiescence.look(now, judges ? std::move(waits) : std::nullopt)) return false;
    ++given;
    return true;
}

}  // namespace regraft::shield
