#include "shield/quiescence.hpp"

#include <algorithm>
#include <utility>

namespace regraft::shield {
namespace {

// The part of the time that each computes at least. It is small, because who waits may yield to whoever computes; but
// milliseconds are enough to look a thousand times.
constexpr double least_share = 0.002;
// Seconds of that in which a byte that was under way has come at the latest.
constexpr double least_per_byte = 1.0 / 50e6;

bool is_same(Wait const& a, Wait const& b) {
    return a.rank == b.rank && a.serial == b.serial && a.repairs == b.repairs;
}

/// Whether all members of a lane are in a collective on it. They may be in different ones, if some let nobody wait: who
/// is ahead has given all to those that are behind, who go on.
bool goes_on(LaneId lane, std::span<Wait const> living) {
    std::uint64_t there = 0;
    std::uint64_t members = 0;
    for (auto const& wait : living) {
        if (wait.lane != lane) continue;
        ++there;
        members = std::max(members, wait.members);
    }
    return there >= members;
}

/// Whether nobody can go on by himself, nor any collective.
bool all_wait(std::span<Wait const> living) {
    return std::all_of(living.begin(), living.end(), [&](Wait const& wait) {
        return wait.waits() && (wait.lane == LaneId{} || !goes_on(wait.lane, living));
    });
}

}  // namespace

std::optional<int> judge_of(std::span<Wait const> living) {
    Wait const* judge = nullptr;
    for (auto const& wait : living)
        if (wait.starves != 0 && (judge == nullptr || wait.starves < judge->starves)) judge = &wait;
    return judge == nullptr ? std::nullopt : std::optional(judge->rank);
}

bool Quiescence::look(double now, std::optional<std::vector<Wait>> living) {
    if (!living || !all_wait(*living)) {
        first_.clear();
        return false;
    }
    if (!std::equal(living->begin(), living->end(), first_.begin(), first_.end(), is_same)) {
        first_ = std::move(*living);
        since_ = now;
        return false;
    }
    if (!has_lasted(now, *living)) return false;
    first_.clear();
    return true;
}

bool Quiescence::has_lasted(double now, std::span<Wait const> living) const {
    if (now - since_ < seconds_) return false;
    std::uint64_t bytes = 0;
    for (auto const& wait : living) bytes = std::max(bytes, wait.bytes);
    double const needed = least_share * seconds_ + least_per_byte * static_cast<double>(bytes);
    for (std::size_t i = 0; i < living.size(); ++i)
        if (living[i].cpu - first_[i].cpu < needed) return false;
    return true;
}

}  // namespace regraft::shield
