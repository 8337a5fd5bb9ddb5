// When the next snapshot is due: from what one costs and how often ranks die. Pure.
#pragma once

#include <cstdint>
#include <span>

namespace regraft::checkpoint {

/// The time between two commits at which a job loses least, to first order: sqrt(2 cost mtbf) (Young 1974, "A first
/// order approximation to the optimum checkpoint interval"). cost: of a commit; mtbf: mean time between two failures of
/// the whole job. Any unit, the same of all.
double young_interval(double cost, double mtbf);

/// The higher-order estimate, for costs that are no longer small beside the mtbf: with x = cost / (2 mtbf) it is
/// sqrt(2 cost mtbf) (1 + sqrt(x) / 3 + x / 9) - cost if x < 1, else mtbf (Daly 2006, eq. 37). Time of computing
/// between two commits, the commit not included.
double daly_interval(double cost, double mtbf);

/// The part of its time that a job loses to commits and to what it computes again after failures, to first order:
/// cost / interval + interval / (2 mtbf). At Young's interval sqrt(2 cost / mtbf). Precondition: interval > 0.
double expected_overhead(double interval, double cost, double mtbf);

/// The same on all members.
struct PaceOptions {
    /// Steps between two commits. 0: as many as the estimate says.
    std::uint64_t steps = 0;
    enum class Estimate { young, daly } estimate = Estimate::young;
    /// Mean time between two failures of the whole job, in hours.
    double mtbf_hours = 24;
};

/// What a member has measured, in milliseconds; 0: nothing yet.
struct Cost {
    double step_ms = 0;    // between the last two commits, one step of the program
    double commit_ms = 0;  // the last commit
};

/// Counts steps and commits. The same on all members, for what it does depends only on calls that all make alike and
/// on what all have been told.
class Pace {
public:
    explicit Pace(PaceOptions const& options = {});

    /// A step has passed: whether a commit is due.
    bool due();
    /// A commit has succeeded. costs: what each member had measured before it. The slowest count. The interval at most
    /// doubles, so that the first commits, of which nobody knows what they will cost, come after 1, 2, 4, ... steps.
    void committed(std::span<Cost const> costs);
    /// The same where nobody has told what it has measured: the interval stays.
    void committed();
    /// Whether the commit that follows should tell: while the interval grows, and now and then, if steps are counted.
    bool wants_costs() const;
    /// The program has gone back to the last commit.
    void rolled_back() { steps_ = 0; }

    /// Since the last commit.
    std::uint64_t steps() const { return steps_; }
    /// Between the last commit and the next.
    std::uint64_t interval() const { return interval_; }

private:
    double best_steps() const;

    PaceOptions options_;
    std::uint64_t steps_ = 0;
    std::uint64_t interval_ = 1;
    Cost cost_;  // the last that was known
    bool grows_ = true;
    std::uint64_t commits_ = 0;  // since then
};

}  // namespace regraft::checkpoint
