// Global quiescence: the proof that no process makes a step any more, from what each shows of itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shield/protocol/ledger.hpp"

namespace regraft::shield {

/// What a process shows.
struct Wait {
    PeId process{};
    bool is_dead = false;       // and no repair has left it behind: nothing else is known of it
    std::uint64_t serial = 0;   // odd: it only waits for others; another number: not in the same wait
    std::uint64_t repairs = 0;  // steps of repairs that it has begun
    LaneId lane{};              // of the collective that it is in; {}: it waits for messages
    std::uint64_t members = 0;  // of that lane, when it was repaired last
    std::uint64_t sketch = 0;   // of those
    std::uint64_t bytes = 0;    // of the largest message that it waits for
    std::uint64_t starves = 0;  // 0: needs no obituary; else 1, and 1 for each that it was given because of that
    double cpu = 0;             // seconds that it has computed, from any moment on
    std::uint64_t looks = 0;    // not 0: it waits by looking for messages again and again, and how often it has
    double outside = 0;         // seconds of cpu between those looks

    bool waits() const { return serial % 2 != 0; }
};

/// Who judges, and gets an obituary if nobody makes a step: the lowest of those who starve and were given the fewest.
std::optional<PeId> judge_of(std::span<Wait const> all);

/// One process looks at all again and again. Its verdict stands on four facts: each has been in one and the same wait
/// all the time; none of the collectives can go on, for of each a member who lives is elsewhere; the time was long; and
/// each has computed meanwhile, for who waits polls, so that what was under way to it has come. A process that is
/// stopped, or gets no time of its processor, does not compute, and nothing is proven. Who looks again and again may do
/// something else at any time; it counts as waiting while it looks all the time and hardly computes in between.
class Quiescence {
public:
    explicit Quiescence(double seconds) : seconds_(seconds) {}

    /// living: all who live, ascending; nothing: of one nothing is known. now: seconds. Whether nobody makes a step;
    /// then it takes as long again.
    bool look(double now, std::optional<std::vector<Wait>> living);

private:
    bool has_lasted(double now, std::span<Wait const> all) const;

    double seconds_;
    double since_ = 0;
    std::vector<Wait> first_;  // of these waits; empty: somebody is in none
    std::vector<Wait> last_;   // as they were at the last look
};

}  // namespace regraft::shield
