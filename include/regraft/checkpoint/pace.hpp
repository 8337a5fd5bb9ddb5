// Decides when the next snapshot is due, from what one costs and how often ranks die. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "regraft/core/cpp20.hpp"

#pragma GCC visibility push(default)
namespace regraft::checkpoint {

/// The time between two commits at which a job loses least, to first order: sqrt(2 cost mtbf) (Young 1974, "A first
/// order approximation to the optimum checkpoint interval"). cost is the time of a commit, mtbf the mean time between
/// two failures of the whole job. All times are in the same unit.
double young_interval(double cost, double mtbf);

/// The higher-order estimate, for costs that are no longer small beside the mtbf: with x = cost / (2 mtbf) it is sqrt(2
/// cost mtbf) (1 + sqrt(x) / 3 + x / 9) - cost if x < 1, else mtbf (Daly 2006, eq. 37). It is the time of computing
/// between two commits, the commit not included.
double daly_interval(double cost, double mtbf);

/// The fraction of its time that a job loses to commits and to computing again after failures, to first order: cost /
/// interval + interval / (2 mtbf). At Young's interval it is sqrt(2 cost / mtbf). Precondition: interval > 0.
double expected_overhead(double interval, double cost, double mtbf);

/// All members pass the same options.
struct PaceOptions {
    /// Steps between two commits. 0: as many as the estimate says.
    std::uint64_t steps = 0;
    /// The formula for the interval: young_interval or daly_interval.
    enum class Estimate { young, daly } estimate = Estimate::young;  // used if steps is 0
    /// Mean time between two failures of the whole job, in hours.
    double mtbf_hours = 24;
};

/// What a member has measured, in milliseconds; 0: nothing yet.
struct Cost {
    double step_ms = 0;    // one step of the program, measured between the last two commits
    double commit_ms = 0;  // the last commit
};

/// Counts steps and commits. It is the same on all members, because it depends only on calls that all make alike and on
/// costs that all know.
class Pace {
public:
    /// Starts before the first step, with a commit due after one step, or after options.steps if that is given.
    explicit Pace(PaceOptions const& options = {});

    /// Counts a step and returns whether a commit is due.
    bool due();
    /// Counts a successful commit. costs is what each member had measured before it; the slowest member counts. The
    /// interval at most doubles, so that the first commits, whose cost is not yet known, come after 1, 2, 4, ... steps.
    void committed(std::span<Cost const> costs);
    /// The same if members have not exchanged what they measured: the interval stays.
    void committed();
    /// Whether the next commit should exchange costs: always while the interval grows, later at every 16th commit or
    /// so. Never if the interval is fixed or steps are not counted.
    bool wants_costs() const;
    /// Tells that the program has gone back to the last commit.
    void rolled_back() { steps_ = 0; }

    /// The number of steps since the last commit.
    std::uint64_t steps() const { return steps_; }
    /// The number of steps between the last commit and the next.
    std::uint64_t interval() const { return interval_; }

private:
    double best_steps() const;

    PaceOptions options_;
    std::uint64_t steps_ = 0;
    std::uint64_t interval_ = 1;
    Cost cost_;  // the last that was known
    bool grows_ = true;
    std::uint64_t commits_ = 0;  // since the cost was last known
};

}  // namespace regraft::checkpoint
#pragma GCC visibility pop
