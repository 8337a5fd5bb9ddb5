#include "shield/lanes/busy.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "ft/backend.hpp"

namespace regraft::shield {

int BusyLanes::start(Deaths& deaths, Lane& lane, Nonblocking operation) {
    if (std::find(lanes_.begin(), lanes_.end(), &lane) == lanes_.end()) lanes_.push_back(&lane);
    return lane.pending.start(deaths, lane, std::move(operation));
}

bool BusyLanes::progress(Deaths& deaths) {
    constexpr std::uint32_t looks_between_questions = 64;
    bool moved = false;
    bool failed = false;
    bool const asks = ++patience_.looks % looks_between_questions == 0;
    for (auto* const lane : lanes_) {
        moved = lane->pending.progress(deaths, *lane) || moved;
        // MPI's own operations end a step only when all messages in it have ended, and other processes may not report
        // the death.
        failed = failed || lane->pending.is_interrupted() || (asks && ft::backend::knows_of_deaths(lane->comm));
    }
    std::erase_if(lanes_, [](Lane const* lane) { return lane->pending.is_idle(); });
    if (moved) patience_.looks = 0;
    return failed || (asks && is_starving());
}

/// Whether others seem to be in calls that block on other communicators and wait for this process, while this one waits
/// for them to confirm. In a repair they do confirm.
bool BusyLanes::is_starving() {
    constexpr std::uint32_t looks_before_clock = 1024;
    auto const now = std::chrono::steady_clock::now();
    if (patience_.looks == looks_before_clock) patience_.since = now;
    if (patience_.looks <= looks_before_clock || now - patience_.since < patience_.most) return false;
    if (std::none_of(lanes_.begin(), lanes_.end(), [](Lane const* lane) { return lane->pending.has_news(); }))
        return false;
    patience_.looks = 0;
    patience_.is_over = true;
    return true;
}

void BusyLanes::forget(Lane const& lane) {
    std::erase(lanes_, &lane);
}

void BusyLanes::end_attempts(Deaths& deaths) {
    for (auto* const lane : lanes_) lane->pending.end_attempts(deaths);
}

std::uint64_t BusyLanes::restart(Deaths& deaths) {
    std::uint64_t restarted = 0;
    for (auto* const lane : lanes_) {
        restarted += lane->pending.counts().started - lane->pending.counts().settled;
        lane->pending.restart(deaths, *lane);
    }
    return restarted;
}

}  // namespace regraft::shield
