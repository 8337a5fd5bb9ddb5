// The life of one job: it computes, commits, loses ranks, recovers, and ends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulate/failures.hpp"
#include "simulate/job.hpp"

namespace regraft::plan::simulated {

/// A recovery in the life of a job. Failures during a recovery make it begin again; all of that is one event.
struct Event {
    double begin = 0;  // seconds since the begin of the job
    double end = 0;
    std::uint32_t failures = 0;
    std::uint32_t dead = 0;  // ranks
    double work_lost = 0;    // seconds of computing that have to be repeated
    double work_done = 0;    // in seconds of a job with all ranks, after the loss
    RecoveryTime parts;      // of the attempt that succeeded
    Volume volume;           // of that attempt
};

/// How a life ends: the work is done, data has no copy left, or the job was given up.
enum class Fate : std::uint8_t { finished, data_lost, too_slow };

/// The life of a job, from the first submit to the end.
struct Life {
    Fate fate = Fate::finished;
    double seconds = 0;  // until the end, whatever it is
    std::uint32_t failures = 0;
    std::uint32_t survivors = 0;
    double interval = 0;  // seconds of computing between two commits, while all ranks lived
    double submit_seconds = 0;
    std::uint64_t commits = 0;
    double commit_seconds = 0;  // of all commits
    double computing = 0;       // seconds, with what was repeated
    double work_lost = 0;
    double work_done = 0;
    std::vector<Event> events;          // the last one without an end if the data is lost
    Volume volume;                      // of submit, commits and recoveries
    std::uint64_t memory_at_begin = 0;  // of the rank that keeps the most
    std::uint64_t memory_at_end = 0;
};

/// What a life depends on besides the plan of its job.
struct LifeOptions {
    /// Seconds of computing between two commits. None: as checkpoint::young_interval says.
    std::optional<double> interval;
    /// The mean time between two failures on the machine, for young_interval.
    double seconds_between_failures = 0;
    /// The job is given up as too slow after so many seconds.
    double most_seconds = 0;
};

/// Lives a job through these failures, which ascend by time. Deterministic.
Life live(JobPlan const& plan, std::span<Failure const> failures, LifeOptions const& options);

}  // namespace regraft::plan::simulated
