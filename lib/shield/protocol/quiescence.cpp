#include "shield/protocol/quiescence.hpp"

#include <algorithm>
#include <utility>

namespace regraft::shield {
namespace {

// The least part of the time that each process must spend computing. It is small, because a waiting process may yield
// to one that computes; but milliseconds are enough to look a thousand times.
constexpr double least_share = 0.002;
// Further seconds of computing per byte after which a message under way has arrived at the latest.
constexpr double least_per_byte = 1.0 / 50e6;
// The largest part of its CPU time that a process which looks repeatedly may use in between.
constexpr double most_outside = 0.05;
constexpr std::uint64_t least_looks = 20;

bool is_same(Wait const& a, Wait const& b) {
    return a.process == b.process && a.is_dead == b.is_dead && a.serial == b.serial && a.repairs == b.repairs &&
           (a.looks == 0) == (b.looks == 0);
}

/// Whether a process in an unchanged wait has looked for messages all the time, if that is how it waits.
bool keeps_looking(Wait const& first, Wait const& last, Wait const& now) {
    return now.looks == 0 || (now.looks > last.looks && now.looks - first.looks >= least_looks);
}

/// Whether a process that looks for messages has computed in between.
bool has_computed(Wait const& first, Wait const& now) {
    return now.looks != 0 && now.outside - first.outside > most_outside * (now.cpu - first.cpu);
}

/// Whether all living members of a lane may be in a collective on it. The dead keep no process waiting: a repair comes
/// if the call meets their death at all. Members may be in different collectives if some of these let none wait: a
/// process that is ahead has given everything to those behind, which therefore go on.
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

/// Whether no process can go on alone, nor any collective.
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
    bool const is_long = now - since_ >= seconds_;
    bool const goes_on = std::equal(all->begin(), all->end(), first_.begin(), first_.end(), is_same) &&
                         !(is_long && any_has_computed(*all));
    if (!goes_on) {
        first_ = last_ = std::move(*all);
        since_ = now;
        return false;
    }
    bool const verdict = is_long && is_proved(*all);
    last_ = std::move(*all);
    if (verdict) first_.clear();
    return verdict;
}

// A process that has computed once, or was charged with what the machine did, is not held to it for ever: the time
// starts anew.
bool Quiescence::any_has_computed(std::span<Wait const> all) const {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (has_computed(first_[i], all[i])) return true;
    return false;
}

bool Quiescence::is_proved(std::span<Wait const> all) const {
    std::uint64_t bytes = 0;
    for (auto const& wait : all) bytes = std::max(bytes, wait.bytes);
    double const needed = least_share * seconds_ + least_per_byte * static_cast<double>(bytes);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!all[i].is_dead && all[i].cpu - first_[i].cpu < needed) return false;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!keeps_looking(first_[i], last_[i], all[i])) return false;
    return true;
}

}  // namespace regraft::shield
