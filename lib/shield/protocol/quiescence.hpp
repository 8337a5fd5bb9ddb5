// Global quiescence: the proof that no process makes a step any more, from the state that each process shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shield/protocol/ledger.hpp"

namespace regraft::shield {

/// The state that a process shows.
struct Wait {
    PeId process{};
    bool is_dead = false;       // and no repair has left it behind: nothing else is known of it
    std::uint64_t serial = 0;   // odd: it only waits for others; a different number means another wait
    std::uint64_t repairs = 0;  // number of steps of repairs that it has begun
    LaneId lane{};              // the lane of the collective that it is in; {}: it waits for messages
    std::uint64_t members = 0;  // number of members of that lane when it was repaired last
    std::uint64_t sketch = 0;   // sketch of these members
    std::uint64_t bytes = 0;    // size of the largest message that it waits for
    std::uint64_t starves = 0;  // 0: it needs no obituary; otherwise 1 plus the number of obituaries that it was given
                                // because of that
    double cpu = 0;             // seconds of CPU time that it has used, from any moment on
    std::uint64_t looks = 0;    // not 0: it waits by looking for messages repeatedly, and this is the number of looks
    double outside = 0;         // seconds of CPU time between those looks

    bool waits() const { return serial % 2 != 0; }
};

/// The process that judges, and that gets an obituary if no process makes a step. It is the starving process with the
/// fewest obituaries; ties go to the lowest.
std::optional<PeId> judge_of(std::span<Wait const> all);

/// One process looks at all others repeatedly. Its verdict needs four facts. Each process has been in one and the same
/// wait all the time. No collective can go on, because for each of them a living member is elsewhere. The time was
/// long. And each process has used CPU time meanwhile: a waiting process polls and uses CPU, so what was under way to
/// it has come; a process that is stopped or gets no CPU proves nothing. A process that looks for messages repeatedly
/// may do something else at any time; it counts as waiting if it keeps looking for as long and hardly computes in
/// between; if it has computed, the time starts anew.
class Quiescence {
public:
    explicit Quiescence(double seconds) : seconds_(seconds) {}

    /// Takes the states of all living processes, ascending; nothing: the state of one is not known. now: seconds.
    /// Returns whether no process makes a step; after that the time starts anew.
    bool look(double now, std::optional<std::vector<Wait>> living);

private:
    bool any_has_computed(std::span<Wait const> all) const;  // between looks, since they are watched
    bool is_proved(std::span<Wait const> all) const;         // once the time was long

    double seconds_;
    double since_ = 0;
    std::vector<Wait> first_;  // the states when these waits began to be watched; empty: a process does not wait
    std::vector<Wait> last_;   // the states at the last look
};

}  // namespace regraft::shield
