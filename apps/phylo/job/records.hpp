// The records of a job: what it is doing, and what failures and checkpoints have cost it.
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

struct Records {
    using Clock = std::chrono::steady_clock;

    /// A record of the failure, without what happens after it. `works`: whether work can be lost, because the job is
    /// set up.
    Recovery begin(ft::Failure const& failure, std::size_t survivors, bool works) const;
    /// Keeps the record if ranks were lost: a failure may be a request to stop.
    void keep(Recovery recovery);
    /// Logs the recoveries that are not in the log. The job is back where the last checkpoint was.
    void tell(Context& context);

    std::string doing;
    std::vector<Recovery> recoveries;
    std::size_t told = 0;  // number of recoveries that are in the log
    Checkpoints checkpoints;
    std::uint64_t uncommitted_evaluations = 0;
    Clock::time_point restoring_at = Clock::now();
    Clock::time_point committed_at = Clock::now();
};

}  // namespace regraft::phylo
