// Planned deaths for tests and demonstrations: a PE kills itself when it reaches a named point for the n-th time.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft::ft {

/// A death of one PE.
struct PlannedDeath {
    std::string point;             // name of a FailPoint
    PeId victim{};                 // the PE that dies
    std::uint64_t occurrence = 0;  // counted from 0, by each PE alone
    friend bool operator==(PlannedDeath const&, PlannedDeath const&) = default;
};
/// All deaths that are planned, in any order.
using FailurePlan = std::vector<PlannedDeath>;

/// Reads "point:rank:occurrence,...": the point may itself contain colons. Throws InputError, also for unknown points.
FailurePlan parse_failure_plan(std::string_view text);
/// The text that parse_failure_plan reads; empty for no deaths.
std::string to_string(FailurePlan const& plan);

/// Replaces the plan of this process and counts all points from 0 again. All PEs must set the same plan. Without a plan
/// no PE dies and nothing is counted.
void set_failure_plan(FailurePlan plan);

/// When a PE dies that has come to a point.
enum class Moment {
    here,              // at the point itself
    during_next_call,  // a moment later, while the PE is most likely inside the call that follows
};

/// A named place in the code at which a PE can be told to die (see Communicator::reach). It is always compiled in and
/// costs one relaxed load while no plan is set. Objects live as long as the program and register themselves.
class FailPoint {
public:
    /// Registers the point under this name.
    explicit FailPoint(std::string name, Moment moment = Moment::here);
    FailPoint(FailPoint const&) = delete;
    FailPoint& operator=(FailPoint const&) = delete;
    ~FailPoint();

    /// The name by which plans call it.
    std::string const& name() const { return name_; }
    /// When a victim dies.
    Moment moment() const { return moment_; }
    /// The number of times this process came here since the plan was set.
    std::uint64_t occurrences() const { return occurrences_; }

    /// Counts one occurrence and returns the PEs that the plan kills now; empty without a plan.
    std::vector<PeId> victims_now() { return watched.load(std::memory_order_relaxed) ? count() : std::vector<PeId>{}; }

private:
    friend void set_failure_plan(FailurePlan plan);
    std::vector<PeId> count();
    static std::atomic<bool> watched;

    std::string name_;
    Moment moment_;
    std::uint64_t occurrences_ = 0;
};

/// The points before, inside and after a phase: "name:before", "name:inside", "name:after".
struct FailPhase {
    /// Registers the three points; inside_moment is that of `inside`.
    explicit FailPhase(std::string const& name, Moment inside_moment = Moment::here)
        : before(name + ":before"), inside(name + ":inside", inside_moment), after(name + ":after") {}
    FailPoint before;  // reached before the phase has changed anything
    FailPoint inside;  // reached between its steps
    FailPoint after;   // reached when it is complete
};

/// All points of this program, by name.
std::vector<FailPoint const*> fail_points();

}  // namespace regraft::ft
#pragma GCC visibility pop
