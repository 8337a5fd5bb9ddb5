// Many lives of a job, what they have in common, and which of several plans costs least.
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
    double part = 0;
    double least = 0;
    double most = 0;
};
/// Precondition: count <= all, all > 0.
Share share_of(std::uint64_t count, std::uint64_t all);

/// The smallest value that at least q of all values do not exceed; 0 if there are none.
double quantile(std::vector<double> values, double q);

/// One way to protect the job, and its lives.
struct Candidate {
    JobPlan plan;
    std::optional<double> interval;  // seconds; none: by Young's formula
    std::vector<Life> lives;

    std::uint64_t count(Fate fate) const;
    /// The means of the lives that finished; none finished: 0.
    double mean_seconds() const;
    /// Node hours until one life has finished: those of lives that did not are paid as well. Infinite if none did.
    double expected_node_hours() const;
};

struct Simulation {
    Machine machine;
    FailureRates rates;
    double seconds_between_failures = 0;  // of the whole machine
    std::vector<Candidate> candidates;    // more than one with --optimise
    std::size_t best = 0;                 // the one with the fewest expected node hours
    DiskPlan disk_plan;
    DiskJob disk;
    double disk_node_hours = 0;  // with spare nodes
};

/// All candidates meet the same failures. The same for any number of threads. Throws InputError.
Simulation simulate(SimulateOptions const& options);

}  // namespace regraft::plan::simulated
