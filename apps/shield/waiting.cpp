#include "shield/waiting.hpp"

#include <ctime>
#include <vector>

#include "ft/backend.hpp"
#include "shield/quiescence.hpp"

namespace regraft::shield {
namespace {

constexpr double looks_per_wait = 20;

/// Of a process; nothing: there is none.
std::optional<double> cpu_seconds(pid_t process) {
    clockid_t clock{};
    std::timespec spent{};
    if (process == 0 || clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &spent) != 0) return {};
    return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
}

/// What a rank shows; nothing: it is on another host, or dead, and MPI does not know yet.
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
    wait.cpu = *cpu;
    return wait;
}

/// Of all whom no repair has left behind; nothing: of one nothing is known.
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
