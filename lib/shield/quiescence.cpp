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
    return a.process == b.process && a.is_dead == b.is_dead && a.serial == b.serial && a.repairs == b.repairs;
}

/// Whether all members of a lane who live may be in a collective on it; the dead keep nobody waiting, for a repair will
/// come, if the call meets their death at all. They may be in different ones, if some let nobody wait: who is ahead has
/// given all to those that are behind, who go on.
bool goes_on(LaneId lane, std::span<Wait const> all) {
    std::uint64_t members = 0;
    std::uint64_t sketch = 0;
    std::uint64_t there = 0;
    for (auto const& wait : all) {
        if (wait.lane != lane) continue;
        ++there;
        members = std::max(members, wait.members);
        sketch |= wait.sketch;
    }
    for (auto const& wait : all)
        if (wait.is_dead && (sketch & bit_of(wait.process)) != 0) ++there;
    return there >= members;
}

/// Whether nobody can go on by himself, nor any collective.
bool all_wait(std::span<Wait const> all) {
    return std::all_of(all.begin(), all.end(), [&](Wait const& wait) {
        return wait.is_dead || (wait.waits() && (wait.lane == LaneId{} || !goes_on(wait.lane, all)));
    });
}

}  // namespace

std::optional<PeId> judge_of(std::span<Wait const> all) {
    Wait const* judge = nullptr;
    for (auto const& wait : all)
        if (wait.starves != 0 && (judge == nullptr || wait.starves < judge->starves)) judge = &wait;
    return judge == nullptr ? std::nullopt : std::optional(judge->process);
}

bool Quiescence::look(double now, std::optional<std::vector<Wait>> all) {
    if (!all || !all_wait(*all)) {
        first_.clear();
        return false;
    }
    if (!std::equal(all->begin(), all->end(), first_.begin(), first_.end(), is_same)) {
        first_ = std::move(*all);
        since_ = now;
        return false;
    }
    if (!has_lasted(now, *all)) return false;
    first_.clear();
    return true;
}

bool Quiescence::has_lasted(double now, std::span<Wait const> all) const {
    if (now - since_ < seconds_) return false;
    std::uint64_t bytes = 0;
    for (auto const& wait : all) bytes = std::max(bytes, wait.bytes);
    double const needed = least_share * seconds_ + least_per_byte * static_cast<double>(bytes);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!all[i].is_dead && all[i].cpu - first_[i].cpu < needed) return false;
    return true;
}

}  // namespace regraft::shield
