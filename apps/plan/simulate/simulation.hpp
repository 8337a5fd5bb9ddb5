// Many lives of a job under several plans, and which of the plans costs least.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input/options.hpp"
#include "simulate/disk.hpp"
#include "simulate/life.hpp"

namespace regraft::plan::simulated {

/// A share with its confidence interval of 95 % (Wilson 1927).
struct Share {
    double part = 0;   // the share, from 0 to 1
    double least = 0;  // the lower end of the interval
    double most = 0;   // its upper end
};
/// The share of count in all. Preconditions: count <= all, all > 0.
Share share_of(std::uint64_t count, std::uint64_t all);

/// The smallest value that at least q of all values do not exceed; 0 if there are none.
double quantile(std::vector<double> values, double q);

/// One way to protect the job, and its lives.
struct Candidate {
    JobPlan plan;
    std::optional<double> interval;  // seconds; none: by Young's formula
    std::vector<Life> lives;

    /// The number of lives with this fate.
    std::uint64_t count(Fate fate) const;
    /// The life of median length, the first if there are several; those that did not finish count as longer than all
    /// others. Precondition: there are lives.
    Life const& median_life() const;
    /// The mean length of the lives that finished; 0 if none did.
    double mean_seconds() const;
    /// The node hours of all lives divided by the number of lives that finished: those of the others are paid as well.
    /// Infinite if none finished.
    double expected_node_hours() const;
};

/// The result of a simulation.
struct Simulation {
    Machine machine;
    FailureRates rates;
    double seconds_between_failures = 0;  // of the whole machine
    std::vector<Candidate> candidates;    // more than one with --optimise
    std::size_t best = 0;                 // index of the candidate with the fewest expected node hours
    DiskPlan disk_plan;                   // of the same job with checkpoints on disk
    DiskJob disk;
    double disk_node_hours = 0;  // of that job, with spare nodes
};

/// Simulates what the options ask for. All candidates meet the same failures. The result is the same for any number of
/// threads. Throws InputError.
Simulation simulate(SimulateOptions const& options);

}  // namespace regraft::plan::simulated
