// The records of a job: what it is doing, and how long its recoveries, commits and checkpoints have taken.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "job/context.hpp"
#include "regraft/ft/resilient.hpp"
#include "report/report.hpp"

namespace regraft::phylo {

/// What one PE records.
struct Records {
    using Clock = std::chrono::steady_clock;

    /// The beginning of a record of a failure, without the recovery that follows. works: whether the job is set up, so
    /// that work can be lost.
    Recovery begin(ft::Failure const& failure, std::size_t survivors, bool works) const;
    /// Keeps a record if ranks were lost; a failure without losses is a request to stop, for example.
    void keep(Recovery recovery);
    /// Logs the recoveries that are not in the log yet. Precondition: the job is back at its last commit.
    void tell(Context& context);

    std::string doing;                              // for people, such as "near SPR round 1"
    std::vector<Recovery> recoveries;               // all that were kept
    std::size_t told = 0;                           // number of recoveries that are in the log
    Checkpoints checkpoints;                        // commits, and checkpoints on disk
    std::uint64_t uncommitted_evaluations = 0;      // since the last commit
    Clock::time_point restoring_at = Clock::now();  // when the job began to go back to its last commit
    Clock::time_point committed_at = Clock::now();  // when the last commit ended
};

}  // namespace regraft::phylo
